"""The metadata of both distributions agrees with itself and with what their modules import."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Final

import pytest

from client.version import VERSION

ROOT: Final = Path(__file__).parents[2]
OWN: Final = {"client": ("client", "evidence", "schemas", "scoring"), "service": ("service", "migrations")}
OPTIONAL: Final = {"apispec", "jsonschema-rs", "numpy"}
"""Libraries that `schemas` and `scoring.bulk` use where they are installed, and that only the service depends on."""
NOT_IMPORTED: Final = {"tablestakes-client", "psycopg", "tzdata"}
"""SQLAlchemy loads the driver by its name, and Python the time zones."""

WITH_FRAMEWORKS: Final = {"kombu", "markupsafe", "werkzeug"}
"""Parts of Celery and Flask, in the versions that these select."""


def read_project(folder: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


PROJECTS: Final = {"client": read_project(ROOT / "client"), "service": read_project(ROOT)}


def name_of(requirement: str) -> str:
    """Return the normalized name of a requirement or a distribution."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()  # type: ignore[index]  # it matches


def declared_by(part: str) -> set[str]:
    extras = PROJECTS[part].get("optional-dependencies", {})
    optional = [requirement for name, extra in extras.items() if name != "dev" for requirement in extra]
    return {name_of(requirement) for requirement in [*PROJECTS[part]["dependencies"], *optional]}


def imported_by(part: str) -> set[str]:
    """Return the distributions whose modules the modules of a part import, also inside functions."""
    trees = [
        ast.parse(path.read_text(encoding="utf-8"))
        for package in OWN[part]
        for path in (ROOT / package).rglob("*.py")
        if "build" not in path.relative_to(ROOT).parts
    ]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    roots = {module.split(".")[0] for module in modules} - sys.stdlib_module_names
    providers = packages_distributions()
    return {name_of(providers[root][0]) for root in roots - {own for part in OWN.values() for own in part}}


def test_the_service_depends_on_the_client_of_its_own_version() -> None:
    assert all(project["dynamic"] == ["version"] for project in PROJECTS.values())
    assert f"tablestakes-client=={VERSION}" in PROJECTS["service"]["dependencies"]


def test_the_client_depends_on_what_it_imports_and_on_nothing_else() -> None:
    assert imported_by("client") - OPTIONAL == declared_by("client") - NOT_IMPORTED


def test_the_service_depends_on_what_it_imports_beside_the_client() -> None:
    assert imported_by("service") <= declared_by("service") | declared_by("client") | WITH_FRAMEWORKS


@pytest.mark.parametrize("part", PROJECTS)
def test_every_dependency_has_a_tested_version(part: str) -> None:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    assert declared_by(part) - {"tablestakes-client"} <= {name_of(line) for line in constraints}
