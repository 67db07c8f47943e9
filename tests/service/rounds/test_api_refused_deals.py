"""Invalid deals are refused with a code, a path, and the received and expected values."""

import re
from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.sample_rounds import HIGH, LOW, MID, Document, cards, changed, player, rows

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
    ("card-unknown", "#/players/0/top/2", changed(PINEAPPLE, ("players/0/top/2", "10c")), "for example 'As' or 'Td'"),
    ("card-unknown", "#/players/1/bottom/0", changed(PINEAPPLE, ("players/1/bottom/0", "Kc\n")), "a rank of 2345"),
    ("card-unknown", "#/players/0/discards/1", changed(PINEAPPLE, ("players/0/discards/1", 7)), "is 7"),
    (
        "card-unknown",
        "#/players/0/streets/0/dealt/0",
        changed(PINEAPPLE, ("players/0/streets/0/dealt/0", "Xx")),
        "is 'Xx'",
    ),
    ("row-size", "#/players/0/top", changed(PINEAPPLE, ("players/0/top", ["Ah", "Kd"])), "has 2 cards; expected 3"),
    (
        "row-size",
        "#/players/1/middle",
        changed(PINEAPPLE, ("players/1/middle", cards("9s9d6c4h3c2h"))),
        "has 6 cards; expected 5",
    ),
    (
        "card-twice",
        "#/players/1/bottom/4",
        changed(PINEAPPLE, ("players/1/bottom/4", "5h")),
        "5h is already in the middle of seat 1; expected each card once",
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
        "0 discards are given; expected 4 of the 17 cards dealt (null means unknown)",
    ),
    (
        "discards-count",
        "#/players/0/discards",
        changed(TURBO, ("players/0/discards", ["2d"])),
        "1 discards are given; expected 0 of the 13 cards dealt",
    ),
    (
        "streets-count",
        "#/players/0/streets",
        changed(TURBO, ("ruleset", "pineapple")),
        "3 streets are given; expected 5 for a pineapple hand",
    ),
    (
        "streets-count",
        "#/players/0/streets",
        changed(PINEAPPLE, ("players/0/fantasyland", 14)),
        "5 streets are given; expected 1 for Fantasyland of 14 cards",
    ),
    (
        "street-dealt",
        "#/players/0/streets/1/dealt",
        changed(PINEAPPLE, ("players/0/streets/1/dealt", cards("TcTh"))),
        "2 cards are dealt in this street; expected 3",
    ),
    (
        "street-placed",
        "#/players/0/streets/1",
        changed(PINEAPPLE, ("players/0/streets/1/bottom", ["Tc"])),
        "1 cards are placed in this street; expected 2",
    ),
    (
        "street-discards",
        "#/players/0/streets/1/discards",
        changed(PINEAPPLE, ("players/0/streets/1/discards", [])),
        "0 cards are discarded in this street; expected 1",
    ),
    (
        "street-cards",
        "#/players/0/streets/1",
        changed(PINEAPPLE, ("players/0/streets/1/discards", ["2h"])),
        "the cards dealt are Tc Th 2d, the cards placed and discarded are Tc Th 2h; expected the same cards",
    ),
    (
        "streets-board",
        "#/players/0/streets",
        changed(TURBO, ("players/0/top", cards("AhKdTc")), ("players/0/bottom", cards("AsAd9cTh4s"))),
        "the streets place Kd Ah 9c in the top, the board has Ah Kd Tc; expected the same cards",
    ),
    (
        "streets-discards",
        "#/players/0/streets",
        changed(PINEAPPLE, ("players/0/discards", cards("2d3dQh6d"))),
        "the streets discard 2d 3d Qh 5s, the discards are 2d 3d Qh 6d; expected the same cards",
    ),
    (
        "auto-not-dealt",
        "#/players/0/streets/2/auto",
        changed(TURBO, ("players/0/streets/2/auto", ["Ah"])),
        "the clock set Ah; expected only cards dealt in this street, once each",
    ),
    (
        "auto-placement",
        "#/players/0/streets/1/auto",
        changed(TURBO, ("players/0/streets/1/auto", ["Ah"])),
        "the clock put Ah in the top; expected in the bottom",
    ),
    (
        "auto-placement",
        "#/players/0/streets/1/auto",
        changed(
            PINEAPPLE,
            ("players/0/streets/1/auto", cards("2dTh")),
            ("players/0/streets/1/dealt", cards("Tc2dTh")),
        ),
        "the clock put 2d among the discards; expected in the bottom",
    ),
    (
        "fantasyland-cards",
        "#/players/0/fantasyland",
        changed(ALONE, ("players/0/fantasyland", 13)),
        "Fantasyland of 13 cards is never dealt under pineapple-2-4-us-classic@1; expected 0 or 14",
    ),
    (
        "fantasyland-cards",
        "#/players/0/fantasyland",
        changed(ALONE, ("ruleset", "pineapple-2-4-us-none")),
        "expected 0, because nobody enters Fantasyland",
    ),
    (
        "players-count",
        "#/players",
        {"ruleset": "pineapple", "players": [player(1, HIGH)]},
        "the number of players is 1; expected 2 to 3 under pineapple@1",
    ),
    (
        "players-count",
        "#/players",
        {
            "ruleset": "pineapple",
            "players": [player(1, HIGH), player(2, MID), player(3, LOW), player(4, "AcKhQd / JhJc9h8d6s / TsTd7c7h3d")],
        },
        "the number of players is 4; expected 2 to 3 under pineapple@1",
    ),
    (
        "seat-twice",
        "#/players/1/seat",
        changed(PINEAPPLE, ("players/1/seat", 1)),
        "seat 1 plays twice; expected one board per seat",
    ),
    (
        "stays-outside",
        "#/players/1/stays",
        changed(ALONE, ("players/1/stays", 1)),
        "1 stays are given for a player outside Fantasyland; expected 0",
    ),
    (
        "stays-limit",
        "#/players/0/stays",
        changed(ALONE, ("players/0/stays", 2)),
        "2 stays are given; expected at most 1 in a row under pineapple-2-4-us-classic@1",
    ),
    (
        "stays-cards",
        "#/players/0/fantasyland",
        changed(ALONE, ("ruleset", "progressive"), ("players/0/fantasyland", 15), ("players/0/stays", 1)),
        "Fantasyland of 15 cards after a stay is given; expected 14",
    ),
    (
        "stack-missing",
        "#/players/0/stack",
        changed(ALONE, ("players/0/opening_stack", 5)),
        "an opening stack is given without a stack; expected both, or the stack alone",
    ),
]


