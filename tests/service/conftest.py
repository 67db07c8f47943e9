import logging
import sys
from collections.abc import Iterator

import pytest

from service.logs import start_logging
from tests.postgres import Server
from tests.service.house import House, open_house
from tests.service.said import Log
from tests.service.speaking import Api


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
    root, ours = logging.getLogger(), logging.getLogger("service")
    before = root.handlers, root.level, ours.level
    start_logging({})
    yield log
    logging.captureWarnings(False)
    root.handlers = before[0]
    root.setLevel(before[1])
    ours.setLevel(before[2])
