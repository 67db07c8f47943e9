"""Hands over HTTP: recorded, scored, settled and repeated."""

import json
from hashlib import sha256

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    HIGH,
    KINGS,
    LOW,
    MID,
    QUEENS,
    SEVENS,
    THREE,
    TWO,
    add_table,
    cards,
    close,
    hand,
    open_round,
    play,
    read_round,
    record,
    start_round,
    without,
)

WORKED_HAND = hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS})
SHORT = {1: "ann 3", 2: "bob 50", 3: "cyd 50"}


@pytest.mark.smoke
def test_a_hand_is_scored_settled_and_the_round_moves_on(api: Api) -> None:
    round_id = start_round(api, sitting=SHORT, point_value=100, unit="EUR")
    response = record(api, round_id, {**WORKED_HAND, "played_at": "2026-11-20T21:15:00+01:00"})
    assert response.status == 201
    scored = api.post(
        "/v1/score",
        {
            "ruleset": "pineapple",
            "button": 3,
            "players": [
                {**played, "stack": stack, "player": player}
                for played, stack, player in zip(
                    WORKED_HAND["players"], (3, 50, 50), ("ann", "bob", "cyd"), strict=True
                )
            ],
        },
    )
    assert {name: response[name] for name in scored.document} == scored.document
    assert response["number"] == 1
    assert response["button"] == 3
    assert response["played_at"] == "2026-11-20T20:15:00Z"
    assert response.headers["Location"] == f"/v1/hands/{response['id']}"
    assert "Idempotent-Replayed" not in response.headers
    assert response["round"] == read_round(api, round_id)
    assert response["round"]["next"] == {
        "number": 2,
        "button": 3,
        "seats": [1, 2, 3],
        "fantasyland": {"1": 14, "3": 14},
    }
    assert [seat["stack"] for seat in response["round"]["seats"]] == [8, 46, 49]
    assert (response["round"]["version"], response["round"]["hands"], response["round"]["status"]) == (2, 1, "open")
    assert api.get(response.headers["Location"]).document == response.document
    [listed] = api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    assert listed == {**without(response.document, "round", "metadata"), "corrected": False}


def test_fantasyland_is_played_with_the_same_button_and_then_it_moves(api: Api) -> None:
    round_id = start_round(api, sitting=SHORT)
    play(api, round_id, WORKED_HAND)
    fantasyland = {1: {"board": HIGH, "fantasyland": 14}, 2: MID, 3: {"board": LOW, "fantasyland": 14}}
    after = play(api, round_id, hand(2, 3, fantasyland))["round"]
    assert after["next"] == {"number": 3, "button": 1, "seats": [1, 2, 3], "fantasyland": {}}


def test_a_round_is_complete_when_everyone_has_had_the_button(api: Api) -> None:
    round_id = start_round(api)
    after = play(api, round_id, *[hand(number, button, THREE) for number, button in ((1, 2), (2, 3), (3, 1))])["round"]
    assert (after["status"], after["next"]) == ("complete", None)
    assert api.get(f"/v1/rounds/{round_id}/settlement")["state"] == "provisional"


def test_a_round_is_complete_when_one_player_has_points(api: Api) -> None:
    round_id = start_round(api, sitting={1: "ann 100", 2: "bob 6", 3: "cyd 100"})
    after = play(api, round_id, hand(1, 1, {1: HIGH, 2: LOW, 3: MID}))["round"]
    assert [seat["playing"] for seat in after["seats"]] == [True, False, True]
    assert after["next"]["seats"] == [1, 3]
    lone = start_round(api, sitting={1: "ann 100", 2: "bob 6"}, name="attic")
    after = play(api, lone, hand(1, 1, TWO))["round"]
    assert (after["status"], after["next"]) == ("complete", None)


# --- money ---


def test_a_settlement_lists_the_payments_of_each_hand(api: Api) -> None:
    round_id = start_round(api, sitting={1: "ann 100", 2: "bob 100", 3: "cyd 9"}, point_value=250, unit="EUR")
    response = record(api, round_id, hand(1, 1, THREE))
    settled = api.get(f"/v1/rounds/{round_id}/settlement")
    assert settled["state"] == "open"
    players = {1: "ann", 2: "bob", 3: "cyd"}
    assert settled["transfers"] == [
        {
            **paid,
            "hand": 1,
            "payer_player": players[paid["payer"]],
            "payee_player": players[paid["payee"]],
            "amount": paid["paid"] * 250,
        }
        for paid in response["transfers"]
    ]
    assert settled["players"] == {"1": "ann", "2": "bob", "3": "cyd"}
    round_ = api.get(f"/v1/rounds/{round_id}")
    assert (settled["round"], settled["table"]) == (round_id, round_["table"])
    assert settled["reference"] == round_["reference"]
    assert [(paid["payer"], paid["payee"], paid["due"], paid["paid"]) for paid in settled["transfers"]] == [
        (3, 2, 6, 6),
        (2, 1, 6, 6),
        (3, 1, 6, 3),
    ]
    assert settled["stacks"] == {"1": 109, "2": 100, "3": 0}
    assert settled["net"] == {"1": 9, "2": 0, "3": -9}
    assert settled["standings"] == [
        {"seat": 1, "net": 9, "place": 1},
        {"seat": 2, "net": 0, "place": 2},
        {"seat": 3, "net": -9, "place": 3},
    ]
    assert settled["money"] == {
        "point_value": 250,
        "unit": "EUR",
        "unit_digits": 2,
        "net": {"1": 2250, "2": 0, "3": -2250},
    }


