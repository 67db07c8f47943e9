"""What cannot have been dealt: refused with a code, a place, and a sentence that says what was found and is right."""

from typing import Any

import pytest

from tests.service.rounds_to_play import HIGH, LOW, MID, Document, cards, changed, player, rows
from tests.service.speaking import Api

DISCARDS = cards("2d3dQh5s")


def street(dealt: str, board: str, discards: str = "", auto: str = "") -> Document:
    return {"dealt": cards(dealt), **rows(board), "discards": cards(discards), "auto": cards(auto)}


PINEAPPLE: Document = {
    "ruleset": "pineapple",
    "players": [
        player(
            1,
            HIGH,
            discards=DISCARDS,
            streets=[
                street("AsAdJsJdKd", "Kd/JsJd/AsAd"),
                street("TcTh2d", "//TcTh", "2d"),
                street("8cAh3d", "Ah/8c/", "3d", auto="3d"),
                street("4sQh5h", "/5h/4s", "Qh"),
                street("9c2c5s", "9c/2c/", "5s"),
            ],
        ),
        player(2, MID),
    ],
}
TURBO: Document = {
    "ruleset": "turbo",
    "players": [
        player(
            1,
            HIGH,
            streets=[
                street("AsAdJsJdKd", "Kd/JsJd/AsAd"),
                street("TcTh8cAh", "Ah/8c/TcTh"),
                street("4s5h2c9c", "9c/5h2c/4s", auto="2c9c"),
            ],
        ),
        player(2, MID),
    ],
}
ALONE: Document = {"ruleset": "pineapple-2-4-us-classic", "players": [player(1, HIGH, fantasyland=14), player(2, MID)]}

