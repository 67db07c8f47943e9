"""What the look-up of dependencies says and does."""

from tests.contract.audit import CONSTRAINTS, verdict

SOUND = {"name": "flask", "version": "3.1.3", "vulns": []}
UNSOUND = {"name": "old", "version": "1.0", "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["1.1"], "aliases": []}]}
SKIPPED = {"name": "rare", "skip_reason": "not found"}


def test_a_known_vulnerability_fails_with_its_name() -> None:
    code, lines = verdict([SOUND, UNSOUND, SKIPPED])
    assert code == 1
    assert lines[0] == "KNOWN VULNERABILITY: old 1.0: PYSEC-2026-1; versions without it: 1.1"


def test_an_unchecked_dependency_is_reported_and_does_not_fail() -> None:
    assert verdict([SOUND, SKIPPED]) == (0, ["NOT CHECKED: 1 of 2 dependencies: rare"])
    code, [line] = verdict(None)
    assert code == 0
    assert line.startswith("NOT CHECKED: no list of vulnerabilities can be reached")


def test_sound_dependencies_are_counted() -> None:
    assert verdict([SOUND]) == (0, ["1 dependencies, none with a known vulnerability."])


def test_every_dependency_is_looked_up_in_the_version_that_is_installed() -> None:
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    assert all("==" in line for line in lines if line and not line.startswith("#"))
