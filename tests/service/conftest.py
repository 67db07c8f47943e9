from collections.abc import Iterator

import pytest

from tests.postgres import Server
from tests.service.house import House, open_house
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
