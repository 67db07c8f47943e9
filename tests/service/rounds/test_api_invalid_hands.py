"""Hands and departures that are not valid requests."""

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    HIGH,
    THREE,
    Document,
    depart,
    hand,
    play,
    start_round,
)

QQ = "pineapple-qq"
PAIR = {1: "ann 100", 2: "bob 100"}


def played(api: Api, *, leaving: int | None = None, ruleset: str = QQ) -> str:
    """A round of three after its first hand, perhaps with one gone."""
    round_id = start_round(api, ruleset)
    play(api, round_id, hand(1, 1, THREE))
    if leaving:
        assert depart(api, round_id, leaving).status == 201
    return round_id


@pytest.mark.parametrize(
    ("change", "mistakes"),
    [
        ({"number": 0}, {"#/number": "out-of-range"}),
        ({"number": "1"}, {"#/number": "not-an-integer"}),
        ({"number": True}, {"#/number": "not-an-integer"}),
        ({"number": 1.5}, {"#/number": "not-an-integer"}),
        ({"number": 10**30}, {"#/number": "out-of-range"}),
        ({"button": None}, {"#/button": "field-null"}),
        ({"button": 1001}, {"#/button": "out-of-range"}),
        ({"played_at": "yesterday"}, {"#/played_at": "not-a-time"}),
        ({"played_at": "2026-11-20T20:15:00"}, {"#/played_at": "not-a-time"}),
        ({"played_at": "2026-11-20T20:15:00+0100"}, {"#/played_at": "not-a-time"}),
        ({"played_at": "2026-11-20T20:15:00,5Z"}, {"#/played_at": "not-a-time"}),
        ({"played_at": "2026-11-20T24:00:00Z"}, {"#/played_at": "not-a-time"}),
        ({"played_at": 1763669700}, {"#/played_at": "not-a-time"}),
        ({"top_ups": [{"seat": 1, "points": 0}]}, {"#/top_ups/0/points": "out-of-range"}),
        ({"top_ups": [{"seat": 1, "points": -5}]}, {"#/top_ups/0/points": "out-of-range"}),
        ({"top_ups": [{"seat": 1}]}, {"#/top_ups/0/points": "field-missing"}),
        ({"top_ups": [{"seat": seat, "points": 1} for seat in range(1, 6)]}, {"#/top_ups": "list-length"}),
        ({"top_ups": None}, {"#/top_ups": "field-null"}),
        ({"players": []}, {"#/players": "list-length"}),
        ({"stacks": {"1": 100}}, {"#/stacks": "field-unknown"}),
    ],
)
def test_a_hand_field_of_a_wrong_type_is_refused(
    api: Api, house: House, change: Document, mistakes: dict[str, str]
) -> None:
    round_id = start_round(api)
    records = house.count_records()
    response = api.post(f"/v1/rounds/{round_id}/hands", {**hand(1, 1, THREE), **change})
    assert response.status == 422
    assert response["code"] == "request-invalid"
    assert response.mistakes == mistakes
    assert house.count_records() == records


@pytest.mark.parametrize("result", ["stack", "opening_stack", "stays", "points", "foul"])
def test_a_hand_with_results_is_refused(api: Api, result: str) -> None:
    sent = hand(1, 1, {**THREE, 1: {"board": HIGH, result: 1}})
    response = api.post(f"/v1/rounds/{start_round(api)}/hands", sent)
    assert response.mistakes == {f"#/players/0/{result}": "field-unknown"}


@pytest.mark.parametrize(
    ("sent", "mistakes"),
    [
        ({}, {"#/seat": "field-missing"}),
        ({"seat": "1"}, {"#/seat": "not-an-integer"}),
        ({"seat": 1, "reason": ""}, {"#/reason": "text-length"}),
        ({"seat": 1, "reason": 3}, {"#/reason": "not-a-text"}),
        ({"seat": 1, "after_hand": 1}, {"#/after_hand": "field-unknown"}),
    ],
)
def test_a_departure_field_of_a_wrong_type_is_refused(api: Api, sent: Document, mistakes: dict[str, str]) -> None:
    response = api.post(f"/v1/rounds/{played(api)}/departures", sent)
    assert response.status == 422
    assert response.mistakes == mistakes
