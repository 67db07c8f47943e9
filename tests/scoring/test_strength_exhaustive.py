"""Every row there is, ordered as the oracle orders it."""

from array import array
from collections.abc import Callable, Hashable, Iterable
from hashlib import sha256
from itertools import combinations, product
from typing import Any

import pytest

from scoring.cards import DECK, Card
from scoring.strength import Category, is_low, strength_of
from tests.oracle import strength3, strength5, top_beats
from tests.oracle.rows import CATEGORIES, qualifies

Cards = tuple[Card, ...]
NAMES = [str(card) for card in DECK]


def digest_of_the_order(strengths: Iterable[Hashable]) -> tuple[str, int, int]:
    """
    Hash the place of every strength among all strengths, in the order of the rows; and count rows and places.

    Only the order counts, not what a strength is made of.
    """
    met: dict[Any, int] = {}
    of_rows = array("H", (met.setdefault(strength, len(met)) for strength in strengths))
    places = array("H", bytes(2 * len(met)))
    for place, strength in enumerate(sorted(met)):
        places[met[strength]] = place
    return sha256(array("H", map(places.__getitem__, of_rows)).tobytes()).hexdigest(), len(of_rows), len(met)


@pytest.mark.parametrize(
    ("size", "strength_of_the_oracle", "rows", "strengths"),
    [
        pytest.param(3, strength3, 22_100, 455, id="three cards"),
        pytest.param(5, strength5, 2_598_960, 7_462, id="five cards", marks=pytest.mark.verify),
    ],
)
@pytest.mark.no_cover
def test_all_rows_are_ordered_as_the_oracle_orders_them(
    size: int, strength_of_the_oracle: Callable[[list[str]], Hashable], rows: int, strengths: int
) -> None:
    ours = digest_of_the_order(map(strength_of, combinations(DECK, size)))
    assert ours == digest_of_the_order(map(strength_of_the_oracle, combinations(NAMES, size)))
    assert ours[1:] == (rows, strengths)


@pytest.fixture(scope="module")
def rows_by_strength() -> dict[int, list[Cards]]:
    """One row of every strength, for three and for five cards: enough suits for every rank pattern, and a flush."""
    rows: dict[int, list[Cards]] = {}
    for size in (3, 5):
        one_of_each = {strength_of(cards): cards for cards in combinations(DECK, size)}
        rows[size] = list(one_of_each.values())
    return rows


def in_names(cards: Cards) -> list[str]:
    return [str(card) for card in cards]


@pytest.mark.no_cover
def test_every_row_has_the_category_of_the_oracle(rows_by_strength: dict[int, list[Cards]]) -> None:
    for size, strength_of_the_oracle in ((3, strength3), (5, strength5)):
        for cards in rows_by_strength[size]:
            assert strength_of(cards).category.label == CATEGORIES[strength_of_the_oracle(in_names(cards))[0]]


@pytest.mark.no_cover
def test_the_top_row_beats_a_longer_one_of_its_category_as_in_the_oracle(
    rows_by_strength: dict[int, list[Cards]],
) -> None:
    tops, fives = rows_by_strength[3], rows_by_strength[5]
    for category in Category:
        five_of = [(strength_of(five), in_names(five)) for five in fives if strength_of(five).category is category]
        top_of = [(strength_of(top), in_names(top)) for top in tops if strength_of(top).category is category]
        for (top, top_names), (five, five_names) in product(top_of, five_of):
            assert (top > five) is top_beats(top_names, five_names), (top_names, five_names)


@pytest.mark.no_cover
def test_the_top_row_beats_a_longer_one_of_another_category_as_in_the_oracle(
    rows_by_strength: dict[int, list[Cards]],
) -> None:
    one_of_each = {strength_of(five).category: five for five in rows_by_strength[5]}
    for top, five in product(rows_by_strength[3], one_of_each.values()):
        assert (strength_of(top) > strength_of(five)) is top_beats(in_names(top), in_names(five))


@pytest.mark.no_cover
def test_every_low_qualifies_as_in_the_oracle(rows_by_strength: dict[int, list[Cards]]) -> None:
    lows = [cards for cards in rows_by_strength[5] if is_low(strength_of(cards))]
    assert lows == [cards for cards in rows_by_strength[5] if qualifies(in_names(cards))]
    # Five of the nine ranks from the deuce to the ten, less the five straights among them: 2-6 to 6-10.
    assert len(lows) == 126 - 5