def test_equal_nets_share_a_place(api: Api) -> None:
    round_id = start_round(api, sitting={1: "ann 5", 2: "bob 100", 3: "cyd 200"})
    play(api, round_id, hand(1, 1, {1: LOW, 2: MID, 3: HIGH}))
    close(api, round_id)
    standings = api.get(f"/v1/rounds/{round_id}/settlement")["standings"]
    assert [(standing["seat"], standing["place"]) for standing in standings] == [(3, 1), (2, 2), (1, 3)]
    tied = start_round(api, name="attic")
    play(
        api, tied, hand(1, 1, {1: "AsKd9c / JsJd8c5h2c / TsTd7c7h4s", 2: "AdKh9s / JhJc8s5c2d / ThTc7s7d4c", 3: LOWEST})
    )
    standings = api.get(f"/v1/rounds/{tied}/settlement")["standings"]
    assert [(standing["seat"], standing["place"]) for standing in standings] == [(1, 1), (2, 1), (3, 3)]


LOWEST = "Qs6d5s / 2h2s3d4d5d / 3h3c6s6c8d"


def test_the_largest_stakes_are_settled_exactly(api: Api) -> None:
    """Every number is an integer that every JSON parser reads exactly; a hand with larger numbers is refused."""
    most = 2**53 - 1
    half = most // 2
    round_id = start_round(api, sitting={1: f"ann {half}", 2: f"bob {most - half}"})
    play(api, round_id, hand(1, 1, TWO))
    assert api.get(f"/v1/rounds/{round_id}/settlement")["stacks"] == {"1": half + 6, "2": most - half - 6}
    dear = start_round(api, sitting={1: "ann 1", 2: "bob 9007198"}, name="attic", point_value=10**9, unit="IDR")
    play(api, dear, hand(1, 1, {1: LOW, 2: HIGH}))
    money = api.get(f"/v1/rounds/{dear}/settlement")["money"]
    assert money == {"point_value": 10**9, "unit": "IDR", "unit_digits": 2, "net": {"1": -(10**9), "2": 10**9}}


def test_more_points_than_can_be_counted_exactly_are_refused(api: Api, house: House) -> None:
    table = add_table(api, "pineapple-qq", point_value=10**9, unit="IDR")
    before = house.count_records()
    response = open_round(api, table, {1: "ann 1", 2: "bob 9007199"})
    assert response.status == 422
    assert response["code"] == "round-invalid"
    assert response.mistakes == {"#/seats": "points-overflow"}
    assert response["detail"] == (
        "`seats`: the round would have 9007200 points; expected at most 9007199 at a point value of 1000000000"
    )
    assert house.count_records() == before
    opened = open_round(api, table, {1: "ann 100", 2: "bob 9007000"})
    before = house.count_records()
    added = [{"seat": 1, "points": 100}]
    response = record(api, opened["id"], hand(1, 1, TWO, top_ups=added))
    assert response.mistakes == {"#/top_ups": "points-overflow"}
    assert house.count_records() == before
    assert record(api, opened["id"], hand(1, 1, TWO, top_ups=[{"seat": 1, "points": 99}])).status == 201


# --- scope round ---


def test_under_scope_round_chips_move_with_the_hand_that_completes_it(api: Api) -> None:
    round_id = start_round(api, "progressive-round")
    first, second, last = (
        record(api, round_id, hand(number, button, THREE)) for number, button in ((1, 1), (2, 2), (3, 3))
    )
    for response in (first, second):
        assert response["transfers"] == []
        assert response["stacks"] == {"1": 100, "2": 100, "3": 100}
    assert [(paid["payer"], paid["payee"], paid["paid"]) for paid in last["transfers"]] == [
        (2, 1, 18),
        (3, 1, 18),
        (3, 2, 18),
    ]
    assert last["stacks"] == {"1": 136, "2": 100, "3": 64}
    assert last["round"]["status"] == "complete"
    settled = api.get(f"/v1/rounds/{round_id}/settlement")
    assert {paid["hand"] for paid in settled["transfers"]} == {3}
    assert api.get(f"/v1/hands/{last['id']}").document == last.document
    assert api.get(f"/v1/hands/{first['id']}")["transfers"] == []