@pytest.mark.parametrize(("code", "pointer", "request_", "words"), REFUSED, ids=[case[0] for case in REFUSED])
def test_an_invalid_deal_is_refused_with_its_path(
    api: Api, code: str, pointer: str, request_: Document, words: str
) -> None:
    response = api.post("/v1/score", request_)
    assert response.status == 422
    assert response["code"] == ("request-invalid" if code in ("card-unknown", "row-size") else "hand-invalid")
    mistakes = [mistake for mistake in response["errors"] if mistake["code"] == code]
    assert pointer in [mistake["pointer"] for mistake in mistakes]
    assert any(words in mistake["detail"] for mistake in mistakes)
    assert mistakes[0]["detail"] in response["detail"] or len(response["errors"]) > 1


@pytest.mark.parametrize("request_", [PINEAPPLE, TURBO, ALONE], ids=["pineapple", "turbo", "Fantasyland"])
def test_the_valid_base_of_the_refused_hands_is_accepted(api: Api, request_: Document) -> None:
    assert api.post("/v1/score", request_).status == 200


def test_all_mistakes_are_reported_at_once(api: Api) -> None:
    request = changed(
        PINEAPPLE,
        ("players/0/discards", ["2d"]),
        ("players/0/streets/1/dealt", cards("TcTh")),
        ("players/1/fantasyland", 13),
        ("players/1/bottom/4", "5h"),
        ("players/1/stays", 1),
    )
    response = api.post("/v1/score", request)
    assert (
        response.mistakes.items()
        >= {
            "#/players/0/discards": "discards-count",
            "#/players/0/streets/1/dealt": "street-dealt",
            "#/players/1/fantasyland": "fantasyland-cards",
            "#/players/1/bottom/4": "card-twice",
        }.items()
    )
    assert response["detail"].startswith(f"{len(response['errors'])} mistakes, the first: ")