REFUSED: list[tuple[str, str, Document, str]] = [
    ("card-unknown", "#/players/0/top/2", changed(PINEAPPLE, ("players/0/top/2", "9C")), "is '9C'"),
    ("card-unknown", "#/players/0/top/2", changed(PINEAPPLE, ("players/0/top/2", "10c")), "like 'As' or 'Td'"),
    ("card-unknown", "#/players/1/bottom/0", changed(PINEAPPLE, ("players/1/bottom/0", "Kc\n")), "a rank of 2345"),
    ("card-unknown", "#/players/0/discards/1", changed(PINEAPPLE, ("players/0/discards/1", 7)), "is 7"),
    (
        "card-unknown",
        "#/players/0/streets/0/dealt/0",
        changed(PINEAPPLE, ("players/0/streets/0/dealt/0", "Xx")),
        "is 'Xx'",
    ),
    ("row-size", "#/players/0/top", changed(PINEAPPLE, ("players/0/top", ["Ah", "Kd"])), "has 2 cards; 3 belong there"),
    (
        "row-size",
        "#/players/1/middle",
        changed(PINEAPPLE, ("players/1/middle", cards("9s9d6c4h3c2h"))),
        "has 6 cards; 5 belong there",
    ),
    (
        "card-twice",
        "#/players/1/bottom/4",
        changed(PINEAPPLE, ("players/1/bottom/4", "5h")),
        "5h is already in the middle of seat 1; every card of a hand comes from one deck",
    ),
    (
        "card-twice",
        "#/players/1/discards/0",
        changed(PINEAPPLE, ("players/1/discards", cards("2d2h3h4c"))),
        "2d is already among the discards of seat 1",
    ),
    (
        "discards-count",
        "#/players/0/discards",
        changed(PINEAPPLE, ("players/0/discards", [])),
        "0 discards are given; of 17 cards dealt 4 are discarded (null means unknown)",
    ),
    (
        "discards-count",
        "#/players/0/discards",
        changed(TURBO, ("players/0/discards", ["2d"])),
        "1 discards are given; of 13 cards dealt 0 are discarded",
    ),
    (
        "streets-count",
        "#/players/0/streets",
        changed(TURBO, ("ruleset", "pineapple")),
        "3 streets are given; a pineapple hand has 5",
    ),
    (
        "streets-count",
        "#/players/0/streets",
        changed(PINEAPPLE, ("players/0/fantasyland", 14)),
        "5 streets are given; Fantasyland of 14 cards has 1",
    ),
    (
        "street-dealt",
        "#/players/0/streets/1/dealt",
        changed(PINEAPPLE, ("players/0/streets/1/dealt", cards("TcTh"))),
        "2 cards are dealt in this street; 3 are right",
    ),
    (
        "street-placed",
        "#/players/0/streets/1",
        changed(PINEAPPLE, ("players/0/streets/1/bottom", ["Tc"])),
        "1 cards are placed in this street; 2 are right",
    ),
    (
        "street-discards",
        "#/players/0/streets/1/discards",
        changed(PINEAPPLE, ("players/0/streets/1/discards", [])),
        "0 cards are discarded in this street; 1 are right",
    ),
    (
        "street-cards",
        "#/players/0/streets/1",
        changed(PINEAPPLE, ("players/0/streets/1/discards", ["2h"])),
        "dealt are Tc Th 2d, but placed and discarded are Tc Th 2h; they must be the same cards",
    ),
    (
        "streets-board",
        "#/players/0/streets",
        changed(TURBO, ("players/0/top", cards("AhKdTc")), ("players/0/bottom", cards("AsAd9cTh4s"))),
        "the streets lay Kd Ah 9c in the top, the board has Ah Kd Tc; they must agree",
    ),
    (
        "streets-discards",
        "#/players/0/streets",
        changed(PINEAPPLE, ("players/0/discards", cards("2d3dQh6d"))),
        "the streets discard 2d 3d Qh 5s, the discards are 2d 3d Qh 6d; they must agree",
    ),
    (
        "auto-not-dealt",
        "#/players/0/streets/2/auto",
        changed(TURBO, ("players/0/streets/2/auto", ["Ah"])),
        "the clock set Ah; only cards dealt in this street, once each, are right",
    ),
    (
        "auto-placement",
        "#/players/0/streets/1/auto",
        changed(TURBO, ("players/0/streets/1/auto", ["Ah"])),
        "the clock put Ah in the top; in the bottom is right",
    ),
    (
        "auto-placement",
        "#/players/0/streets/1/auto",
        changed(
            PINEAPPLE,
            ("players/0/streets/1/auto", cards("2dTh")),
            ("players/0/streets/1/dealt", cards("Tc2dTh")),
        ),
        "the clock put 2d among the discards; in the bottom is right",
    ),
    (
        "fantasyland-cards",
        "#/players/0/fantasyland",
        changed(ALONE, ("players/0/fantasyland", 13)),
        "Fantasyland of 13 cards is never dealt under pineapple-2-4-us-classic@1; 0 or 14 are right",
    ),
    (
        "fantasyland-cards",
        "#/players/0/fantasyland",
        changed(ALONE, ("ruleset", "pineapple-2-4-us-none")),
        "0 is right: nobody ever enters",
    ),
    (
        "players-count",
        "#/players",
        {"ruleset": "pineapple", "players": [player(1, HIGH)]},
        "1 players are given; a hand under pineapple@1 has 2 to 3",
    ),
    (
        "players-count",
        "#/players",
        {
            "ruleset": "pineapple",
            "players": [player(1, HIGH), player(2, MID), player(3, LOW), player(4, "AcKhQd / JhJc9h8d6s / TsTd7c7h3d")],
        },
        "4 players are given; a hand under pineapple@1 has 2 to 3",
    ),
    (
        "seat-twice",
        "#/players/1/seat",
        changed(PINEAPPLE, ("players/1/seat", 1)),
        "seat 1 plays twice; one board a seat is right",
    ),
    (
        "stays-outside",
        "#/players/1/stays",
        changed(ALONE, ("players/1/stays", 1)),
        "1 stays are given for a player outside Fantasyland; 0 is right",
    ),
    (
        "stays-limit",
        "#/players/0/stays",
        changed(ALONE, ("players/0/stays", 2)),
        "2 stays are given; pineapple-2-4-us-classic@1 allows 1 in a row",
    ),
    (
        "stays-cards",
        "#/players/0/fantasyland",
        changed(ALONE, ("ruleset", "progressive"), ("players/0/fantasyland", 15), ("players/0/stays", 1)),
        "Fantasyland of 15 cards after a stay is given; a stay deals 14",
    ),
    (
        "stack-missing",
        "#/players/0/stack",
        changed(ALONE, ("players/0/opening_stack", 5)),
        "an opening stack is given and no stack; give both, or the stack alone",
    ),
]


