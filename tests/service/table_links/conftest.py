"""A club with two tables, and a link to one of them."""

import pytest

from tests.service.table_links.linked_table import Played, link_to, play_at
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
