"""The TypeScript client, built from a copy of `web/client`, and the rules for browsers beside a service."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser

from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.browser.chromium import open_chromium
from tests.support.database.postgres import Server
from tests.support.server_process import Running
from tests.web.browser_rules import BrowserRules, build_rules, running_rules
from web.install import find_node

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "web" / "node_modules"
COMPILER = PACKAGES / "typescript" / "bin" / "tsc"
STRICT = ["--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", "node"]


def run(*command: str | Path, directory: Path, **variables: str) -> str:
    """Run a program that must succeed, and return what it printed."""
    environment = {**os.environ, "NODE_USE_SYSTEM_CA": "1", **variables}
    done = subprocess.run(
        [str(part) for part in command], cwd=directory, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


def address_and_key(service: Running) -> dict[str, str]:
    return {"OFC_URL": service.url, "OFC_API_KEY": (service.directory / "api-key").read_text().strip()}


def link_packages(directory: Path, built: Path) -> None:
    """Make a folder of a program that imports the client and `standardwebhooks`."""
    packages = directory / "node_modules"
    packages.mkdir()
    (packages / "tablestakes-client").symlink_to(built)
    for name in ("@types", "standardwebhooks"):
        (packages / name).symlink_to(PACKAGES / name)
    (directory / "package.json").write_text('{"type": "module"}')


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package, built as `make typescript` builds it."""
    copy = tmp_path_factory.mktemp("typescript")
    for name in ("openapi-audit.yaml", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    package = copy / "web" / "client"
    generated = shutil.ignore_patterns("dist", "build", "contract.ts", "LICENSE", "*.tgz")
    shutil.copytree(ROOT / "web" / "client", package, ignore=generated)
    (copy / "web" / "node_modules").symlink_to(PACKAGES)
    run(*find_node(), "build.mjs", directory=package)
    return package


@pytest.fixture(scope="session")
def built_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the rules for browsers; one process builds them for all."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with FileLock(shared / "rules.lock"):
        return build_rules(shared)


@pytest.fixture(scope="session")
def browser(built_rules: Path) -> Iterator[BrowserRules]:
    """The rules in WebAssembly."""
    with running_rules(built_rules) as rules:
        yield rules


@contextmanager
def chromium_or_skip(config: pytest.Config, *arguments: str) -> Iterator[Browser]:
    """Run Chromium with arguments. Where it cannot run, skip the test, or fail it if browsers are required."""
    try:
        with open_chromium(*arguments) as browser:
            yield browser
    except OSError as error:
        if config.getoption("--require-browser"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def chromium(pytestconfig: pytest.Config) -> Iterator[Browser]:
    with chromium_or_skip(pytestconfig) as browser:
        yield browser


@pytest.fixture(scope="session")
def house(embedded_postgres: Server) -> Iterator[House]:
    with open_house(embedded_postgres) as opened:
        yield opened


@pytest.fixture
def api(house: House) -> Api:
    """A client with a key of a club of its own."""
    return house.new_client()
