"""The wheel of the service gets every file of its packages; the long tests compare the files of a built wheel."""

import tomllib
from fnmatch import fnmatch
from pathlib import PurePath
from typing import Any, Final

from tests.support.installation import ROOT, find_package_files

CONFIGURATION: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
PATTERNS: Final = ("*.py", *CONFIGURATION["package-data"]["*"])
NEEDED: Final = {
    "migrations/env.py",
    "migrations/manifest.json",
    "service/examples/record_hand.json",
    "service/pages/static/reference/swagger-ui-bundle.js",
    "service/pages/static/rules/manifest.json",
    "service/pages/static/web/files.json",
}


def is_included(path: str) -> bool:
    return any(fnmatch(PurePath(path).name, pattern) for pattern in PATTERNS)


def test_every_file_of_the_packages_is_in_the_wheel() -> None:
    assert {path for path in find_package_files() if not is_included(path)} == set()


def test_the_wheel_has_pages_rules_examples_and_migrations() -> None:
    files = find_package_files()
    assert files >= NEEDED
    assert {"migrations/versions/001_clubs.py", "service/pages/static/style.css"} <= files
    assert any(path.endswith(".wasm") for path in files)
    assert len([path for path in files if path.endswith(".html")]) > 50
