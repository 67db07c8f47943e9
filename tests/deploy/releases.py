"""Installs the service as it was at an earlier commit, and as it is, each into an environment of its own."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

from tests.deploy.deploy_files import DEPLOY
from tests.support.installation import ROOT, Environment, Wheels, run

LAST_RELEASE: Final = DEPLOY / "LAST_RELEASE"
"""The file with the commit of the last release; there is none before the first one."""
VARIABLE: Final = "OFC_TEST_UPGRADE_FROM"
_BUILT_PAGES: Final = Path("service", "pages", "static")


def find_earlier_commit() -> str | None:
    """Return the commit to upgrade from: that of the environment, of the last release or of the checkout."""
    named = os.environ.get(VARIABLE) or (LAST_RELEASE.read_text().strip() if LAST_RELEASE.exists() else "HEAD")
    command = ["git", "rev-parse", "--verify", "--quiet", f"{named}^{{commit}}"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    if ended.returncode != 0 and named != "HEAD":
        raise ValueError(f"{named} is not a commit of this repository.")
    return ended.stdout.strip() or None


def install_commit(commit: str, directory: Path) -> Environment:
    """Build the wheels of a commit and install them, with the pages of this checkout, which no commit contains."""
    source, wheels = directory / "source", directory / "wheels"
    source.mkdir(parents=True)
    archive = directory / "source.tar"
    subprocess.run(["git", "archive", "--output", archive, commit], cwd=ROOT, check=True, timeout=60)
    with tarfile.open(archive) as files:
        files.extractall(source, filter="data")
    shutil.copytree(ROOT / _BUILT_PAGES, source / _BUILT_PAGES, dirs_exist_ok=True)
    run(sys.executable, DEPLOY / "build_wheels.py", wheels, source / "client", source)
    (client,), (service,) = wheels.glob("tablestakes_client-*.whl"), wheels.glob("tablestakes-*.whl")
    return _install(Wheels(client, service), directory, source / "constraints.txt")


def install_checkout(directory: Path) -> Environment:
    """Build the wheels of this checkout and install them."""
    directory.mkdir()
    return _install(Wheels.build(directory), directory, ROOT / "constraints.txt")


def _install(wheels: Wheels, directory: Path, constraints: Path) -> Environment:
    environment = Environment(directory / "environment")
    environment.install(wheels.client, f"{wheels.service}[embedded]", constraints=constraints)
    return environment
