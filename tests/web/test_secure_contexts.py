"""Pages without HTTPS lack the APIs of secure contexts: scripts use these only after a look whether they are there."""

import re
from typing import Final

import pytest

from tests.web.conftest import ROOT

GUARDS: Final = {
    r"crypto\.randomUUID\(\)": r"typeof crypto\.randomUUID ===",
    r"crypto\.subtle\.": r"typeof crypto\.subtle ===",
    r"navigator\.locks\.": r'"locks" in navigator',
    r"navigator\.serviceWorker\.": r'"serviceWorker" in navigator',
    r"navigator\.storage\.": r'"storage" in navigator',
    r"navigator\.share\(": r"typeof navigator\.share ===",
    r"navigator\.clipboard\.": r"try \{\s*await navigator\.clipboard\.",
    r"navigator\.mediaDevices\.": r"navigator\.mediaDevices\?\.getUserMedia !== undefined",
    r"navigator\.wakeLock\.": r'"wakeLock" in navigator',
    r"\bcaches\.": r'"caches" in self',
}
"""Uses of APIs that only secure contexts have, and what a script must have before it uses them. `?.` is a guard too."""
IN_SECURE_CONTEXTS_ONLY: Final = {"web/src/worker/sw.ts"}
"""Scripts that run in secure contexts only."""


def find_unguarded(script: str) -> list[str]:
    """Find uses of APIs of secure contexts without a guard; comments do not count."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", script, flags=re.DOTALL)
    return [use for use, guard in GUARDS.items() if re.search(use, code) and not re.search(guard, code)]


def test_scripts_of_pages_use_no_api_that_pages_without_https_do_not_have() -> None:
    folders = (ROOT / "web" / "src", ROOT / "web" / "client" / "src")
    scripts = {path.relative_to(ROOT).as_posix(): path for each in folders for path in each.rglob("*.ts*")}
    assert scripts.keys() >= IN_SECURE_CONTEXTS_ONLY
    uses_by_name = {
        name: find_unguarded(path.read_text(encoding="utf-8"))
        for name, path in scripts.items()
        if name not in IN_SECURE_CONTEXTS_ONLY
    }
    assert {name: uses for name, uses in uses_by_name.items() if uses} == {}


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("const key = crypto.randomUUID();", 1),
        ("if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();", 0),
        ("await navigator.storage.persist();", 1),
        ("await navigator.storage?.persist?.();", 0),
        ("// crypto.randomUUID()", 0),
    ],
)
def test_unguarded_uses_are_found(script: str, count: int) -> None:
    assert len(find_unguarded(script)) == count