def test_under_scope_round_a_closing_settles_the_totals(api: Api) -> None:
    round_id = start_round(api, "progressive-round", {1: "ann 100", 2: "bob 10", 3: "cyd 100"})
    play(api, round_id, hand(1, 1, THREE), hand(2, 2, THREE))
    assert [seat["stack"] for seat in api.get(f"/v1/rounds/{round_id}")["seats"]] == [100, 10, 100]
    closed = close(api, round_id)
    assert [seat["stack"] for seat in closed["seats"]] == [124, 8, 78]
    settled = api.get(f"/v1/rounds/{round_id}/settlement")
    assert [
        (paid["payer"], paid["payee"], paid["due"], paid["paid"], paid["hand"]) for paid in settled["transfers"]
    ] == [
        (3, 1, 12, 12, 2),
        (3, 2, 12, 10, 2),
        (2, 1, 12, 12, 2),
    ]
    assert settled["transfers"][1]["limited_by"] == "winner_room"
    assert settled["stacks"] == {"1": 124, "2": 8, "3": 78}
    [_, last] = api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    assert last["transfers"] == [], "they came with the closing, not with the hand"
    assert last["stacks"] == {"1": 100, "2": 10, "3": 100}


# --- what is expected ---


def test_a_hand_with_another_result_than_expected_is_not_stored(api: Api, house: House) -> None:
    round_id = start_round(api)
    records = house.count_records()
    response = record(
        api, round_id, hand(1, 1, THREE, expected={"stacks": {"1": 111}, "round": {"status": "complete"}})
    )
    assert response.status == 422
    assert response["code"] == "expected-differs"
    assert {mistake["pointer"]: mistake["detail"] for mistake in response["errors"]} == {
        "#/expected/stacks/1": "`expected.stacks['1']`: 111 is expected; the result is 112",
        "#/expected/round/status": "`expected.round.status`: 'complete' is expected; the result is 'open'",
    }
    assert house.count_records() == records
    assert api.get(f"/v1/rounds/{round_id}")["hands"] == 0
    right = {"stacks": {"1": 112}, "round": {"next": {"button": 2}}, "players": [{"player": "ann"}, {}, {}]}
    assert record(api, round_id, hand(1, 1, THREE, expected=right)).status == 201


def test_expected_may_be_null(api: Api) -> None:
    assert record(api, start_round(api), hand(1, 1, THREE, expected=None)).status == 201


# --- as it came ---


def test_the_request_body_is_stored(api: Api, house: House) -> None:
    round_id = start_round(api)
    body = json.dumps(hand(1, 1.0, THREE), indent=3).encode() + b"\n \n"
    response = api.request(
        "POST", f"/v1/rounds/{round_id}/hands", data=body, headers={"Content-Type": "application/json"}
    )
    assert response.status == 201
    [stored] = house.query(
        "SELECT s.content, s.sha256, s.kind, h.boards, h.seats, h.fantasyland, c.ruleset_name, c.ruleset_version,"
        " c.scorer_version FROM hands h JOIN submissions s ON s.id = h.submission_id"
        " JOIN hand_scores c ON c.hand_id = h.id WHERE h.id = %s",
        response["id"],
    )
    content, digest, kind, boards, seats, fantasyland, *versions = stored
    assert bytes(content) == body
    assert bytes(digest) == sha256(body).digest()
    assert kind == "hand"
    assert seats == [1, 2, 3]
    assert fantasyland == [0, 0, 0]
    assert versions == ["pineapple", 1, 1]
    assert len(boards) == 13 * 3
    assert unpacked(boards) == [card for board in (HIGH, MID, LOW) for card in cards(board.replace("/", ""))]


def unpacked(boards: bytes) -> list[str]:
    """Cards by number: from the deuce of clubs, 0, to the ace of spades, 51."""
    return ["23456789TJQKA"[number // 4] + "cdhs"[number % 4] for number in boards]


def test_every_change_is_an_event_with_its_key_and_request(api: Api, house: House) -> None:
    round_id = start_round(api)
    response = record(api, round_id, hand(1, 1, THREE))
    record(api, round_id, hand(1, 1, THREE))
    close(api, round_id)
    events = house.query(
        "SELECT e.sequence, e.kind, e.request_id, k.id IS NOT NULL FROM events e LEFT JOIN api_keys k ON k.id = e.actor"
        " WHERE e.round_id = %s ORDER BY e.sequence",
        round_id,
    )
    assert [(sequence, has_key) for sequence, _, _, has_key in events] == [(1, True), (2, True), (3, True)]
    assert len({kind for _, kind, _, _ in events}) == 3
    assert events[1][2] == response.headers["Request-Id"]
