"""A club with two tables at which everything has happened, and links to the first."""

from dataclasses import dataclass
from typing import Any

from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import opened
from tests.support.application import House
from tests.support.sample_rounds import THREE, add_table, complete_round, hand, open_round, play

CUSTOM = "saturday"
"""A ruleset of the club that only the other table uses."""


@dataclass(frozen=True)
class Played:
    """A table, its open round with a hand, its complete round, and a dispute of this."""

    table: str
    round: str
    hand: str
    complete: str
    dispute: str


def play_at(api: Api, name: str) -> Played:
    """Play a complete round and the beginning of another at a new table."""
    complete = complete_round(api, name=name)
    dispute = opened(api, complete)
    table = str(api.get(f"/v1/rounds/{complete}")["table"])
    round_id = str(open_round(api, table)["id"])
    return Played(table, round_id, play(api, round_id, hand(1, 1, THREE))["id"], complete, dispute)


def issue(api: Api, table: str, **asked: Any) -> ApiResponse:
    """Issue a link to a table."""
    issued = api.post(f"/v1/tables/{table}/links", asked)
    assert issued.status == 201, issued
    return issued


def secret_of(issued: ApiResponse) -> str:
    """Return the secret of a new link, from the fragment of its address."""
    return str(issued["url"]).partition("#")[2]


def link_to(house: House, api: Api, table: str, kind: str = "scorekeeper", **asked: Any) -> Api:
    """Return a client with a new link to a table."""
    return Api(house.app, secret_of(issue(api, table, kind=kind, **asked)))


def table_of(api: Api, name: str = "kitchen", **more: Any) -> str:
    """Create a table and return its ID."""
    return add_table(api, name=name, **more)
