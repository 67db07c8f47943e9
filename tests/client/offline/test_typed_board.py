"""A board as it is typed: after every key, errors are distinguished from missing cards."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.offline.typed_board import PARTS, list_cards_left, read_board
from scoring.cards import BY_NAME
from tests.support.sample_rounds import HIGH, QUEENS

SIZES = (3, 5, 5)


def spell(card: str, random: Random) -> str:
    """Write a card as one of many people does."""
    rank, suit = ("10" if card[0] == "T" and random.random() < 0.5 else card[0]), card[1]
    drawn = dict(zip("cdhs", "♣♦♥♠", strict=True))[suit]
    return random.choice([rank, rank.lower()]) + random.choice([suit, suit.upper(), drawn])


@given(st.permutations(sorted(BY_NAME)), st.integers(0, 4), st.randoms(use_true_random=False))
def test_an_incomplete_board_that_can_be_completed_has_no_errors(
    deck: list[str], discards: int, random: Random
) -> None:
    sizes = (*SIZES, discards) if discards else SIZES
    cards = iter(deck)
    rows = [[next(cards) for _ in range(size)] for size in sizes]
    taken = dict.fromkeys(cards, "in the top of ben")
    gap = random.choice(["", " ", ", "])
    text = random.choice([" / ", "/"]).join(gap.join(spell(card, random) for card in row) for row in rows)
    for end in range(len(text)):
        assert read_board(text[:end], taken, discards).wrong == ()
    typed = read_board(text, taken, discards)
    assert typed.is_complete
    assert typed.document() == dict(zip(PARTS, rows, strict=False))
    assert list_cards_left(taken, typed) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("QsQdQs", "Qs is already in the top"),
        ("QsQd4c / Qs", "Qs is already in the top"),
        ("QsQd4c5", "the top has 4 cards; expected 3"),
        ("QsQd4c / KsKd9h8h3c2c", "the middle has 6 cards; expected 5"),
        ("1c", "'1c' is not a valid card; expected a rank of 23456789TJQKA and a suit of cdhs, for example As or 10s"),
        ("Q/", "'Q' is not a valid card; expected a rank of 23456789TJQKA and a suit of cdhs, for example As or 10s"),
        (f"{QUEENS} / 2c3d4s5d6c", "5 cards among the discards; expected 4, or none if they are unknown"),
        (f"{QUEENS} / 2c3d4s5d / ", "a fifth part was found; expected top / middle / bottom / discards"),
        ("Ah", "Ah is already in the top of ben"),
    ],
)
def test_an_error_that_no_further_key_can_correct_is_reported(text: str, wrong: str) -> None:
    assert read_board(text, {"Ah": "in the top of ben"} if text == "Ah" else {}, 4).wrong[0] == wrong


@pytest.mark.parametrize(
    ("text", "discards", "missing"),
    [
        ("", 4, "the top has 0 cards; expected 3"),
        ("QsQd4c", 4, "the middle has 0 cards; expected 5"),
        (HIGH[:-1], 4, "4 has no suit yet; expected one of cdhs"),
        (f"{HIGH} / 2h", 4, "1 card among the discards; expected 4, or none if they are unknown"),
    ],
)
def test_cards_not_typed_yet_are_missing(text: str, discards: int, missing: str) -> None:
    typed = read_board(text, {}, discards)
    assert typed.wrong == ()
    assert typed.missing[0] == missing


@pytest.mark.parametrize("end", ["", "/", " / "])
def test_unknown_discards_are_not_written(end: str) -> None:
    assert "discards" not in read_board(HIGH + end, {}, 4).document()
    assert read_board(HIGH + end, {}, 4).is_complete


def test_without_discards_no_discard_is_accepted() -> None:
    wrong = read_board(f"{HIGH} / 2h", {}, 0).wrong
    assert wrong == ("1 card after the bottom; expected none, because this deal has no discards",)