@pytest.mark.parametrize(("code", "pointer", "request_", "words"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_cannot_have_been_dealt_is_refused_with_its_place(
    api: Api, code: str, pointer: str, request_: Document, words: str
) -> None:
    answer = api.post("/v1/score", request_)
    assert answer.status == 422
    assert answer["code"] == ("request-invalid" if code in ("card-unknown", "row-size") else "hand-invalid")
    found = [mistake for mistake in answer["errors"] if mistake["code"] == code]
    assert pointer in [mistake["pointer"] for mistake in found]
    assert any(words in mistake["detail"] for mistake in found)
    assert found[0]["detail"] in answer["detail"] or len(answer["errors"]) > 1


@pytest.mark.parametrize("request_", [PINEAPPLE, TURBO, ALONE], ids=["pineapple", "turbo", "Fantasyland"])
def test_what_the_refused_hands_were_made_from_is_taken(api: Api, request_: Document) -> None:
    assert api.post("/v1/score", request_).status == 200


def test_every_mistake_is_named_at_once(api: Api) -> None:
    request = changed(
        PINEAPPLE,
        ("players/0/discards", ["2d"]),
        ("players/0/streets/1/dealt", cards("TcTh")),
        ("players/1/fantasyland", 13),
        ("players/1/bottom/4", "5h"),
        ("players/1/stays", 1),
    )
    answer = api.post("/v1/score", request)
    assert (
        answer.mistakes.items()
        >= {
            "#/players/0/discards": "discards-count",
            "#/players/0/streets/1/dealt": "street-dealt",
            "#/players/1/fantasyland": "fantasyland-cards",
            "#/players/1/bottom/4": "card-twice",
        }.items()
    )
    assert answer["detail"].startswith(f"{len(answer['errors'])} mistakes, the first: ")


FIELDS: list[tuple[str, Any, str, str]] = [
    ("players/0/seat", 0, "out-of-range", "is 0; 1 to 1000 is right"),
    ("players/0/seat", "1", "not-an-integer", "is '1'; a whole number is right"),
    ("players/0/seat", True, "not-an-integer", "is true; a whole number is right"),
    ("players/0/seat", 1.5, "not-an-integer", "is 1.5; a whole number is right"),
    ("players/0/seat", None, "field-null", "is null; leave it out or give a value"),
    ("players/0/seat", [1], "not-an-integer", "is a list; a whole number is right"),
    ("players/0/fantasyland", 18, "out-of-range", "is 18; 0 to 17 is right"),
    ("players/0/stays", -1, "out-of-range", "is -1; 0 to"),
    ("players/0/stack", -1, "out-of-range", "is -1; 0 to"),
    ("players/0/stack", 2**53, "out-of-range", "is 9007199254740992; 0 to"),
    ("players/0/stack", 1e300, "out-of-range", "; 0 to"),
    ("players/0/opening_stack", "many", "not-an-integer", "is 'many'"),
    ("players/0/player", "", "text-length", "is empty; 1 to 100 characters are right"),
    ("players/0/player", 7, "not-a-text", "is 7; a text is right"),
    ("players/0/streets", {}, "not-a-list", "is an object; a list is right"),
    ("players/0/top", "AhKd9c", "not-a-list", "is 'AhKd9c'; a list is right"),
    ("players/0/top/0", None, "field-null", "is null"),
    ("players/0", "ann", "not-an-object", "is not an object; one with seat, "),
    ("players", {}, "not-a-list", "is an object; a list is right"),
    ("players", [], "list-length", "has 0 items; 1 to 4 are right"),
    ("button", 0, "out-of-range", "is 0; 1 to 1000 is right"),
    ("ruleset", "No Limit", "text-pattern", "is 'No Limit'; a ruleset's name, or name@version is right"),
    ("ruleset", None, "field-null", "is null"),
    ("expected", [], "not-an-object", "is a list; an object, part of the answer's shape, is right"),
    ("wager", 5, "field-unknown", "is not known here; known are ruleset, button, players, expected"),
    ("players/0/front", [], "field-unknown", "is not known here; known are seat, "),
]


@pytest.mark.parametrize(("pointer", "value", "code", "words"), FIELDS, ids=[f"{case[0]} {case[1]}" for case in FIELDS])
def test_a_field_of_another_kind_is_refused_with_what_would_be_right(
    api: Api, pointer: str, value: Any, code: str, words: str
) -> None:
    answer = api.post("/v1/score", changed(PINEAPPLE, (pointer, value)))
    assert answer.status == 422
    assert answer["code"] == "request-invalid"
    assert answer.mistakes == {f"#/{pointer}": code}
    assert words in answer["errors"][0]["detail"]


@pytest.mark.parametrize("missing", ["ruleset", "players", "players/0/seat", "players/1/bottom"])
def test_a_field_that_must_be_given_is_named_where_it_is_missing(api: Api, missing: str) -> None:
    request = changed(PINEAPPLE, (missing, None))
    *path, last = missing.split("/")
    place: Any = request
    for step in path:
        place = place[int(step) if step.isdigit() else step]
    del place[last]
    answer = api.post("/v1/score", request)
    assert answer.mistakes == {f"#/{missing}": "field-missing"}
    assert answer["errors"][0]["detail"] == "is missing; it must be given"
