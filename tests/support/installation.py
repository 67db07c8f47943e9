"""Builds the wheels of the project, and installs them into new environments, as users do."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from tests.support.client.run_ofc import clean_environment

ROOT: Final = Path(__file__).parents[2]
_FILES: Final = ("LICENSE", "README.md", "openapi-audit.yaml", "openapi.yaml", "pyproject.toml", "setup.py")
_FOLDERS: Final = ("client", "evidence", "migrations", "schemas", "scoring", "service")
_LEFT_BY_TOOLS: Final = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
_PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check")
_SECONDS: Final = 300


@dataclass(frozen=True)
class Wheels:
    """The wheels of both distributions."""

    client: Path
    service: Path

    @classmethod
    def build(cls, directory: Path) -> "Wheels":
        """Build the wheels from a copy of the checkout, without anything that earlier builds have left in it."""
        source, built = directory / "source", directory / "wheels"
        copy_source(source)
        run(sys.executable, ROOT / "deploy" / "build_wheels.py", built, source / "client", source)
        (client,), (service,) = built.glob("tablestakes_client-*.whl"), built.glob("tablestakes-*.whl")
        return cls(client, service)


def copy_source(directory: Path) -> None:
    """Copy what the wheels are built from, with the built pages, into a new folder."""
    directory.mkdir()
    for folder in _FOLDERS:
        shutil.copytree(ROOT / folder, directory / folder, ignore=_LEFT_BY_TOOLS)
    for file in _FILES:
        shutil.copy(ROOT / file, directory)


def build_refused(source: Path) -> str:
    """Return why pip does not build a wheel of a folder."""
    build = (*_PIP, "wheel", "--no-deps", "--wheel-dir", source.parent / "none", source)
    ended = subprocess.run(build, capture_output=True, text=True, timeout=_SECONDS, check=False, env=clean())
    assert ended.returncode != 0
    return ended.stdout + ended.stderr


def list_files(wheel: Path) -> set[str]:
    """Return the paths of all files that a wheel installs, without its metadata."""
    with ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def find_package_files() -> set[str]:
    """Return the paths of all files in the packages of the service that its wheel should install."""
    return {
        str(path.relative_to(ROOT))
        for package in ("service", "migrations")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path != ROOT / "migrations" / "script.py.mako"
    }


class Environment:
    """A virtual environment without pip, with the constraints of the project."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        run(sys.executable, "-m", "venv", "--without-pip", directory)
        self.python = directory / "bin" / "python"

    def install(self, *wheels: str | Path, constraints: Path = ROOT / "constraints.txt") -> None:
        """Install wheels, with their extras in brackets, and what they depend on."""
        self._pip("install", "--quiet", "--constraint", constraints, *wheels)

    def install_offline(self, wheels: Path, requirement: str) -> None:
        """Install a distribution and what it depends on from a folder of wheels, without an index."""
        self._pip("install", "--quiet", "--no-index", "--find-links", wheels, requirement)

    def uninstall(self, name: str) -> None:
        """Uninstall a distribution, and nothing that it depends on."""
        self._pip("uninstall", "--quiet", "--yes", name)

    def check(self) -> str:
        """Return what pip says about the dependencies of all distributions."""
        return self._pip("check")

    def measure(self) -> int:
        """Return the size of everything that is installed, with its bytecode, in bytes."""
        return sum(path.stat().st_size for path in self.directory.rglob("site-packages/**/*") if path.is_file())

    def list_largest(self, count: int) -> list[tuple[str, float]]:
        """Return the names of the largest distributions, and their sizes in megabytes, with bytecode."""
        (packages,) = self.directory.glob("lib/python3*/site-packages")
        sizes = {
            each.name: sum(Path(str(each.locate_file(file))).stat().st_size for file in each.files or ()) / 1e6
            for each in distributions(path=[str(packages)])
        }
        return sorted(sizes.items(), key=lambda pair: -pair[1])[:count]

    def evaluate(self, program: str) -> "subprocess.CompletedProcess[str]":
        """Run a Python program."""
        return self._execute(self.python, "-c", program)

    def run(self, command: str, *arguments: str | Path, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run an installed command."""
        return self._execute(self.directory / "bin" / command, *arguments, **variables)

    def can_import(self, modules: Iterable[str]) -> set[str]:
        """Return those of some modules that can be imported."""
        tested = f"import importlib.util as u; print(*(m for m in {list(modules)!r} if u.find_spec(m)))"
        return set(self.evaluate(tested).stdout.split())

    def _pip(self, *arguments: str | Path) -> str:
        return run(*_PIP, "--python", self.python, *arguments)

    def _execute(self, *command: str | Path, **variables: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            cwd=self.directory,
            env=clean() | variables,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )


def clean() -> dict[str, str]:
    """Return the environment without variables that refer to the checkout, to Python or to a service."""
    return {name: value for name, value in clean_environment().items() if not name.startswith(("OFC_", "PYTHON"))}


def run(*command: str | Path) -> str:
    """Run a command that must succeed, and return its output."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=clean())
    assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
    return ended.stdout
