import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service import logs
from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.log_capture import Log
from tests.support.server_process import running
from tests.support.shared_server import Served


@pytest.fixture(scope="session")
def house(embedded_postgres: Server) -> Iterator[House]:
    with open_house(embedded_postgres) as opened:
        yield opened


@pytest.fixture
def api(house: House) -> Api:
    """A client with a key of a club of its own."""
    return house.new_client()


@pytest.fixture
def other_api(house: House) -> Api:
    """A client of another club."""
    return house.new_client()


@pytest.fixture
def nobody(house: House) -> Api:
    """A client without a key."""
    return Api(house.app, None)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    """The log of this process, as JSON."""
    log = Log()
    monkeypatch.setattr(sys, "stderr", log)
    root, service = logging.getLogger(), logging.getLogger("service")
    before = root.handlers, root.level, service.level
    logs.start_logging({})
    yield log
    logging.captureWarnings(False)
    root.handlers, level, service_level = before
    root.setLevel(level)
    service.setLevel(service_level)


@pytest.fixture(scope="module")
def served(embedded_postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    logins = embedded_postgres.create_database()
    directory: Path = tmp_path_factory.mktemp("served")
    with running(directory, OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner) as service:
        yield Served(service, (directory / "api-key").read_text().strip(), logins.owner)
    embedded_postgres.drop_database(logins)