FIELDS: list[tuple[str, Any, str, str]] = [
    ("players/0/seat", 0, "out-of-range", "is 0; expected 1 to 1000"),
    ("players/0/seat", "1", "not-an-integer", "is '1'; expected an integer"),
    ("players/0/seat", True, "not-an-integer", "is true; expected an integer"),
    ("players/0/seat", 1.5, "not-an-integer", "is 1.5; expected an integer"),
    ("players/0/seat", None, "field-null", "is null; expected a value, or omit it"),
    ("players/0/seat", [1], "not-an-integer", "is an array; expected an integer"),
    ("players/0/fantasyland", 18, "out-of-range", "is 18; expected 0 to 17"),
    ("players/0/stays", -1, "out-of-range", "is -1; expected 0 to"),
    ("players/0/stack", -1, "out-of-range", "is -1; expected 0 to"),
    ("players/0/stack", 2**53, "out-of-range", "is 9007199254740992; expected 0 to"),
    ("players/0/stack", 1e300, "out-of-range", "; expected 0 to"),
    ("players/0/opening_stack", "many", "not-an-integer", "is 'many'"),
    ("players/0/player", "", "text-length", "is empty; expected 1 to 100 characters"),
    ("players/0/player", 7, "not-a-text", "is 7; expected a string"),
    ("players/0/streets", {}, "not-a-list", "is an object; expected an array"),
    ("players/0/top", "AhKd9c", "not-a-list", "is 'AhKd9c'; expected an array"),
    ("players/0/top/0", None, "field-null", "is null"),
    ("players/0", "ann", "not-an-object", "is 'ann'; expected an object with seat, "),
    ("players", {}, "not-a-list", "is an object; expected an array"),
    ("players", [], "list-length", "has 0 items; expected 1 to 4"),
    ("button", 0, "out-of-range", "is 0; expected 1 to 1000"),
    ("ruleset", "No Limit", "text-pattern", "is 'No Limit'; expected a ruleset's name, or name@version"),
    ("ruleset", None, "field-null", "is null"),
    ("expected", [], "not-an-object", "is an array; expected an object, a part of the response"),
    ("wager", 5, "field-unknown", "is unknown; expected one of ruleset, button, players, expected"),
    ("players/0/front", [], "field-unknown", "is unknown; expected one of seat, "),
]


@pytest.mark.parametrize(("pointer", "value", "code", "words"), FIELDS, ids=[f"{case[0]} {case[1]}" for case in FIELDS])
def test_a_field_of_a_wrong_type_is_refused_with_the_expected_type(
    api: Api, pointer: str, value: Any, code: str, words: str
) -> None:
    response = api.post("/v1/score", changed(PINEAPPLE, (pointer, value)))
    assert response.status == 422
    assert response["code"] == "request-invalid"
    assert response.mistakes == {f"#/{pointer}": code}
    assert words in response["errors"][0]["detail"]


def place_of(pointer: str) -> str:
    """Write a place as code would."""
    return re.sub(r"/(\d+)", r"[\1]", pointer).replace("/", ".")


@pytest.mark.parametrize("missing", ["ruleset", "players", "players/0/seat", "players/1/bottom"])
def test_a_missing_required_field_is_reported(api: Api, missing: str) -> None:
    request = changed(PINEAPPLE, (missing, None))
    *path, last = missing.split("/")
    place: Any = request
    for step in path:
        place = place[int(step) if step.isdigit() else step]
    del place[last]
    response = api.post("/v1/score", request)
    assert response.mistakes == {f"#/{missing}": "field-missing"}
    assert response["errors"][0]["detail"] == f"`{place_of(missing)}` is required"
