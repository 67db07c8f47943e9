from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from client.api import Client
from tests.support.client.proxy import Proxy, proxied
from tests.support.server_process import Running, running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service as `ofc-server up` starts it; it is slow to start, so everything here shares one."""
    with running(tmp_path_factory.mktemp("service") / "ofc", is_first=True, OFC_CONCURRENCY="1") as started:
        yield started


@pytest.fixture
def reached(service: Running) -> dict[str, str]:
    """What an operator sets so that `ofc` finds the service."""
    return {"OFC_URL": service.url, "OFC_API_KEY_FILE": str(key_file(service))}


@pytest.fixture
def proxy(service: Running) -> Iterator[Proxy]:
    """A way to the service that can be cut."""
    with proxied(service.url) as opened:
        yield opened


@pytest.fixture
def by_proxy(reached: dict[str, str], proxy: Proxy) -> dict[str, str]:
    """What is set where the service is reached over a way that can be cut."""
    return {**reached, "OFC_URL": proxy.url, "OFC_TIMEOUT": "3"}


@pytest.fixture
def client(service: Running) -> Iterator[Client]:
    with Client(service.url, key_file(service).read_text().strip()) as opened:
        yield opened


@pytest.fixture
def table() -> str:
    """A table's name that no other test has."""
    return f"table-{uuid4().hex}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory."""
    directory = tmp_path / "current"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


def key_file(service: Running) -> Path:
    return service.directory / "api-key"
