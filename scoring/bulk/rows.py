"""All rows, ranked from the weakest to the strongest, and the cards of one deck."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.cards import DECK, SUITS
from scoring.ruleset import BOARD_SIZE, DECK_SIZE
from scoring.strength import Strength, strength_of

RANKS: Final = 13
NIBBLE: Final = 16
"""Ranks are read as four bits of a card's byte, so that no byte whatever leads outside a table."""

_SUITS: Final = np.uint64(0x03030303 << 32)
"""The suits of the last four bytes of a word."""
_RANKS: Final = np.uint64(0x3C3C3C3C3C3C3C3C)
_LAST_FIVE: Final = np.uint64(1 << 2 | 1 << 22)
"""Times this, the ranks of a word's last five bytes stand side by side, in some order, in the highest 20 bits."""
_FIRST_THREE: Final = np.uint64(1 << 42 | 1 << 54)
"""Times this, those of its first three bytes do, in the highest 12 bits."""

Key = int
Places = NDArray[np.uint16]


class RowPlaces(NamedTuple):
    """
    Tables of the places of all rows: 455 of three cards and 7,462 of five.

    Attributes:
        strengths: the strength of every row, by place; the weakest is at 0.
        five: the places of five-card rows by ranks and, from 16⁵ on, for several suits.
        top: the places of three-card rows by ranks.
    """

    strengths: tuple[Strength, ...]
    five: Places
    top: Places


@lru_cache(maxsize=1)
def row_places() -> RowPlaces:
    """
    Compute the strength of every row once, and rank all rows.

    Rows of three cards are ranked among those of five, so that places can be compared for both.

    >>> places = row_places()
    >>> len(places.strengths), places.strengths[0], places.strengths[-1].category.label
    (7917, Strength(category=<Category.HIGH_CARD: 0>, ranks=(4, 3, 2)), 'royal_flush')
    """
    tops = {_key(ranks): _strength(ranks) for ranks in combinations_with_replacement(range(RANKS), 3)}
    mixed = {
        _key(ranks): _strength(ranks)
        for ranks in combinations_with_replacement(range(RANKS), 5)
        if ranks[0] != ranks[4]  # a deck has four of a rank
    }
    flushes = {_key(ranks): _strength(ranks, flush=True) for ranks in combinations(range(RANKS), 5)}
    strengths = tuple(sorted({*tops.values(), *mixed.values(), *flushes.values()}))
    place = {strength: number for number, strength in enumerate(strengths)}

    def places(rows: Mapping[Key, Strength], keys: NDArray[np.int64]) -> Places:
        return np.array([place[rows[key]] if key in rows else 0 for key in keys.tolist()], dtype=np.uint16)

    one = np.array([_key([rank]) if rank < RANKS else 0 for rank in range(NIBBLE)])
    two_keys, two = np.unique(np.add.outer(one, one), return_inverse=True)
    three_keys, three = np.unique(np.add.outer(np.add.outer(one, one), one), return_inverse=True)
    five_keys = np.add.outer(two_keys, three_keys).ravel()
    five = np.add.outer(two.ravel() * len(three_keys), three.ravel()).ravel()
    return RowPlaces(
        strengths,
        five=np.concatenate([places(flushes, five_keys)[five], places(mixed, five_keys)[five]]),
        top=places(tops, three_keys)[three.ravel()],
    )


def _key(ranks: Iterable[int]) -> Key:
    """Return a key with the count of every rank in three bits."""
    return sum(1 << 3 * rank for rank in ranks)


def _strength(ranks: tuple[int, ...], *, flush: bool = False) -> Strength:
    """Return the strength of cards with these ascending ranks, in one suit or in several."""
    number = len(SUITS)
    return strength_of([DECK[rank * number + (0 if flush else at % number)] for at, rank in enumerate(ranks)])


def place_rows(boards: NDArray[np.uint8]) -> Places:
    """
    Return the place of each row of each board.

    Bytes that are not cards give arbitrary places.

    Args:
        boards: [hands, players, 13], packed.

    Returns:
        [3, players, hands]: top, middle, bottom.
    """
    places = row_places()
    hands, players, size = boards.shape
    # Eight bytes hold the top and the middle, and the last eight, three of the middle and the bottom.
    eights = np.ndarray((2, players, hands), "<u8", np.ascontiguousarray(boards), 0, (5, size, players * size))
    cards = eights.astype(np.uint64, order="C")
    suits = cards << np.uint64(8)
    suits ^= cards
    suits &= _SUITS
    np.sign(suits, out=suits)  # 0 where each card of the five is of the suit of the one before, 1 elsewhere
    suits <<= np.uint64(20)
    cards &= _RANKS
    three = cards[0] * _FIRST_THREE
    three >>= np.uint64(64 - 12)
    cards *= _LAST_FIVE
    cards >>= np.uint64(64 - 20)
    cards += suits
    placed = np.empty((3, players, hands), np.uint16)
    np.take(places.top, three.view(np.int64), out=placed[0], mode="wrap")
    np.take(places.five, cards.view(np.int64), out=placed[1:], mode="wrap")
    return placed


SLICE: Final = 8192

_BITS: Final = np.array([1 << card if card < DECK_SIZE else 0 for card in range(256)], np.uint64)
"""A bit for every card, and none for a byte that is no card."""


def are_one_deck(boards: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """
    Return for each hand whether all its bytes are cards, and all cards are different.

    Discards and streets are not included; the plain rules check them.

    >>> three = np.arange(39, dtype=np.uint8).reshape(1, 3, 13)
    >>> are_one_deck(three).tolist(), are_one_deck(three + np.uint8(14)).tolist(), are_one_deck(three % 38).tolist()
    ([True], [False], [False])

    Args:
        boards: [hands, players, 13], packed.

    Rule: docs/rules.md#the-deal
    """
    hands, players, _ = boards.shape
    one_deck = np.empty(hands, np.bool_)
    for start in range(0, hands, SLICE):
        cards = np.ascontiguousarray(boards[start : start + SLICE].reshape(-1, players * BOARD_SIZE).T)
        seen = np.zeros(cards.shape[1], np.uint64)
        for card in cards:
            seen |= np.take(_BITS, card)
        one_deck[start : start + SLICE] = np.bitwise_count(seen) == players * BOARD_SIZE
    return one_deck
