"""Hands, departures and top-ups that do not follow are refused, and nothing is stored."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    NOBODYS,
    QUEENS,
    SEVENS,
    THREE,
    TWO,
    Document,
    close,
    depart,
    hand,
    play,
    record,
    start_round,
)

Request = tuple[str, Document]
QQ = "pineapple-qq"
PAIR = {1: "ann 100", 2: "bob 100"}


def played(api: Api, *, leaving: int | None = None, ruleset: str = QQ) -> str:
    """A round of three after its first hand, perhaps with one gone."""
    round_id = start_round(api, ruleset)
    play(api, round_id, hand(1, 1, THREE))
    if leaving:
        assert depart(api, round_id, leaving).status == 201
    return round_id


def with_one_out(api: Api) -> str:
    """A round whose seat 2 has lost its 6 points with the button."""
    round_id = start_round(api, QQ, {1: "ann 100", 2: "bob 6", 3: "cyd 100"})
    play(api, round_id, hand(1, 2, {1: HIGH, 2: LOW, 3: MID}))
    return round_id


def in_sequence(api: Api, ruleset: str = QQ) -> str:
    """A round of two in which seat 1 is owed Fantasyland of 14 cards."""
    round_id = start_round(api, ruleset, PAIR)
    play(api, round_id, hand(1, 1, {1: QUEENS, 2: SEVENS}))
    return round_id


def complete(api: Api) -> str:
    round_id = start_round(api, QQ, PAIR)
    play(api, round_id, hand(1, 1, TWO), hand(2, 2, TWO))
    return round_id


def closed(api: Api) -> str:
    round_id = played(api)
    close(api, round_id)
    return round_id


def next_hand(round_id: str, played: Document) -> Request:
    return f"/v1/rounds/{round_id}/hands", played


def leave(round_id: str, seat: int, **others: str) -> Request:
    return f"/v1/rounds/{round_id}/departures", {"seat": seat, **others}


def fantasy(board: str, cards: int) -> Document:
    return {"board": board, "fantasyland": cards}


REFUSED: list[tuple[str, str, Callable[[Api], Request], str]] = [
    (
        "hand-number",
        "#/number",
        lambda api: next_hand(played(api), hand(3, 2, THREE)),
        "hand 3 was received; expected hand 2",
    ),
    (
        "hand-number",
        "#/number",
        lambda api: next_hand(start_round(api), hand(2, 1, THREE)),
        "hand 2 was received; expected hand 1",
    ),
    (
        "button-wrong",
        "#/button",
        lambda api: next_hand(played(api), hand(2, 3, THREE)),
        "the button is in seat 3; expected seat 2: it moves to the next seat still playing",
    ),
    (
        "button-wrong",
        "#/button",
        lambda api: next_hand(in_sequence(api), hand(2, 2, {1: fantasy(HIGH, 14), 2: MID})),
        "the button is in seat 2; expected seat 1: it stays while Fantasyland is owed",
    ),
    (
        "button-wrong",
        "#/button",
        lambda api: next_hand(with_one_out(api), hand(2, 2, {1: HIGH, 3: LOW})),
        "the button is in seat 2; expected seat 3",
    ),
    (
        "seat-unknown",
        "#/button",
        lambda api: next_hand(start_round(api), hand(1, 9, THREE)),
        "seat 9 is not in the round; its seats are 1, 2, 3",
    ),
    (
        "seat-unknown",
        "#/players/2/seat",
        lambda api: next_hand(played(api), hand(2, 2, {**TWO, 4: LOW})),
        "seat 4 is not in the round; its seats are 1, 2, 3",
    ),
    (
        "seat-unknown",
        "#/top_ups/0/seat",
        lambda api: next_hand(played(api), hand(2, 2, THREE, top_ups=[{"seat": 4, "points": 5}])),
        "seat 4 is not in the round; its seats are 1, 2, 3",
    ),
    ("seat-unknown", "#/seat", lambda api: leave(played(api), 4), "seat 4 is not in the round; its seats are 1, 2, 3"),
    (
        "seat-twice",
        "#/players/3/seat",
        lambda api: next_hand(
            played(api), {**(three := hand(2, 2, THREE)), "players": [*three["players"], three["players"][0]]}
        ),
        "seat 1 plays twice; expected one board per seat",
    ),
    (
        "player-missing",
        "#/players",
        lambda api: next_hand(played(api), hand(2, 2, TWO)),
        "seat 3 is missing; expected seats 1, 2, 3",
    ),
    (
        "player-left",
        "#/players/2/seat",
        lambda api: next_hand(played(api, leaving=3), hand(2, 2, THREE)),
        "seat 3 has left the round; expected seats 1, 2",
    ),
    (
        "player-busted",
        "#/players/1/seat",
        lambda api: next_hand(with_one_out(api), hand(2, 3, THREE)),
        "seat 2 is busted; expected seats 1, 3",
    ),
    (
        "fantasyland-not-earned",
        "#/players/1/fantasyland",
        lambda api: next_hand(played(api), hand(2, 2, {**THREE, 2: fantasy(MID, 14)})),
        "seat 2 is in Fantasyland and has not earned it in the hand before; expected 0",
    ),
    (
        "fantasyland-not-earned",
        "#/players/0/fantasyland",
        lambda api: next_hand(start_round(api), hand(1, 1, {**THREE, 1: fantasy(HIGH, 14)})),
        "seat 1 is in Fantasyland and has not earned it",
    ),
    (
        "fantasyland-owed",
        "#/players/0/fantasyland",
        lambda api: next_hand(in_sequence(api), hand(2, 1, TWO)),
        "seat 1 has no Fantasyland; expected 14 cards, as earned in the hand before",
    ),
    (
        "fantasyland-count",
        "#/players/0/fantasyland",
        lambda api: next_hand(in_sequence(api, "progressive"), hand(2, 1, {1: fantasy(HIGH, 15), 2: MID})),
        "seat 1 was dealt 15 cards in Fantasyland; expected 14, as earned in the hand before",
    ),
    (
        "fantasyland-cards",
        "#/players/0/fantasyland",
        lambda api: next_hand(in_sequence(api), hand(2, 1, {1: fantasy(HIGH, 13), 2: MID})),
        "Fantasyland of 13 cards is never dealt under pineapple-qq@1; expected 0 or 14",
    ),
    (
        "card-twice",
        "#/players/1/top/0",
        lambda api: next_hand(played(api), hand(2, 2, {1: HIGH, 2: HIGH, 3: LOW})),
        "Ah is already in the top of seat 1",
    ),
    (
        "discards-count",
        "#/players/0/discards",
        lambda api: next_hand(played(api), hand(2, 2, {**THREE, 1: {"board": HIGH, "discards": ["2d"]}})),
        "1 discards are given; expected 4 of the 17 cards dealt",
    ),
    (
        "top-up-not-allowed",
        "#/top_ups",
        lambda api: next_hand(start_round(api), hand(1, 1, THREE, top_ups=[{"seat": 1, "points": 5}])),
        "pineapple@1 lets points be added between rounds only; expected no top-ups",
    ),
    (
        "top-up-in-sequence",
        "#/top_ups",
        lambda api: next_hand(
            in_sequence(api), hand(2, 1, {1: fantasy(HIGH, 14), 2: MID}, top_ups=[{"seat": 2, "points": 5}])
        ),
        "points can be added once the sequence has ended",
    ),
    (
        "top-up-after-departure",
        "#/top_ups/0/seat",
        lambda api: next_hand(played(api, leaving=3), hand(2, 2, TWO, top_ups=[{"seat": 3, "points": 5}])),
        "seat 3 has left; only players who have not can add points",
    ),
    (
        "top-up-twice",
        "#/top_ups/1/seat",
        lambda api: next_hand(played(api), hand(2, 2, THREE, top_ups=[{"seat": 3, "points": 5}] * 2)),
        "seat 3 adds points twice; give their sum once",
    ),
    (
        "departure-not-allowed",
        "#/seat",
        lambda api: leave(played(api, ruleset="pineapple"), 1),
        "pineapple@1 lets players leave between rounds only; seat 1 plays the round to its end",
    ),
    (
        "departure-before-first-hand",
        "#",
        lambda api: leave(start_round(api, QQ), 1),
        "no hand has been played; a player can leave after the first hand",
    ),
    (
        "departure-twice",
        "#/seat",
        lambda api: leave(played(api, leaving=3), 3, reason="for another reason"),
        "seat 3 has left already",
    ),
    (
        "departure-in-sequence",
        "#/seat",
        lambda api: leave(in_sequence(api), 2),
        "seat 2 plays the Fantasyland hand that comes next; they can leave once the sequence has ended",
    ),
    (
        "round-complete",
        "#",
        lambda api: next_hand(complete(api), hand(3, 1, TWO)),
        "the round is complete after hand 2; it accepts no further hand",
    ),
    ("round-complete", "#", lambda api: leave(complete(api), 1), "it accepts no further departure"),
    (
        "round-closed",
        "#",
        lambda api: next_hand(closed(api), hand(2, 2, THREE)),
        "the round was closed after hand 1; it accepts no further hand",
    ),
    ("round-closed", "#", lambda api: leave(closed(api), 1), "it accepts no further departure"),
]


@pytest.mark.parametrize(("code", "pointer", "arrange", "words"), REFUSED, ids=[case[0] for case in REFUSED])
def test_a_hand_that_does_not_follow_is_refused_and_not_stored(
    api: Api, house: House, code: str, pointer: str, arrange: Callable[[Api], Request], words: str
) -> None:
    path, document = arrange(api)
    round_path = path.rpartition("/")[0]
    records, before = house.count_records(), api.get(round_path).document
    response = api.post(path, document if "departures" in path else {**document, "dealt_again": True})
    assert response.status == (409 if code in ("round-complete", "round-closed", "hand-number") else 422)
    kind = "round-invalid" if "departures" in path else "hand-invalid"
    assert response["code"] == (code if response.status == 409 else kind)
    details = [
        mistake["detail"] for mistake in response["errors"] if (mistake["code"], mistake["pointer"]) == (code, pointer)
    ]
    assert len(details) == 1
    assert words in details[0]
    assert house.count_records() == records
    assert api.get(round_path).document == before


def test_all_mistakes_of_a_hand_that_does_not_follow_are_reported(api: Api) -> None:
    wrong = hand(4, 3, {1: fantasy(HIGH, 14), 2: HIGH}, top_ups=[{"seat": 7, "points": 1}, {"seat": 1, "points": 1}])
    response = api.post(f"/v1/rounds/{played(api)}/hands", wrong)
    assert (
        response.mistakes.items()
        >= {
            "#/top_ups/0/seat": "seat-unknown",
            "#/number": "hand-number",
            "#/button": "button-wrong",
            "#/players": "player-missing",
            "#/players/0/fantasyland": "fantasyland-not-earned",
            "#/players/1/top/0": "card-twice",
        }.items()
    )
    assert response["code"] == "hand-number"
    assert response["errors"][0]["detail"] == f"`number`: {response['detail']}"


# --- another hand with a number that is taken ---


@pytest.mark.parametrize(
    ("other", "pointers"),
    [
        (hand(1, 2, THREE), {"#/button"}),
        (hand(1, 1, {**THREE, 1: "AhKd9c / JsJd8c5h2c / AsAdTcTh5s"}), {"#/players/0/bottom"}),
        (hand(1, 1, {1: HIGH, 3: LOW}), {"#/players"}),
    ],
    ids=["another button", "another card", "without a player"],
)
@pytest.mark.parametrize("state", [played, closed])
def test_another_hand_with_a_recorded_number_is_a_conflict(
    api: Api, house: House, state: Callable[[Api], str], other: Document, pointers: set[str]
) -> None:
    round_id = state(api)
    records = house.count_records()
    response = record(api, round_id, other)
    assert response.status == 409
    assert response["code"] == "hand-conflict"
    assert response.mistakes == dict.fromkeys(pointers, "hand-conflict")
    following = "expected hand 2" if state is played else "expected no further hand"
    assert response["detail"] == f"hand 1 of this round is recorded with other content; {following}"
    assert house.count_records() == records


def test_a_recorded_number_is_a_conflict_in_a_complete_round_too(api: Api) -> None:
    response = record(api, complete(api), hand(1, 1, {1: MID, 2: HIGH}))
    assert (response.status, response["code"]) == (409, "hand-conflict")
    assert {mistake["recorded"] is None for mistake in response["errors"]} == {False}
    assert len(response["errors"]) == 6


def test_a_hand_for_a_round_of_another_club_or_none_is_not_found(api: Api, other_api: Api, house: House) -> None:
    round_id = start_round(api, QQ)
    records = house.count_records()
    for client, address in ((other_api, round_id), (api, NOBODYS)):
        assert client.post(f"/v1/rounds/{address}/hands", hand(1, 1, THREE))["code"] == "not-found"
        assert depart(client, address, 1)["code"] == "not-found"
        assert client.get(f"/v1/hands/{address}").status == 404
    assert house.count_records() == records


def test_a_hand_of_another_club_is_not_found(api: Api, other_api: Api) -> None:
    response: Any = play(api, start_round(api), hand(1, 1, THREE))
    assert api.get(f"/v1/hands/{response['id']}").status == 200
    assert other_api.get(f"/v1/hands/{response['id']}")["code"] == "not-found"
