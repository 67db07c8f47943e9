"""The list of packages that `make wheels` and `make image` write: every wheel, and what browsers get from npm."""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import pytest

from tests.deploy.deploy_files import DEPLOY
from tests.support.installation import clean

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("cyclonedx_py") is None,
    reason="cyclonedx-bom is not installed; `make develop` installs it",
)

WHEELS: Final = {
    "tablestakes-0.1.0-py3-none-any.whl": "Requires-Dist: tablestakes-client==0.1.0\nRequires-Dist: NumPy>=2\n",
    "tablestakes_client-0.1.0-py3-none-any.whl": "License-Expression: MIT\n",
    # Of another version of Python and another processor.
    "numpy-2.4.0-cp313-cp313-manylinux_2_28_aarch64.whl": "License-Expression: BSD-3-Clause\n",
}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of wheels that have metadata only."""
    directory = tmp_path_factory.mktemp("wheels")
    for file, fields in WHEELS.items():
        name, version = file.split("-")[:2]
        with ZipFile(directory / file, "w") as wheel:
            text = f"Metadata-Version: 2.4\nName: {name.replace('_', '-')}\nVersion: {version}\n{fields}"
            wheel.writestr(f"{name}-{version}.dist-info/METADATA", text)
    return directory


def write_list(wheels: Path, file: Path) -> bytes:
    command = [sys.executable, DEPLOY / "sbom.py", wheels, file]
    environment = clean() | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    return file.read_bytes()


@pytest.fixture(scope="module")
def written(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_list(wheels, tmp_path_factory.mktemp("list") / "sbom.cdx.json")


@pytest.fixture
def document(written: bytes) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(written)
    return parsed


def test_it_has_the_schema_of_cyclonedx(written: bytes) -> None:
    validation = pytest.importorskip("cyclonedx.validation.json", reason="`make develop` installs it")
    schema = importlib.import_module("cyclonedx.schema").SchemaVersion.V1_6
    assert validation.JsonStrictValidator(schema).validate_str(written.decode()) is None


def test_every_wheel_is_listed_with_its_hash(wheels: Path, document: dict[str, Any]) -> None:
    listed = {each["hashes"][0]["content"] for each in (*document["components"], document["metadata"]["component"])}
    assert {hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels.iterdir()} <= listed


def test_packages_of_the_index_have_an_address_there_and_the_project_has_none(document: dict[str, Any]) -> None:
    service = document["metadata"]["component"]
    addresses = {each["name"]: each.get("purl") for each in (*document["components"], service)}
    assert addresses["numpy"] == "pkg:pypi/numpy@2.4.0"
    assert (addresses["tablestakes"], addresses["tablestakes-client"]) == (None, None)
    assert (service["name"], service["type"]) == ("tablestakes", "application")


def test_npm_packages_whose_files_browsers_get_are_listed(document: dict[str, Any]) -> None:
    npm = {each["purl"] for each in document["components"] if each.get("purl", "").startswith("pkg:npm/")}
    assert {address.rpartition("@")[0].removeprefix("pkg:npm/") for address in npm} == {
        "idb",
        "preact",
        "pyodide",
        "swagger-ui-dist",
    }
    (service,) = (each for each in document["dependencies"] if each["ref"].startswith("tablestakes=="))
    assert set(service["dependsOn"]) == npm | {"numpy==2.4.0", "tablestakes-client==0.1.0"}


def test_the_same_wheels_have_the_same_list(wheels: Path, written: bytes, tmp_path: Path) -> None:
    assert write_list(wheels, tmp_path / "again.json") == written
