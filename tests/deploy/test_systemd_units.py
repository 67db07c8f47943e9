"""The units of deploy/systemd/, as systemd reads and rates them."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.deploy.deploy_files import DEPLOY, find_unknown_variables

UNITS: Final = sorted(path.name for path in (DEPLOY / "systemd").glob("*.service"))
PROGRAM: Final = "/opt/tablestakes/bin/ofc-server"
MOST_EXPOSURE: Final = "15"
"""Ten times what `systemd-analyze security` prints; services without settings have 96."""
NEEDS_SYSTEMD: Final = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed; Debian's package is `systemd`"
)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The units in a folder of their own, with a program that exists."""
    folder = tmp_path / "units"
    shutil.copytree(DEPLOY / "systemd", folder)
    for unit in folder.glob("*.service"):
        text = unit.read_text()
        assert text.count(f"ExecStart={PROGRAM} ") == 1, unit.name
        unit.write_text(text.replace(PROGRAM, "/bin/true"))
    return folder


def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "--no-pager", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@NEEDS_SYSTEMD
def test_systemd_accepts_the_units(installed: Path) -> None:
    verified = analyze("verify", "--man=no", *(installed / unit for unit in UNITS))
    assert (verified.returncode, verified.stderr) == (0, "")


@NEEDS_SYSTEMD
@pytest.mark.parametrize("unit", UNITS)
def test_the_exposure_of_each_unit_is_limited(installed: Path, unit: str) -> None:
    rated = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSURE}", installed / unit)
    assert rated.returncode == 0, rated.stdout


@NEEDS_SYSTEMD
def test_a_unit_without_the_hardening_is_refused(installed: Path) -> None:
    shutil.rmtree(installed / "tablestakes-.service.d")
    rated = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSURE}", installed / "tablestakes-up.service")
    assert rated.returncode == 1


def test_the_units_start_commands_of_ofc_server() -> None:
    commands = {
        unit: re.findall(rf"^ExecStart={PROGRAM} (.*)$", (DEPLOY / "systemd" / unit).read_text(), re.MULTILINE)
        for unit in UNITS
    }
    assert commands == {
        "tablestakes-beat.service": ["worker --concurrency 0"],
        "tablestakes-migrate.service": ["migrate"],
        "tablestakes-up.service": ["up"],
        "tablestakes-web.service": ["web"],
        "tablestakes-worker.service": ["worker"],
    }


def test_every_variable_of_the_folder_exists() -> None:
    assert find_unknown_variables() == set()
