"""Clubs with two auditors, keys of players, and proposals over HTTP."""

from collections.abc import Sequence
from typing import Any

from service.clubs.actions import create_key, find_club, set_up_club
from tests.support.api_client import Api, ApiResponse
from tests.support.api_settlements import OTHER_HAND, make_final
from tests.support.application import House
from tests.support.import_lines import club_of
from tests.support.sample_rounds import HIGH, LOW, MID, Document, complete_round, hand

FIRST_HAND = [{"op": "replace", "path": "/hands/0", "value": hand(1, 1, {1: LOW, 2: MID, 3: HIGH})}]
"""In hand 1, seat 1 had the cards of seat 3, and the other way round."""


def name_of_club(house: House, api: Api) -> str:
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    return str(name)


def require_second_auditor(house: House, api: Api, *, is_required: bool = True) -> None:
    """Set up the club of a client."""
    set_up_club(house.owner, name_of_club(house, api), second_auditor=is_required)


def auditor(
    house: House, api: Api, name: str = "second", *, scopes: Sequence[str] = ("*",), player: str | None = None
) -> Api:
    """Return a client with a new key of the same club, which no other key has created."""
    club = find_club(house.owner, name_of_club(house, api))
    return Api(house.app, create_key(house.owner, club, name=name, scopes=scopes, player=player).secret)


def final_round(house: House, api: Api, **table: Any) -> str:
    """Return a round with a final settlement, in a club that requires a second auditor."""
    require_second_auditor(house, api)
    round_id = complete_round(api, **table)
    make_final(api, round_id)
    return round_id


def correction(api: Api, round_id: str, **more: Any) -> Document:
    """Return a correction of the second hand."""
    version = api.get(f"/v1/rounds/{round_id}")["version"]
    return {"reason": "misread", "version": version, "patch": OTHER_HAND, **more}


def propose(api: Api, round_id: str, *, query: str = "", **more: Any) -> ApiResponse:
    """Propose this correction."""
    return api.post(f"/v1/rounds/{round_id}/proposals{query}", correction(api, round_id, **more))


def proposed(api: Api, round_id: str, **more: Any) -> str:
    """Propose a correction, and return the path of the proposal."""
    response = propose(api, round_id, **more)
    assert response.status == 201, response
    return f"/v1/proposals/{response['id']}"


def confirm(api: Api, path: str, query: str = "") -> ApiResponse:
    return api.request("POST", f"{path}/confirm{query}")


def withdraw(api: Api, path: str, reason: str = "the other camera shows it") -> ApiResponse:
    return api.post(f"{path}/withdraw", {"reason": reason})
