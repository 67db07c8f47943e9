"""Departures and top-ups between two hands, over HTTP."""

from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    QUEENS,
    SEVENS,
    THREE,
    TWO,
    changed,
    close,
    depart,
    hand,
    open_round,
    play,
    read_round,
    record,
    start_round,
    without,
)

QQ = "pineapple-qq"


def test_a_player_who_left_cannot_return(api: Api) -> None:
    round_id = start_round(api, QQ)
    play(api, round_id, hand(1, 1, THREE))
    response = depart(api, round_id, 3, reason="last train")
    assert response.status == 201
    assert [seat["playing"] for seat in response["seats"]] == [True, True, False]
    assert response["next"] == {"number": 2, "button": 2, "seats": [1, 2], "fantasyland": {}}
    assert (response["version"], response["hands"], response["status"]) == (3, 1, "open")
    assert response.document == read_round(api, round_id)
    after = play(api, round_id, hand(2, 2, TWO))
    assert after["stacks"] == {"1": 118, "2": 94, "3": 88}, "everyone of the round, the absent too"
    assert [scored["seat"] for scored in after["players"]] == [1, 2]
    assert after["round"]["status"] == "complete"
    document = api.get(f"/v1/rounds/{round_id}/document").document
    assert document["departures"] == [{"seat": 3, "after_hand": 1, "reason": "last train"}]


def test_a_departure_can_complete_a_round(api: Api) -> None:
    round_id = start_round(api, QQ, {1: "ann 100", 2: "bob 100"})
    play(api, round_id, hand(1, 1, TWO))
    response = depart(api, round_id, 1)
    assert (response["status"], response["next"]) == ("complete", None)
    assert open_round(api, response["table"], {1: "ann", 2: "bob"}).status == 201


def test_a_departure_that_completes_a_round_of_scope_round_settles_it(api: Api, house: House) -> None:
    rules = changed(
        api.get("/v1/rulesets/progressive-round").document, ("name", "leave-early"), ("leaving", "between_hands")
    )
    api.post("/v1/rulesets", rules)
    round_id = start_round(api, "leave-early")
    last = play(api, round_id, hand(1, 1, THREE))
    assert last["transfers"] == []
    assert depart(api, round_id, 2)["status"] == "open"
    assert api.get(f"/v1/rounds/{round_id}/settlement")["transfers"] == []
    assert depart(api, round_id, 3)["status"] == "complete"
    settled = api.get(f"/v1/rounds/{round_id}/settlement")
    assert [(paid["hand"], paid["payer"], paid["payee"], paid["paid"]) for paid in settled["transfers"]] == [
        (1, 3, 2, 6),
        (1, 2, 1, 6),
        (1, 3, 1, 6),
    ]
    assert settled["stacks"] == {"1": 112, "2": 100, "3": 88}
    assert api.get(f"/v1/hands/{last['id']}")["stacks"] == {"1": 100, "2": 100, "3": 100}
    assert house.query("SELECT number, stacks_before, stacks FROM payouts WHERE round_id = %s", round_id) == [
        (1, [100, 100, 100], [112, 100, 88])
    ]


def test_a_busted_player_may_leave_and_cannot_return(api: Api) -> None:
    round_id = start_round(api, QQ, {1: "ann 100", 2: "bob 6", 3: "cyd 100"})
    play(api, round_id, hand(1, 2, {1: HIGH, 2: LOW, 3: MID}))
    assert depart(api, round_id, 2).status == 201
    refused = record(api, round_id, hand(2, 3, THREE, top_ups=[{"seat": 2, "points": 50}]))
    assert refused.mistakes["#/top_ups/0/seat"] == "top-up-after-departure"


def test_a_player_outside_the_sequence_may_leave_during_it(api: Api) -> None:
    round_id = start_round(api, QQ, {1: "ann 100", 2: "bob 100", 3: "cyd 6"})
    play(api, round_id, hand(1, 1, {1: HIGH, 2: MID, 3: LOW}))
    play(api, round_id, hand(2, 2, {1: QUEENS, 2: SEVENS}))
    for playing in (1, 2):
        assert depart(api, round_id, playing).mistakes == {"#/seat": "departure-in-sequence"}
    assert depart(api, round_id, 3).status == 201


