"""Rounds closed early over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    NOBODYS,
    QUEENS,
    SEVENS,
    THREE,
    close,
    hand,
    play,
    play_to_the_end,
    read_round,
    start_round,
)


def test_a_round_is_closed_with_a_reason(api: Api) -> None:
    round_id = start_round(api)
    play(api, round_id, hand(1, 1, THREE))
    closed = close(api, round_id)
    assert closed.status == 200
    assert (closed["status"], closed["next"], closed["hands"], closed["version"]) == ("closed", None, 1, 3)
    assert closed.document == read_round(api, round_id)
    settled = api.get(f"/v1/rounds/{round_id}/settlement")
    assert (settled["state"], settled["revision"]) == ("provisional", 1)
    assert api.get(f"/v1/rounds/{round_id}/document")["closed"] == {"after_hand": 1, "reason": "the room closes"}


def test_a_round_may_be_closed_before_its_first_hand(api: Api) -> None:
    round_id = start_round(api, "progressive-round")
    assert close(api, round_id)["status"] == "closed"
    assert api.get(f"/v1/rounds/{round_id}/settlement")["transfers"] == []


def test_a_closing_ends_the_sequence_and_players_without_points_are_busted(api: Api) -> None:
    round_id = start_round(api, "pineapple-qq", {1: "ann 100", 2: "bob 3"})
    opened = play(api, round_id, hand(1, 1, {1: QUEENS, 2: SEVENS}))["round"]
    assert [(seat["stack"], seat["playing"]) for seat in opened["seats"]] == [(103, True), (0, True)]
    assert [seat["playing"] for seat in close(api, round_id)["seats"]] == [True, False]


@pytest.mark.parametrize("end", [lambda api, id_: play_to_the_end(api, id_), close], ids=["complete", "closed"])
def test_a_round_is_closed_once(api: Api, house: House, end: Callable[[Api, str], Any]) -> None:
    round_id = start_round(api)
    end(api, round_id)
    before = house.count_records()
    status = api.get(f"/v1/rounds/{round_id}")["status"]
    response = close(api, round_id, "again")
    assert response.status == 409
    assert response["code"] == f"round-{status}"
    assert "it accepts no further closing" in response["detail"]
    assert house.count_records() == before


@pytest.mark.parametrize(
    ("request_", "mistakes"),
    [
        ({}, {"#/reason": "field-missing"}),
        ({"reason": ""}, {"#/reason": "text-length"}),
        ({"reason": None}, {"#/reason": "field-null"}),
        ({"reason": "r" * 501}, {"#/reason": "text-length"}),
        ({"reason": "x", "seat": 1}, {"#/seat": "field-unknown"}),
    ],
)
def test_a_closing_needs_a_reason(api: Api, request_: dict[str, Any], mistakes: dict[str, str]) -> None:
    round_id = start_round(api)
    response = api.post(f"/v1/rounds/{round_id}/close", request_)
    assert response.status == 422
    assert response.mistakes == mistakes
    assert api.get(f"/v1/rounds/{round_id}")["status"] == "open"


def test_a_round_of_another_club_is_not_found(api: Api, other_api: Api) -> None:
    round_id = start_round(api)
    for unknown in (round_id, NOBODYS):
        for part in ("", "/hands", "/settlement", "/document"):
            assert other_api.get(f"/v1/rounds/{unknown}{part}")["code"] == "not-found"
        assert close(other_api, unknown).status == 404
    assert api.get(f"/v1/rounds/{round_id}")["version"] == 1
