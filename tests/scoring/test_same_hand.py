"""docs/rules.md, The same hand: where two records differ, and which hands are the same deal."""

from collections.abc import Mapping
from typing import Any

import pytest

from scoring.hand import Hand, TopUp
from scoring.same_hand import (
    BoardsOfHand,
    boards_of,
    find_differences,
    find_same_deal,
    is_same_hand,
    match_deals,
    match_hands,
)
from tests.support.scoring.notation import hand_of, pointer_to

HIGH = "AhKd9c / JsJd8c5h2c / AsAdTcTh4s"
MID = "KsQd7h / 9s9d6c4h3c / KcKh8s8h5c"
LOW = "QsJc6d / 7s7d5s3h2d / QcQh4d4c3s"
SHUFFLED = "9cAhKd / 2cJs5hJd8c / 4sAsTcAdTh"
STREETS: list[dict[str, str]] = [
    {"dealt": "AsAdJsJdKd", "top": "Kd", "middle": "JsJd", "bottom": "AsAd"},
    {"dealt": "TcTh8cAh", "top": "Ah", "middle": "8c", "bottom": "TcTh"},
    {"dealt": "4s5h2c9c", "top": "9c", "middle": "5h2c", "bottom": "4s"},
]
TURNED = [STREETS[0], {**STREETS[1], "dealt": "ThTc8cAh"}, STREETS[2]]


def hand(first: Any = HIGH, second: Any = MID, *, number: int = 1, button: int = 1, **more: Any) -> Hand:
    return hand_of(number, button, {1: first, 3: second}, **more)


def paths(recorded: Hand, received: Hand) -> list[str]:
    return [pointer_to(difference.path) for difference in find_differences(recorded, received)]


SAME: Mapping[str, tuple[Hand, Hand]] = {
    "the order of cards in a row": (hand(), hand(SHUFFLED)),
    "discards that one record lacks": (hand(), hand({"board": HIGH, "discards": "2s3d"})),
    "the order of discards": (hand({"board": HIGH, "discards": "2s3d"}), hand({"board": HIGH, "discards": "3d2s"})),
    "streets that one record lacks": (hand({"board": HIGH, "streets": STREETS}), hand()),
}


@pytest.mark.parametrize("what", SAME)
def test_records_of_the_same_hand_may_differ_in(what: str) -> None:
    recorded, received = SAME[what]
    assert is_same_hand(recorded, received)
    assert is_same_hand(received, recorded)
    assert not paths(recorded, received)


OTHER: Mapping[str, tuple[Hand, Hand, list[str]]] = {
    "the number": (hand(), hand(number=2), ["#/number"]),
    "the button": (hand(), hand(button=3), ["#/button"]),
    "a row": (hand(), hand(HIGH, LOW), ["#/players/1/top", "#/players/1/middle", "#/players/1/bottom"]),
    "Fantasyland": (hand(), hand({"board": HIGH, "fantasyland": 14}), ["#/players/0/fantasyland"]),
    "discards": (
        hand({"board": HIGH, "discards": "2s3d"}),
        hand({"board": HIGH, "discards": "2s4h"}),
        ["#/players/0/discards"],
    ),
    "a street": (
        hand({"board": HIGH, "streets": STREETS}),
        hand({"board": HIGH, "streets": TURNED}),
        ["#/players/0/streets/1/dealt"],
    ),
    "the number of streets": (
        hand({"board": HIGH, "streets": STREETS}),
        hand({"board": HIGH, "streets": STREETS[:2]}),
        ["#/players/0/streets"],
    ),
    "the seats": (hand(), hand_of(1, 1, {1: HIGH, 2: MID}), ["#/players"]),
}


@pytest.mark.parametrize("what", OTHER)
def test_another_hand_differs_in(what: str) -> None:
    recorded, received, expected = OTHER[what]
    assert paths(recorded, received) == expected
    assert not is_same_hand(recorded, received)


def test_a_difference_has_its_place_in_the_received_record_and_both_values() -> None:
    played = hand()
    received = Hand(1, 1, played.players[::-1], (TopUp(3, 10),))
    assert [tuple(difference) for difference in find_differences(played, received)] == [
        (("top_ups",), (), (TopUp(3, 10),))
    ]
    changed = Hand(1, 1, hand(HIGH, LOW).players[::-1])
    assert paths(played, changed) == ["#/players/0/top", "#/players/0/middle", "#/players/0/bottom"]


def test_a_hand_is_the_same_deal_whatever_the_order_of_cards_in_a_row() -> None:
    earlier = [hand(LOW, MID), hand(SHUFFLED, MID, number=2)]
    boards = [(each.number, each.seats, each.boards) for each in earlier]
    assert find_same_deal(hand(number=3), boards) == 2
    assert find_same_deal(hand(number=3, button=3), boards) == 2
    assert find_same_deal(hand(MID, HIGH, number=3), boards) is None
    assert find_same_deal(hand_of(3, 1, {1: HIGH, 2: MID}), boards) is None
    assert find_same_deal(hand(number=3), []) is None


def test_cards_in_another_row_are_another_deal() -> None:
    middle_below = "AhKd9c / AsAdTcTh4s / JsJd8c5h2c"
    earlier = hand(middle_below)
    assert find_same_deal(hand(number=2), [(1, earlier.seats, earlier.boards)]) is None


# --- the hands of a corrected round ---

A, B, C, MISREAD = ((HIGH, MID), (MID, HIGH), (LOW, MID), (HIGH, LOW))
"""The boards of deals."""


def boards(*deals: tuple[Any, Any]) -> list[BoardsOfHand]:
    return [boards_of(hand(*deal, number=number)) for number, deal in enumerate(deals, 1)]


@pytest.mark.parametrize(
    ("before", "after", "matched"),
    [
        ((A, B, C), (A, B, C), {1: 1, 2: 2, 3: 3}),
        ((A, B, C), (A, C), {1: 1, 2: 3}),
        ((A, B, C), (B, C), {1: 2, 2: 3}),
        ((A, C), (A, B, C), {1: 1, 3: 2}),
        ((A, B), (B, A), {1: 2, 2: 1}),
        ((A, B, C), (A, MISREAD, C), {1: 1, 2: 2, 3: 3}),
        ((A, A, B), (A, B), {1: 1, 2: 3}),
        ((A, A, A), (A, MISREAD, A), {1: 1, 2: 2, 3: 3}),
        ((A,), (A, A), {1: 1}),
        ((B, (SHUFFLED, MID)), (A,), {1: 2}),
    ],
)
def test_a_corrected_hand_is_the_one_of_the_same_deal_or_else_of_the_same_number(
    before: tuple[Any, ...], after: tuple[Any, ...], matched: dict[int, int]
) -> None:
    assert match_hands(boards(*before), boards(*after)) == matched


def test_a_deal_with_other_boards_matches_none() -> None:
    assert match_deals(boards(A, B, C), boards(A, MISREAD, C)) == {1: 1, 3: 3}
    assert match_deals(boards(A), [(1, (1, 2), hand(*A).boards)]) == {}, "other seats"
