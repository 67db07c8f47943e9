"""The archive of `make wheels` installs the whole service without an index, and the service records a hand."""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from client.version import VERSION
from tests.deploy.test_sbom import write_list
from tests.support.client.run_ofc import EXAMPLES
from tests.support.installation import ROOT, Environment, Wheels, find_package_files, list_files, run
from tests.support.server_process import Running

pytestmark = pytest.mark.verify

PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
MOST_MEGABYTES: Final = {"tablestakes[embedded]": 370, "tablestakes": 300}
MOST_SECONDS: Final = 20.0
"""On a machine that does nothing else."""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheels of the project, and the archive of all wheels."""
    wheels = Wheels.build(tmp_path_factory.mktemp("dist"))
    run(sys.executable, ROOT / "deploy" / "wheels.py", "--dist", wheels.service.parent)
    return wheels.service.parent


@pytest.fixture(scope="module")
def unpacked(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    (archive,) = dist.glob(f"tablestakes-{VERSION}-python{PYTHON}-*.tar")
    directory = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as read:
        read.extractall(directory, filter="data")
    return directory / "wheels"


def test_every_wheel_is_in_the_list_of_packages(unpacked: Path, tmp_path: Path) -> None:
    write_list(unpacked, tmp_path / "sbom.json")
    document = json.loads((tmp_path / "sbom.json").read_text(encoding="utf-8"))
    components = [*document["components"], document["metadata"]["component"]]
    listed = {
        each["hashes"][0]["content"]: each["name"] for each in components if each["hashes"][0]["alg"] == "SHA-256"
    }
    wheels = {hashlib.sha256(wheel.read_bytes()).hexdigest(): wheel.name for wheel in unpacked.iterdir()}
    assert listed.keys() == wheels.keys()
    assert [each["name"] for each in components if not each.get("licenses")] == []


@pytest.fixture(scope="module", params=MOST_MEGABYTES)
def environment(
    request: pytest.FixtureRequest, unpacked: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Environment]:
    environment = Environment(tmp_path_factory.mktemp("environment") / "venv")
    environment.install_offline(unpacked, request.param)
    return request.param, environment


def test_the_wheel_has_every_file_of_the_packages_and_the_contract(dist: Path) -> None:
    (service,) = dist.glob("tablestakes-*.whl")
    assert list_files(service) == find_package_files() | {"service/openapi.yaml", "service/openapi-audit.yaml"}


def test_the_installed_size_is_limited(environment: tuple[str, Environment]) -> None:
    requirement, installed = environment
    megabytes = installed.measure() / 1e6
    largest = ", ".join(f"{name} {size:.0f}" for name, size in installed.list_largest(10))
    print(f"{requirement}: {megabytes:.0f} MB; the largest: {largest}")
    assert megabytes <= MOST_MEGABYTES[requirement], largest


@pytest.fixture
def started(environment: tuple[str, Environment], tmp_path: Path) -> Iterator[tuple[Running, float]]:
    """The installed service with its worker, and the seconds until it was ready."""
    requirement, installed = environment
    if "embedded" not in requirement:
        pytest.skip("without the embedded PostgreSQL there is no database")
    begin = time.monotonic()
    program = [installed.directory / "bin" / "ofc-server"]
    service = Running(tmp_path / "data", program=program, OFC_WORKERS="2", OFC_CONCURRENCY="1")
    try:
        yield service, time.monotonic() - begin
    finally:
        service.close()


def test_the_installed_service_is_soon_ready_and_records_hands(
    environment: tuple[str, Environment], started: tuple[Running, float]
) -> None:
    service, seconds = started
    load = os.getloadavg()[0]
    print(f"ready after {seconds:.1f} s at a load of {load:.1f}")
    ofc = environment[1].directory / "bin" / "ofc"
    reached = {
        "OFC_URL": service.url,
        "OFC_API_KEY_FILE": str(service.directory / "api-key"),
        "PATH": os.environ["PATH"],
    }
    posted = subprocess.run(
        [ofc, "post", EXAMPLES / "pineapple.json"], env=reached, capture_output=True, text=True, timeout=60, check=False
    )
    assert posted.returncode == 0, posted
    # Other processes of the tests take their share of the cores.
    assert seconds <= MOST_SECONDS * max(1.0, load / 2)


def test_without_the_embedded_postgresql_up_names_the_extra(
    environment: tuple[str, Environment], tmp_path: Path
) -> None:
    requirement, installed = environment
    if "embedded" in requirement:
        pytest.skip("it is installed")
    ended = installed.run("ofc-server", "up", "--port", "0", "--data", tmp_path / "data")
    assert ended.returncode == 1
    assert "install `tablestakes[embedded]`, or set OFC_DATABASE_URL" in ended.stderr
