"""All mistakes of a hand are reported at once."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api_client import Api, ApiResponse
from tests.support.api_corrections import correct
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    NOBODYS,
    QUEENS,
    SEVENS,
    THREE,
    TWO,
    WORKED,
    Document,
    changed,
    complete_round,
    depart,
    document_of,
    hand,
    play,
    start_round,
)


def spoil(played: Document) -> Document:
    """Add four mistakes to a hand: an unknown card, a repeated card, one card too few and a repeated seat."""
    players = played["players"]
    return changed(
        played,
        ("players/0/top/2", "1x"),
        ("players/1/middle/0", players[0]["top"][0]),
        ("players/2/bottom", [*players[2]["bottom"][:3], "Zz"]),
        ("players/2/seat", 1),
    )


MISTAKES = {
    "/players/0/top/2": "card-unknown",
    "/players/1/middle/0": "card-twice",
    "/players/2/bottom": "row-size",
    "/players/2/bottom/3": "card-unknown",
    "/players/2/seat": "seat-twice",
}


def post_hand(api: Api) -> ApiResponse:
    return api.post(f"/v1/rounds/{start_round(api)}/hands", spoil(hand(1, 1, THREE)))


def post_score(api: Api) -> ApiResponse:
    return api.post("/v1/score", spoil(WORKED))


def post_document(api: Api) -> ApiResponse:
    return api.post("/v1/documents", document_of(hands=[COMPLETE[0], spoil(COMPLETE[1])]))


def post_correction(api: Api) -> ApiResponse:
    round_id = start_round(api)
    play(api, round_id, COMPLETE[0])
    return correct(api, round_id, document=document_of(hands=[spoil(COMPLETE[0])]))


@pytest.mark.parametrize(
    ("post", "prefix"),
    [(post_hand, "#"), (post_score, "#"), (post_document, "#/hands/1"), (post_correction, "#/document/hands/0")],
)
def test_an_unknown_card_hides_no_other_mistake(api: Api, post: Callable[[Api], Any], prefix: str) -> None:
    response = post(api)
    assert (response.status, response["code"]) == (422, "request-invalid")
    assert response.mistakes == {prefix + place: code for place, code in MISTAKES.items()}


# --- a hand that cannot be read is checked against its round, as far as it can be read ---

UNREAD = ("players/0/top/2", "1x")
"""An unknown card in the first board."""

QQ = "pineapple-qq"
ONCE = {"seat": 2, "points": 5}


def playing(api: Api, ruleset: str = QQ, sitting: dict[int, str] | None = None, first: Document | None = None) -> str:
    """A round after its first hand."""
    round_id = start_round(api, ruleset, sitting)
    play(api, round_id, first or hand(1, 1, THREE))
    return round_id


def left(api: Api) -> str:
    round_id = playing(api)
    assert depart(api, round_id, 3).status == 201
    return round_id


def one_out(api: Api) -> str:
    """A round in which seat 2 has lost all its points."""
    return playing(api, QQ, {1: "ann 100", 2: "bob 6", 3: "cyd 100"}, hand(1, 1, {1: HIGH, 2: LOW, 3: MID}))


def in_sequence(api: Api) -> str:
    """A round of two in which seat 1 is owed Fantasyland of 14 cards."""
    return playing(api, QQ, {1: "ann 100", 2: "bob 100"}, hand(1, 1, {1: QUEENS, 2: SEVENS}))


Case = tuple[Callable[[Api], str], Document, list[tuple[str, Any]], dict[str, str]]
FOLLOWING: dict[str, Case] = {
    "a number that is not the next": (playing, hand(4, 2, THREE), [], {"number": "hand-number"}),
    "a number that is taken": (playing, hand(1, 2, THREE), [], {"number": "hand-number"}),
    "the button": (playing, hand(2, 3, THREE), [], {"button": "button-wrong"}),
    "the button, which is in no seat": (playing, hand(2, 9, THREE), [], {"button": "seat-unknown"}),
    "a seat that is not in the round": (
        playing,
        hand(2, 2, {1: HIGH, 2: MID, 4: LOW}),
        [],
        {"players/2/seat": "seat-unknown"},
    ),
    "a seat that is missing": (playing, hand(2, 2, TWO), [], {"players": "player-missing"}),
    "a player who has left": (left, hand(2, 2, THREE), [], {"players/2/seat": "player-left"}),
    "a player who is out": (one_out, hand(2, 3, THREE), [], {"players/1/seat": "player-busted"}),
    "Fantasyland that is not earned": (
        playing,
        hand(2, 2, {**THREE, 2: {"board": MID, "fantasyland": 14}}),
        [],
        {"players/1/fantasyland": "fantasyland-not-earned"},
    ),
    "Fantasyland that is owed": (
        in_sequence,
        hand(2, 1, TWO),
        [],
        {"players/0/fantasyland": "fantasyland-owed"},
    ),
    "another Fantasyland": (
        in_sequence,
        hand(2, 1, {1: {"board": HIGH, "fantasyland": 13}, 2: MID}),
        [],
        {"players/0/fantasyland": "fantasyland-count"},
    ),
    "a top-up that the ruleset forbids": (
        lambda api: playing(api, "pineapple"),
        hand(2, 2, THREE, top_ups=[ONCE]),
        [],
        {"top_ups": "top-up-not-allowed"},
    ),
    "a top-up in a sequence": (
        in_sequence,
        hand(2, 1, {1: {"board": HIGH, "fantasyland": 14}, 2: MID}, top_ups=[ONCE]),
        [],
        {"top_ups": "top-up-in-sequence"},
    ),
    "a top-up of nobody": (
        playing,
        hand(2, 2, THREE, top_ups=[{**ONCE, "seat": 7}]),
        [],
        {"top_ups/0/seat": "seat-unknown"},
    ),
    "a top-up twice": (
        playing,
        hand(2, 2, THREE, top_ups=[ONCE, ONCE]),
        [],
        {"top_ups/1/seat": "top-up-twice"},
    ),
    "a player's name": (
        playing,
        hand(2, 2, THREE),
        [("players/1/player", "cyd")],
        {"players/1/player": "player-wrong"},
    ),
    "how many are discarded": (
        playing,
        hand(2, 2, THREE),
        [("players/0/discards", ["Ac"])],
        {"players/0/discards": "discards-count"},
    ),
    "cards that are never dealt": (
        playing,
        hand(1, 1, {**THREE, 1: {"board": HIGH, "fantasyland": 13, "discards": []}}),
        [],
        {"number": "hand-number", "players/0/fantasyland": "fantasyland-cards"},
    ),
    "the round, which is over": (
        complete_round,
        hand(4, 1, THREE),
        [],
        {"": "round-complete"},
    ),
}


@pytest.mark.parametrize(("arrange", "sent", "changes", "mistakes"), FOLLOWING.values(), ids=FOLLOWING)
def test_an_unknown_card_does_not_hide_that_a_hand_does_not_follow(
    api: Api,
    arrange: Callable[[Api], str],
    sent: Document,
    changes: list[tuple[str, Any]],
    mistakes: dict[str, str],
) -> None:
    response = api.post(f"/v1/rounds/{arrange(api)}/hands", changed(sent, UNREAD, *changes))
    assert (response.status, response["code"]) == (422, "request-invalid")
    assert response.mistakes == {
        "#/players/0/top/2": "card-unknown",
        **{f"#/{place}" if place else "#": code for place, code in mistakes.items()},
    }
    assert len(response["errors"]) == len(response.mistakes), "each is named once"


def test_all_mistakes_of_a_hand_are_reported_once_in_order(api: Api) -> None:
    wrong = hand(5, 3, {1: HIGH, 2: {"board": MID, "fantasyland": 14}, 4: LOW}, top_ups=[{"seat": 9, "points": 1}])
    wrong = changed(wrong, UNREAD, ("players/1/bottom/0", "AsX"), ("players/2/top/0", "Ah"), ("extra", 1))
    path = f"/v1/rounds/{playing(api)}/hands"
    response = api.request("POST", path, data=json.dumps(wrong), content_type="application/json")
    assert response["code"] == "request-invalid"
    assert [(mistake["pointer"], mistake["code"]) for mistake in response["errors"]] == [
        ("#/number", "hand-number"),
        ("#/button", "button-wrong"),
        ("#/players/0/top/2", "card-unknown"),
        ("#/players/1/bottom/0", "card-unknown"),
        ("#/players/1/fantasyland", "fantasyland-not-earned"),
        ("#/players/2/seat", "seat-unknown"),
        ("#/players/2/top/0", "card-twice"),
        ("#/top_ups/0/seat", "seat-unknown"),
        ("#/extra", "field-unknown"),
    ]
    assert (response["errors"][0]["received"], response["errors"][0]["expected"]) == (5, 2)


@pytest.mark.parametrize(
    ("arrange", "sent", "changes", "mistakes"),
    [
        (playing, hand(2, 2, THREE), {"number": "2"}, {"number": "not-an-integer"}),
        (playing, hand(2, 3, THREE), {"number": None}, {"number": "field-null", "button": "button-wrong"}),
        (playing, hand(2, 2, THREE), {"button": "2"}, {"button": "not-an-integer"}),
        (playing, hand(2, 2, THREE), {"players/2/seat": "3"}, {"players/2/seat": "not-an-integer"}),
        (playing, hand(2, 2, THREE), {"players/2/seat": 2}, {"players/2/seat": "seat-twice", **dict([UNREAD])}),
        (playing, hand(2, 2, THREE), {"players/2": 3}, {"players/2": "not-an-object"}),
        (playing, hand(2, 2, THREE), {"players": {}}, {"players": "not-a-list"}),
        (playing, hand(2, 2, THREE), {"top_ups": {}}, {"top_ups": "not-a-list"}),
        (in_sequence, hand(2, 1, TWO), {"players/0/fantasyland": "14"}, {"players/0/fantasyland": "not-an-integer"}),
        (in_sequence, hand(2, 1, TWO), {"players/0/fantasylnd": 14}, {"players/0/fantasylnd": "field-unknown"}),
        (one_out, hand(2, 2, THREE), {"top_ups": [{**ONCE, "points": "5"}]}, {"top_ups/0/points": "not-an-integer"}),
        (one_out, hand(2, 2, THREE), {"top_up": [ONCE]}, {"top_up": "field-unknown"}),
        (one_out, hand(2, 2, THREE), {"top_ups": [ONCE], "played_at": 5}, {"played_at": "not-a-time"}),
        (
            in_sequence,
            hand(2, 1, {1: {"board": HIGH, "discards": ["Ac"]}, 2: MID}),
            {"played_at": 5},
            {"played_at": "not-a-time", "players/0/fantasyland": "fantasyland-owed"},
        ),
    ],
)
def test_an_unreadable_value_causes_no_further_mistakes(
    api: Api, arrange: Callable[[Api], str], sent: Document, changes: Document, mistakes: dict[str, str]
) -> None:
    spoiled = changed(sent, *changes.items())
    if UNREAD[0] in mistakes:
        spoiled, mistakes = changed(spoiled, UNREAD), {**mistakes, UNREAD[0]: "card-unknown"}
    response = api.post(f"/v1/rounds/{arrange(api)}/hands", spoiled)
    assert response.status == 422
    assert response.mistakes == {f"#/{place}": code for place, code in mistakes.items()}


def test_an_unreadable_hand_reveals_nothing_about_rounds_of_other_clubs(api: Api, other_api: Api) -> None:
    spoiled = changed(hand(7, 9, THREE), UNREAD)
    for client, round_id in ((other_api, playing(api)), (api, NOBODYS)):
        assert client.post(f"/v1/rounds/{round_id}/hands", spoiled).mistakes == {"#/players/0/top/2": "card-unknown"}