def test_top_ups_count_before_the_hand(api: Api) -> None:
    round_id = start_round(api, QQ, {1: "ann 100", 2: "bob 6", 3: "cyd 100"}, point_value=10, unit="EUR")
    play(api, round_id, hand(1, 1, {1: HIGH, 2: LOW, 3: MID}))
    assert api.get(f"/v1/rounds/{round_id}")["next"]["seats"] == [1, 3]
    added = [{"seat": 3, "points": 5}, {"seat": 2, "points": 40}]
    response = record(api, round_id, hand(2, 2, THREE, top_ups=added))
    assert response.status == 201, "one who is out plays on with them, and has the button"
    seats = {seat["seat"]: seat for seat in response["round"]["seats"]}
    assert [(seats[seat]["opening_stack"], seats[seat]["top_ups"]) for seat in (1, 2, 3)] == [
        (100, 0),
        (6, 40),
        (100, 5),
    ]
    assert response["stacks"] == {"1": 118, "2": 40, "3": 93}
    settled = api.get(f"/v1/rounds/{round_id}/settlement")
    assert settled["net"] == {"1": 18, "2": -6, "3": -12}
    assert settled["money"]["net"] == {"1": 180, "2": -60, "3": -120}
    assert sum(settled["stacks"].values()) == 206 + 45
    hands = api.get(f"/v1/rounds/{round_id}/document")["hands"]
    assert hands[0]["top_ups"] == []
    assert hands[1]["top_ups"] == [{"seat": 2, "points": 40}, {"seat": 3, "points": 5}]


def test_the_first_hand_may_have_top_ups(api: Api) -> None:
    round_id = start_round(api, QQ)
    response = record(api, round_id, hand(1, 1, THREE, top_ups=[{"seat": 1, "points": 1}]))
    assert response["stacks"] == {"1": 113, "2": 100, "3": 88}


def test_the_order_of_top_ups_does_not_matter(api: Api) -> None:
    round_id = start_round(api, QQ)
    added = [{"seat": 1, "points": 1}, {"seat": 2, "points": 2}]
    first = record(api, round_id, hand(1, 1, THREE, top_ups=added))
    again = record(api, round_id, hand(1, 1, THREE, top_ups=added[::-1]))
    assert again.document == first.document
    assert record(api, round_id, hand(1, 1, THREE, top_ups=added[:1])).status == 409


def test_departures_are_numbered_in_the_order_in_which_they_happened(api: Api) -> None:
    round_id = start_round(api, QQ)
    play(api, round_id, hand(1, 1, THREE))
    depart(api, round_id, 3)
    play(api, round_id, hand(2, 2, TWO))
    assert depart(api, round_id, 2)["code"] == "round-complete"
    other = start_round(api, QQ, name="attic")
    play(api, other, hand(1, 1, THREE))
    depart(api, other, 2)
    close(api, other)
    document = api.get(f"/v1/rounds/{other}/document").document
    assert document["departures"] == [{"seat": 2, "after_hand": 1, "reason": None}]
    assert document["closed"] == {"after_hand": 1, "reason": "the room closes"}


@pytest.mark.parametrize(("operation", "body"), [("departures", {"seat": 3}), ("close", {"reason": "midnight"})])
def test_an_ending_is_refused_if_another_hand_was_recorded_meanwhile(
    api: Api, operation: str, body: dict[str, Any]
) -> None:
    round_id = start_round(api, QQ)
    path = f"/v1/rounds/{round_id}"
    play(api, round_id, hand(1, 1, THREE))
    expected = {**body, "expected": {"hands": 1}}
    play(api, round_id, hand(2, 2, THREE))
    before = api.get(path).document
    response = api.post(f"{path}/{operation}", expected)
    assert (response.status, response["code"]) == (422, "expected-differs")
    [error] = response["errors"]
    assert (error["pointer"], error["detail"]) == (
        "#/expected/hands",
        "`expected.hands`: 1 is expected; the result is 2",
    )
    assert api.get(path).document == before
    response = api.post(f"{path}/{operation}", {**body, "expected": {"hands": 2}})
    assert response.status in (200, 201), response
    assert response.document == without(api.get(path).document, "metadata")
