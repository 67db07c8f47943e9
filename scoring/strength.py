"""The strength of rows."""

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from scoring.cards import DECK, Card


class Category(IntEnum):
    """The ten kinds of five-card row, weakest first. Three cards make the first two or three of a kind."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9

    @property
    def label(self) -> str:
        """The name in JSON: `full_house`."""
        return _LABELS[self]


_LABELS: Final = tuple(category.name.lower() for category in Category)
CATEGORY_BY_LABEL: Final = {category.label: category for category in Category}


class Strength(NamedTuple):
    """
    A row's category and its ranks in order of importance: groups first, then kickers, high to low.

    Strengths compare like the rows. Three cards against five compare as far as both have cards, and what is still equal
    has not been beaten: a shorter tuple that is the beginning of a longer one is not greater, which is just that.

    >>> from scoring.cards import parse_cards
    >>> top, middle = strength_of(parse_cards("QsQdAc")), strength_of(parse_cards("QhQcAd3h2s"))
    >>> top > middle
    False
    >>> top > strength_of(parse_cards("QhQcKd9h2s"))
    True

    Rule: docs/rules.md#comparing-three-cards-with-five
    """

    category: Category
    ranks: tuple[int, ...]


FIVE_HIGH: Final = (5, 4, 3, 2, 1)
"""The ranks of A-2-3-4-5: its ace counts one."""

LOW_STRAIGHT: Final = (14, 5, 4, 3, 2)
WORST_LOW: Final = 10

_BY_GROUPS: Final = {
    (4, 1): Category.FOUR_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (3, 1, 1): Category.THREE_OF_A_KIND,
    (3,): Category.THREE_OF_A_KIND,
    (2, 2, 1): Category.TWO_PAIR,
    (2, 1, 1, 1): Category.PAIR,
    (2, 1): Category.PAIR,
    (1, 1, 1, 1, 1): Category.HIGH_CARD,
    (1, 1, 1): Category.HIGH_CARD,
}


def rank_row(cards: Sequence[Card]) -> Strength:
    """
    Compute the strength of three or five cards.

    >>> from scoring.cards import parse_cards
    >>> rank_row(parse_cards("5h4h3h2hAh"))
    Strength(category=<Category.STRAIGHT_FLUSH: 8>, ranks=(5, 4, 3, 2, 1))

    Rule: docs/rules.md#rows
    """
    groups = sorted(((count, rank) for rank, count in Counter(card.rank for card in cards).items()), reverse=True)
    category = _BY_GROUPS[tuple(count for count, _ in groups)]
    ranks = tuple(rank for count, rank in groups for _ in range(count))
    if category is not Category.HIGH_CARD or len(cards) == 3:
        return Strength(category, ranks)
    is_flush = len({card.suit for card in cards}) == 1
    if ranks == LOW_STRAIGHT:
        ranks = FIVE_HIGH
    is_straight = ranks[0] - ranks[4] == 4
    if is_straight and is_flush:
        return Strength(Category.ROYAL_FLUSH if ranks[0] == 14 else Category.STRAIGHT_FLUSH, ranks)
    if is_straight:
        return Strength(Category.STRAIGHT, ranks)
    return Strength(Category.FLUSH if is_flush else Category.HIGH_CARD, ranks)


# Rows with the same ranks, flush or not, are equally strong: 455 classes of three cards and 7,462 of five. Each is
# worked out once. A rank counts in three bits of the key; a flush turns its sign.
_WEIGHTS: Final = tuple(1 << 3 * (card.rank - 2) for card in DECK)
_SUITS: Final = tuple(card.suit for card in DECK)
_known: dict[int, Strength] = {}


def strength_of(cards: Sequence[Card]) -> Strength:
    """
    Return the strength of a row of three or five cards, from a table.

    >>> from scoring.cards import parse_cards
    >>> strength_of(parse_cards("QsQd4c"))
    Strength(category=<Category.PAIR: 1>, ranks=(12, 12, 4))

    Rule: docs/rules.md#rows
    """
    if len(cards) == 5:
        a, b, c, d, e = cards
        key = _WEIGHTS[a] + _WEIGHTS[b] + _WEIGHTS[c] + _WEIGHTS[d] + _WEIGHTS[e]
        if _SUITS[a] == _SUITS[b] == _SUITS[c] == _SUITS[d] == _SUITS[e]:
            key = -key
    else:
        a, b, c = cards
        key = _WEIGHTS[a] + _WEIGHTS[b] + _WEIGHTS[c]
    strength = _known.get(key)
    if strength is None:
        strength = _known[key] = rank_row(cards)
    return strength


def strength_in_low_middle(strength: Strength) -> Strength:
    """
    Return the strength of five cards in a deuce-to-seven middle, where the ace is high only.

    A-2-3-4-5 is ace high there, or a flush:

    >>> from scoring.cards import parse_cards
    >>> strength_in_low_middle(strength_of(parse_cards("Ah5s4c3h2h")))
    Strength(category=<Category.HIGH_CARD: 0>, ranks=(14, 5, 4, 3, 2))
    >>> strength_in_low_middle(strength_of(parse_cards("Ah5h4h3h2h"))).category.label
    'flush'

    Rule: docs/rules.md#deuce-to-seven-low
    """
    if strength.ranks != FIVE_HIGH:
        return strength
    return Strength(Category.HIGH_CARD if strength.category is Category.STRAIGHT else Category.FLUSH, LOW_STRAIGHT)


def is_low(strength: Strength) -> bool:
    """
    Return whether five cards qualify as a deuce-to-seven low: ten high or lower, no pair, straight or flush.

    >>> from scoring.cards import parse_cards
    >>> is_low(strength_of(parse_cards("7s5d4c3h2h"))), is_low(strength_of(parse_cards("Js5d4c3h2h")))
    (True, False)

    Rule: docs/rules.md#deuce-to-seven-low
    """
    return strength.category is Category.HIGH_CARD and strength.ranks[0] <= WORST_LOW
