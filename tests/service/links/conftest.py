"""A club with two tables, and a link to one of them."""

import pytest
from flask.testing import FlaskClient

from tests.service.links.linked_table import Played, link_to, play_at
from tests.support.api_client import Api
from tests.support.application import House


@pytest.fixture(scope="module")
def club(house: House) -> Api:
    return house.new_client()


@pytest.fixture(scope="module")
def mine(club: Api) -> Played:
    return play_at(club, "friday")


@pytest.fixture(scope="module")
def other(club: Api) -> Played:
    """The other table of the same club."""
    return play_at(club, "monday")


@pytest.fixture
def link(house: House, club: Api, mine: Played, other: Played) -> Api:
    assert mine.table != other.table
    return link_to(house, club, mine.table)


@pytest.fixture
def browser(house: House) -> FlaskClient:
    """A browser without a key."""
    return house.app.test_client()
