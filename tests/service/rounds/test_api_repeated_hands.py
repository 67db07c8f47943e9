"""Hands that are sent again: the stored record is the response, and nothing is recorded twice."""

import json
from typing import Any

import pytest

from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.sample_rounds import (
    HIGH,
    MID,
    QUEENS,
    SEVENS,
    THREE,
    Document,
    cards,
    close,
    hand,
    play,
    read_round,
    record,
    start_round,
    without,
)

# --- the same hand again ---


def replayed(first: ApiResponse, again: ApiResponse) -> bool:
    assert again.status == 201
    assert again.headers["Location"] == first.headers["Location"]
    assert without(again.document, "round") == without(first.document, "round")
    return again.headers.get("Idempotent-Replayed") == "true"


def test_the_same_hand_again_returns_the_stored_record(api: Api, house: House) -> None:
    round_id = start_round(api)
    first = record(api, round_id, hand(1, 1, THREE))
    records = house.count_records()
    again = record(api, round_id, hand(1, 1, THREE))
    assert replayed(first, again)
    assert again.document == first.document
    assert house.count_records() == records


@pytest.mark.parametrize("ends", ["with more hands", "complete", "closed"])
def test_a_repeated_hand_is_a_replay_at_any_later_time(api: Api, house: House, ends: str) -> None:
    round_id = start_round(api)
    first = record(api, round_id, hand(1, 1, THREE))
    play(api, round_id, hand(2, 2, THREE))
    if ends == "complete":
        play(api, round_id, hand(3, 3, THREE))
    elif ends == "closed":
        close(api, round_id)
    records = house.count_records()
    again = record(api, round_id, hand(1, 1, THREE))
    assert replayed(first, again)
    assert again["round"] == read_round(api, round_id)
    assert house.count_records() == records


def same_in_other_words() -> dict[str, Document]:
    first = hand(1, 1, {1: {"board": HIGH, "discards": cards("2d3dQh5s")}, 2: MID})
    ann, bob = first["players"]
    return {
        "keys in another order": {
            **dict(reversed(first.items())),
            "players": [dict(reversed(ann.items())), dict(reversed(bob.items()))],
        },
        "players in another order": {**first, "players": [bob, ann]},
        "unknown values given as null": {**first, "played_at": None, "players": [ann, {**bob, "discards": None}]},
        "default values given": {**first, "top_ups": [], "players": [{**ann, "fantasyland": 0}, bob]},
        "numbers with a point": {**first, "number": 1.0, "button": 1.0},
        "with what is expected": {**first, "expected": {"number": 1}},
    }


@pytest.mark.parametrize("words", same_in_other_words())
def test_a_hand_in_another_json_notation_is_a_replay(api: Api, words: str) -> None:
    round_id = start_round(api, sitting={1: "ann 100", 2: "bob 100"})
    first = record(api, round_id, hand(1, 1, {1: {"board": HIGH, "discards": cards("2d3dQh5s")}, 2: MID}))
    assert replayed(first, record(api, round_id, same_in_other_words()[words]))


def test_a_time_is_the_same_in_another_zone(api: Api) -> None:
    round_id = start_round(api)
    first = record(api, round_id, hand(1, 1, THREE, played_at="2026-11-20T20:15:00.5Z"))
    for same in ("2026-11-20T21:15:00.500+01:00", "2026-11-20t20:15:00.500000z", "2026-11-20 20:15:00.5-00:00"):
        assert replayed(first, record(api, round_id, hand(1, 1, THREE, played_at=same)))


def test_a_hand_with_every_field_is_a_replay(api: Api) -> None:
    round_id = start_round(api, "pineapple-qq", sitting={1: "ann 100", 2: "bob 100"})
    play(api, round_id, hand(1, 1, {1: QUEENS, 2: SEVENS}))
    street = {
        "dealt": cards("AsAdTcTh4sJsJd8c5h2cAhKd9c3d"),
        "top": cards("AhKd9c"),
        "middle": cards("JsJd8c5h2c"),
        "bottom": cards("AsAdTcTh4s"),
        "discards": ["3d"],
        "auto": cards("3dAhKd"),
    }
    fantasyland = {"board": HIGH, "fantasyland": 14, "discards": ["3d"], "streets": [street]}
    second = hand(2, 1, {1: fantasyland, 2: {"board": MID, "discards": None}}, played_at="2026-11-20T20:15:00Z")
    first = record(api, round_id, second)
    assert first.status == 201
    assert replayed(first, record(api, round_id, second))
    stored = api.get(f"/v1/rounds/{round_id}/document")["hands"][1]
    assert stored["players"][0] == {"seat": 1, **without(fantasyland, "board"), **{row: street[row] for row in ROWS}}


ROWS = ("top", "middle", "bottom")


def test_a_replay_preserves_the_first_request_body(api: Api, house: House) -> None:
    round_id = start_round(api)
    response = record(api, round_id, hand(1, 1, THREE))
    api.request("POST", f"/v1/rounds/{round_id}/hands", json={"expected": {}, **hand(1, 1, THREE)})
    assert house.query("SELECT count(*) FROM hands WHERE round_id = %s", round_id) == [(1,)]
    [(content,)] = house.query(
        "SELECT content FROM submissions WHERE id = (SELECT submission_id FROM hands WHERE id = %s)", response["id"]
    )
    assert "expected" not in json.loads(bytes(content))


def test_players_can_be_identified_in_their_boards(api: Api, house: House) -> None:
    round_id = start_round(api)
    named: Any = hand(1, 1, {**THREE, 1: {"board": HIGH, "player": "ann"}, 2: {"board": MID, "player": None}})
    records = house.count_records()
    wrong = {**named, "players": [{**named["players"][0], "player": "bob"}, *named["players"][1:]]}
    response = record(api, round_id, wrong)
    assert response.status == 422
    assert response["code"] == "hand-invalid"
    assert response.mistakes == {"#/players/0/player": "player-wrong"}
    assert response["errors"][0]["detail"] == "`players[0].player` is 'bob'; expected 'ann', the player in seat 1"
    assert house.count_records() == records
    first = record(api, round_id, named)
    assert first.status == 201
    assert replayed(first, record(api, round_id, hand(1, 1, THREE)))
