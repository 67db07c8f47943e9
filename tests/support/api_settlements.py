"""Shorthand for settlements over HTTP, and for their states."""

from typing import Any

from service.clubs.actions import create_key, find_club
from service.periodic import finalize_due
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import HIGH, LOW, MID, correct_round, hand, settlement_of

AT_ONCE = 20
OTHER_HAND = [{"op": "replace", "path": "/hands/1", "value": hand(2, 2, {1: LOW, 2: MID, 3: HIGH})}]
"""In hand 2, seat 1 had the cards of seat 3, and the other way round."""
WINDOW = "correction_window_minutes"


def confirm(api: Api, round_id: str, seat: int, **more: Any) -> ApiResponse:
    return api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat, **more})


def make_final(api: Api, round_id: str) -> None:
    for seat in (1, 2, 3):
        assert confirm(api, round_id, seat).status == 201
    assert settlement_of(api, round_id)["state"] == "final"


def correct(api: Api, round_id: str, patch: Any = OTHER_HAND, **more: Any) -> ApiResponse:
    return correct_round(api, round_id, {"reason": "misread", "patch": patch, **more})


def sweep_all(house: House) -> None:
    finalize_due(database_of(house))


def without_players(settlement: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a settlement's transfers what only the settlement of a round in the API has."""
    only_there = {"payer_player", "payee_player", "amount"}
    transfers = [
        {name: value for name, value in transfer.items() if name not in only_there}
        for transfer in settlement["transfers"]
    ]
    return {**settlement, "transfers": transfers}


def refused(response: ApiResponse, code: str, mistake: str) -> bool:
    return (response.status, response["code"], [each["code"] for each in response["errors"]]) == (409, code, [mistake])


def another_key(house: House, api: Api, *scopes: str) -> Api:
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    club = find_club(house.owner, name)
    return Api(house.app, create_key(house.owner, club, name="narrow", scopes=scopes).secret)


def events_of(house: House, round_id: str) -> list[tuple[int, str]]:
    return house.query("SELECT sequence, kind FROM events WHERE round_id = %s ORDER BY sequence", round_id)
