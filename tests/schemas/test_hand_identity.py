"""Records of the same hand, compared with the oracle."""

from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.hand_identity import identify_hand
from schemas.hands import load_hand
from scoring.hand import Hand
from scoring.same_hand import is_same_hand
from tests.oracle import PRESETS, random_document
from tests.oracle import same_hand as oracle

ROWS = ("top", "middle", "bottom")


def shuffle_row(rng: Random, hand: dict[str, Any]) -> None:
    rng.shuffle(rng.choice(hand["players"])[rng.choice(ROWS)])


def shuffle_players(rng: Random, hand: dict[str, Any]) -> None:
    rng.shuffle(hand["players"])


def leave_out_streets(rng: Random, hand: dict[str, Any]) -> None:
    rng.choice(hand["players"])["streets"] = None


def leave_out_discards(rng: Random, hand: dict[str, Any]) -> None:
    rng.choice(hand["players"])["discards"] = None


def play_at_another_time(_: Random, hand: dict[str, Any]) -> None:
    hand["played_at"] = "2026-11-20T20:15:00Z"


def exchange_rows(rng: Random, hand: dict[str, Any]) -> None:
    player = rng.choice(hand["players"])
    player["middle"], player["bottom"] = player["bottom"], player["middle"]


def exchange_boards(_: Random, hand: dict[str, Any]) -> None:
    one, other, *_rest = hand["players"]
    for row in ROWS:
        one[row], other[row] = other[row], one[row]


def move_the_button(rng: Random, hand: dict[str, Any]) -> None:
    hand["button"] = rng.choice(hand["players"])["seat"]


def add_points(rng: Random, hand: dict[str, Any]) -> None:
    hand["top_ups"] = [{"seat": rng.choice(hand["players"])["seat"], "points": rng.choice((5, 9))}]


def exchange_a_discard(rng: Random, hand: dict[str, Any]) -> None:
    player = rng.choice(hand["players"])
    if player.get("discards"):
        player["discards"][0], player["top"][0] = player["top"][0], player["discards"][0]


CHANGES = [
    shuffle_row, shuffle_row, shuffle_players, leave_out_streets, leave_out_discards, play_at_another_time,
    exchange_rows, exchange_boards, move_the_button, add_points, exchange_a_discard,
]  # as a table  # fmt: skip


def read(hand: dict[str, Any]) -> Hand:
    return load_hand(hand).hand


@settings(deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(sorted(PRESETS)))
def test_two_records_are_the_same_hand_if_the_oracle_agrees(seed: int, ruleset: str) -> None:
    rng = Random(seed)
    hands = random_document(rng, PRESETS[ruleset])["hands"]
    if not hands:
        return
    one = rng.choice(hands)
    other = deepcopy(one)
    for change in rng.choices(CHANGES, k=rng.randint(0, 3)):
        change(rng, other)
    first, second = read(one), read(other)
    is_same = oracle.is_same_hand(one, other)
    assert is_same_hand(first, second) == is_same_hand(second, first) == is_same
    if is_same:
        assert identify_hand(first) == identify_hand(second)


@pytest.mark.parametrize("change", [shuffle_row, shuffle_players, play_at_another_time])
def test_the_order_of_cards_and_seats_and_the_time_of_play_do_not_matter(change: Any) -> None:
    rng = Random(7)
    one = random_document(rng, PRESETS["pineapple"])["hands"][0]
    other = deepcopy(one)
    change(rng, other)
    for player in (*one["players"], *other["players"]):
        player["streets"] = None
    assert one != other
    assert is_same_hand(read(one), read(other))
