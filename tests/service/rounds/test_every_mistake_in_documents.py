"""All mistakes of a document are reported at once, as far as it can be parsed."""

from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.api_corrections import correct
from tests.support.application import House
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    QUEENS,
    SEVENS,
    THREE,
    TWO,
    Document,
    changed,
    complete_round,
    document_of,
    hand,
)

UNREAD = ("players/0/top/2", "1x")
"""An unknown card in the first board of a hand."""


def put(index: int, place: str, value: Any) -> tuple[str, Any]:
    """A change of one hand of a document."""
    return f"hands/{index}/{place}", value


def unread(index: int) -> tuple[str, Any]:
    return put(index, *UNREAD)


SECOND_LOSES = [hand(1, 1, {1: HIGH, 2: LOW, 3: MID}), hand(2, 3, {1: HIGH, 3: LOW})]
"""Seat 2 opens with 6 points and is out after the first hand."""

DOCUMENTS: dict[str, tuple[Document, list[tuple[str, Any]], dict[str, str]]] = {
    "the unreadable hand itself": (
        document_of(hands=COMPLETE),
        [unread(1), put(1, "button", 3), put(1, "players/1/fantasyland", 14)],
        {"hands/1/button": "button-wrong", "hands/1/players/1/fantasyland": "fantasyland-not-earned"},
    ),
    "a hand before it": (
        document_of(hands=COMPLETE),
        [unread(2), put(1, "button", 3), put(2, "players/0/seat", 4)],
        {"hands/1/button": "button-wrong", "hands/2/players/0/seat": "seat-unknown"},
    ),
    "the button of a later hand": (
        document_of(hands=COMPLETE),
        [unread(0), put(2, "button", 1)],
        {"hands/2/button": "button-wrong"},
    ),
    "the button of the next hand, which may have stayed": (
        document_of(hands=COMPLETE),
        [unread(0), put(1, "button", 1)],
        {},
    ),
    "the button of the next hand, which cannot be there": (
        document_of(hands=COMPLETE),
        [unread(0), put(1, "button", 3), put(2, "button", 1)],
        {"hands/1/button": "button-wrong"},
    ),
    "the button of a later hand, where nobody earned Fantasyland": (
        document_of(hands=COMPLETE),
        [unread(0), put(2, "button", 2)],
        {"hands/2/button": "button-wrong"},
    ),
    "a button that cannot be read": (
        document_of(hands=COMPLETE),
        [put(1, "button", "2"), put(2, "button", 1)],
        {"hands/1/button": "not-an-integer"},
    ),
    "seats and numbers of later hands": (
        document_of(hands=COMPLETE),
        [unread(0), put(1, "number", 7), put(1, "players/0/seat", 5), put(2, "button", 9)],
        {"hands/1/number": "hand-number", "hands/1/players/0/seat": "seat-unknown", "hands/2/button": "seat-unknown"},
    ),
    "what is never dealt in a later hand": (
        document_of(hands=COMPLETE),
        [unread(0), put(2, "players/0/discards", ["Ac"]), put(2, "players/1/fantasyland", 12)],
        {"hands/2/players/0/discards": "discards-count", "hands/2/players/1/fantasyland": "fantasyland-cards"},
    ),
    "top-ups of a later hand": (
        document_of(hands=COMPLETE),
        [unread(0), put(2, "top_ups", [{"seat": 2, "points": 5}])],
        {"hands/2/top_ups": "top-up-not-allowed"},
    ),
    "who is out after the unreadable hand is not known": (
        document_of("pineapple-qq", {1: "ann 100", 2: "bob 6", 3: "cyd 100"}, hands=SECOND_LOSES),
        [unread(0)],
        {},
    ),
    "Fantasyland earned in the unreadable hand is not known": (
        document_of(
            "pineapple-qq",
            {1: "ann 100", 2: "bob 100"},
            hands=[hand(1, 1, {1: QUEENS, 2: SEVENS}), hand(2, 1, {1: {"board": HIGH, "fantasyland": 14}, 2: MID})],
        ),
        [unread(0)],
        {},
    ),
    "a hand after the last": (
        document_of(hands=[*COMPLETE, hand(4, 1, THREE)]),
        [unread(3)],
        {"hands/3": "round-complete"},
    ),
    "hands that follow a departure that cannot be read": (
        document_of("pineapple-qq", hands=[COMPLETE[0], hand(2, 2, TWO)], departures=[{"seat": "3", "after_hand": 1}]),
        [],
        {"departures/0/seat": "not-an-integer"},
    ),
    "a departure": (
        document_of(hands=COMPLETE, departures=[{"seat": 1, "after_hand": 1}]),
        [unread(2)],
        {"departures/0/seat": "departure-not-allowed"},
    ),
    "hands accepted as played": (
        document_of(hands=COMPLETE, irregular=[{"hand": 2}]),
        [unread(2), put(1, "button", 1), put(1, "players/0/seat", 5)],
        {"hands/1/players/0/seat": "seat-unknown"},
    ),
    "who sits down": (
        document_of(hands=COMPLETE),
        [unread(0), ("seats/1/player", "ann")],
        {"seats/1/player": "player-twice"},
    ),
    "the ruleset": (
        document_of("no-such-rules", hands=COMPLETE),
        [unread(0)],
        {"ruleset": "ruleset-unknown"},
    ),
}


@pytest.mark.parametrize(("document", "changes", "mistakes"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_an_unknown_card_does_not_hide_what_else_is_wrong_in_a_document(
    api: Api, document: Document, changes: list[tuple[str, Any]], mistakes: dict[str, str]
) -> None:
    spoiled = changed(document, *changes)
    unread_cards = {f"#/{place}": "card-unknown" for place, value in changes if value == UNREAD[1]}
    expected = unread_cards | {f"#/{place}": code for place, code in mistakes.items()}
    response = api.post("/v1/documents", spoiled)
    assert (response.status, response["code"]) == (422, "request-invalid")
    assert response.mistakes == expected
    assert len(response["errors"]) == len(expected), "each is named once"


def test_an_unknown_card_hides_no_other_mistake_of_a_line(api: Api, house: House) -> None:
    spoiled = changed(document_of(hands=COMPLETE), unread(0), put(2, "button", 1))
    [line] = import_all(house, club_of(house, api), lines_of([spoiled]))
    assert line.problem is not None
    assert {mistake["pointer"]: mistake["code"] for mistake in line.problem["errors"]} == {
        "#/hands/0/players/0/top/2": "card-unknown",
        "#/hands/2/button": "button-wrong",
    }


def test_an_unknown_card_hides_no_other_mistake_of_a_corrected_round(api: Api) -> None:
    round_id = complete_round(api)
    spoiled = changed(document_of(hands=COMPLETE), unread(0), put(2, "button", 1))
    response = correct(api, round_id, document=spoiled)
    assert response.mistakes == {
        "#/document/hands/0/players/0/top/2": "card-unknown",
        "#/document/hands/2/button": "button-wrong",
    }
    patch = [
        {"op": "replace", "path": "/hands/0/players/0/top/2", "value": "1x"},
        {"op": "replace", "path": "/hands/2/button", "value": 1},
    ]
    response = correct(api, round_id, patch=patch)
    assert response.mistakes == {"#/patch/0/value": "card-unknown", "#/patch/1/value": "button-wrong"}
    response = correct(api, round_id, patch=patch, irregular="accept")
    assert response.mistakes == {"#/patch/0/value": "card-unknown"}
    response = api.post(f"/v1/rounds/{round_id}/what-if", {"patch": patch})
    assert response.mistakes == {"#/patch/0/value": "card-unknown"}
