"""Invalid documents are refused with the first mistake, and nothing is stored."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    THREE,
    Document,
    changed,
    document_of,
    hand,
    post_document,
    seats,
)

QQ = "pineapple-qq"


REFUSED: dict[str, tuple[Callable[[], Document], str, str]] = {
    "hand-number": (lambda: document_of(hands=[COMPLETE[0], COMPLETE[2]]), "#/hands/1/number", "expected hand 2"),
    "button-wrong": (
        lambda: document_of(hands=[*COMPLETE[:2], hand(3, 2, THREE)]),
        "#/hands/2/button",
        "expected seat 3",
    ),
    "card-twice": (
        lambda: document_of(hands=[*COMPLETE[:2], hand(3, 3, {**THREE, 3: HIGH})]),
        "#/hands/2/players/2/top/0",
        "Ah is already in the top of seat 1",
    ),
    "round-complete": (
        lambda: document_of(hands=[*COMPLETE, hand(4, 1, THREE)]),
        "#/hands/3",
        "the round is complete after hand 3",
    ),
    "closed-after-hand": (
        lambda: document_of(hands=COMPLETE[:2], closed={"after_hand": 1, "reason": "late"}),
        "#/closed/after_hand",
        "the round is closed after hand 1; its last hand is 2",
    ),
    "departure-after-hand": (
        lambda: document_of(QQ, hands=COMPLETE[:2], departures=[{"seat": 1, "after_hand": 3}]),
        "#/departures/0/after_hand",
        "seat 1 leaves after hand 3; hands 1 to 2 are recorded",
    ),
    "departure-before-first-hand": (
        lambda: document_of(QQ, hands=COMPLETE[:2], departures=[{"seat": 1, "after_hand": 0}]),
        "#/departures/0",
        "no hand has been played",
    ),
    "departure-not-allowed": (
        lambda: document_of(hands=COMPLETE[:2], departures=[{"seat": 1, "after_hand": 1}]),
        "#/departures/0/seat",
        "between rounds only",
    ),
    "seat-unknown": (
        lambda: document_of(QQ, hands=COMPLETE[:1], departures=[{"seat": 7, "after_hand": 1}]),
        "#/departures/0/seat",
        "seat 7 is not in the round",
    ),
    "departure-twice": (
        lambda: document_of(QQ, hands=COMPLETE[:1], departures=[{"seat": 3, "after_hand": 1}] * 2),
        "#/departures/1/seat",
        "seat 3 has left already",
    ),
    "player-left": (
        lambda: document_of(QQ, hands=COMPLETE[:2], departures=[{"seat": 3, "after_hand": 1}]),
        "#/hands/1/players/2/seat",
        "seat 3 has left the round",
    ),
    "player-twice": (
        lambda: {**document_of(), "seats": seats({1: "ann 5", 2: "ann 5"})},
        "#/seats/1/player",
        "player 'ann' sits twice",
    ),
    "stack-too-small": (
        lambda: {**document_of(), "seats": seats({1: "ann 0", 2: "bob 5"})},
        "#/seats/0/stack",
        "expected 1 or more",
    ),
    "irregular-hand": (
        lambda: document_of(hands=COMPLETE[:2], irregular=[{"hand": 3}]),
        "#/irregular/0/hand",
        "`irregular` names hand 3; hands 1 to 2 are recorded",
    ),
    "players-count": (
        lambda: {**document_of(), "seats": seats({1: "ann 5"})},
        "#/seats",
        "expected 2 to 3 under pineapple@1",
    ),
    "points-overflow": (
        lambda: document_of(
            QQ, hands=[hand(1, 1, THREE, top_ups=[{"seat": 1, "points": 10**12}])], point_value=10**6, unit="IDR"
        ),
        "#/hands/0/top_ups",
        "; expected at most ",
    ),
}


OF_A_HAND = {"hand-number", "button-wrong", "card-twice", "player-left"}


@pytest.mark.parametrize("code", REFUSED)
def test_an_invalid_document_stores_nothing(api: Api, house: House, code: str) -> None:
    make, pointer, words = REFUSED[code]
    records = house.count_records()
    response = post_document(api, make())
    assert response.status == 422
    assert response["code"] == ("hand-invalid" if code in OF_A_HAND else "round-invalid")
    assert response.mistakes[pointer] == code
    assert words in response["errors"][0]["detail"]
    assert house.count_records() == records
    assert api.get("/v1/tables")["tables"] == []


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        ("hands/1/players/0/top/1", "Kx", "card-unknown"),
        ("hands/2/players/0/middle", [], "row-size"),
        ("hands/0/number", 10_001, "out-of-range"),
        ("hands/0/expected", {}, "field-unknown"),
        ("hands/0/players/0/player", "ann", "field-unknown"),
        ("hands", {}, "not-a-list"),
        ("hands", None, "field-null"),
        ("seats/0/stack", None, "field-null"),
        ("seats/0/opening_stack", 5, "field-unknown"),
        ("table", "", "text-length"),
        ("table", None, "field-null"),
        ("unit", "E", "text-pattern"),
        ("departures", [{"seat": 1}], "field-missing"),
        ("closed", {"after_hand": 3}, "field-missing"),
        ("closed", True, "not-an-object"),
    ],
)
def test_a_field_of_a_wrong_type_is_refused(api: Api, house: House, pointer: str, value: Any, code: str) -> None:
    records = house.count_records()
    response = post_document(api, changed(document_of(hands=COMPLETE), (pointer, value)))
    assert response.status == 422
    assert response["code"] == "request-invalid"
    [(place, mistake)] = response.mistakes.items()
    assert place.startswith(f"#/{pointer}")
    assert mistake == code
    assert house.count_records() == records


def test_all_validation_errors_are_reported_at_once(api: Api) -> None:
    document = changed(
        document_of(hands=COMPLETE),
        ("hands/0/players/0/top/1", "Kx"),
        ("hands/2/button", "3"),
        ("seats/1/stack", -1),
        ("dealer", "zoe"),
    )
    assert set(post_document(api, document).mistakes) == {
        "#/hands/0/players/0/top/1",
        "#/hands/2/button",
        "#/seats/1/stack",
        "#/dealer",
    }


def test_an_unknown_ruleset_is_refused(api: Api) -> None:
    response = post_document(api, document_of("omaha"))
    assert response["code"] == "ruleset-unknown"
    assert response.mistakes == {"#/ruleset": "ruleset-unknown"}


def test_a_point_value_needs_a_unit(api: Api) -> None:
    assert post_document(api, document_of(point_value=5)).mistakes == {"#/unit": "unit-missing"}


def test_a_document_with_another_result_than_expected_is_not_stored(api: Api, house: House) -> None:
    records = house.count_records()
    expected = {"settlement": {"net": {"1": 0}, "standings": [{"seat": 1}, {}, {}]}, "round": {"hands": 3}}
    response = post_document(api, document_of(hands=COMPLETE, expected=expected))
    assert response.status == 422
    assert response["code"] == "expected-differs"
    assert response["errors"] == [
        {
            "pointer": "#/expected/settlement/net/1",
            "code": "expected-differs",
            "detail": "`expected.settlement.net['1']`: 0 is expected; the result is 36",
        }
    ]
    assert house.count_records() == records
