"""Every row that there is, in its place from the weakest to the strongest."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.cards import DECK, SUITS
from scoring.strength import Strength, strength_of

RANKS: Final = 13
NIBBLE: Final = 16
"""Ranks are read as four bits of a card's byte, so that no byte whatever leads outside a table."""

Key = int
Places = NDArray[np.uint16]


class RowPlaces(NamedTuple):
    """
    Where to look for a row's place among all rows: 455 of three cards and 7,462 of five.

    Five cards are looked up as two and three: which ranks the two have and whether all five are of one suit, then which
    ranks the three have; both numbers together lead to the place.

    Attributes:
        strengths: of every row, by place; the weakest stands at 0.
        two: by two ranks and, from 256 on, a flush.
        three: by three ranks.
        five: by the sum of both.
        top: by three ranks, for the row of three.
    """

    strengths: tuple[Strength, ...]
    two: NDArray[np.uint32]
    three: NDArray[np.uint16]
    five: Places
    top: Places


@lru_cache(maxsize=1)
def row_places() -> RowPlaces:
    """
    Ask for the strength of every row once, and put all in order.

    Rows of three stand among those of five as the rules compare them, so that one comparison of places serves both.

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

    def places(rows: Mapping[Key, Strength], wanted: NDArray[np.int64]) -> Places:
        return np.array([place[rows[key]] if key in rows else 0 for key in wanted.tolist()], dtype=np.uint16)

    one = np.array([_key([rank]) if rank < RANKS else 0 for rank in range(NIBBLE)])
    two_keys, two = np.unique(np.add.outer(one, one), return_inverse=True)
    three_keys, three = np.unique(np.add.outer(np.add.outer(one, one), one), return_inverse=True)
    five_keys = np.add.outer(two_keys, three_keys).ravel()
    first = two.ravel() * len(three_keys)
    return RowPlaces(
        strengths,
        two=np.concatenate([first, first + five_keys.size]).astype(np.uint32),
        three=three.ravel().astype(np.uint16),
        five=np.concatenate([places(mixed, five_keys), places(flushes, five_keys)]),
        top=places(tops, three_keys)[three.ravel()],
    )


def _key(ranks: Iterable[int]) -> Key:
    """Count every rank in three bits, whatever the order."""
    return sum(1 << 3 * rank for rank in ranks)


def _strength(ranks: tuple[int, ...], *, flush: bool = False) -> Strength:
    """Lay cards of these ranks, rising: all in one suit, or each in the next."""
    number = len(SUITS)
    return strength_of([DECK[rank * number + (0 if flush else at % number)] for at, rank in enumerate(ranks)])


def place_rows(boards: NDArray[np.uint8]) -> Places:
    """
    Say in which place each row of each board stands.

    Bytes that are no card give some place or other.

    Args:
        boards: [hands, players, 13], packed.

    Returns:
        [3, players, hands]: top, middle, bottom.
    """
    places = row_places()
    cards = np.ascontiguousarray(boards.transpose(2, 1, 0))
    suits = cards[3:].reshape(2, 5, *cards.shape[1:])
    other = suits[:, 0] ^ suits[:, 1]
    for card in range(2, 5):
        other |= suits[:, 0] ^ suits[:, card]
    flush = (other & np.uint8(3)) == 0
    cards >>= np.uint8(2)
    cards &= np.uint8(NIBBLE - 1)
    ranks = cards[3:].reshape(2, 5, *cards.shape[1:])
    row = np.take(places.two, _two(ranks[:, 0], ranks[:, 1]) + flush * np.uint16(NIBBLE**2), mode="wrap")
    row += np.take(places.three, _three(ranks[:, 2], ranks[:, 3], ranks[:, 4]), mode="wrap")
    placed = np.empty((3, *cards.shape[1:]), np.uint16)
    np.take(places.top, _three(cards[0], cards[1], cards[2]), out=placed[0], mode="wrap")
    np.take(places.five, row, out=placed[1:], mode="wrap")
    return placed


def _two(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return first << np.uint8(4) | second


def _three(first: NDArray[np.uint8], second: NDArray[np.uint8], third: NDArray[np.uint8]) -> NDArray[np.uint16]:
    return _two(first, second).astype(np.uint16) << np.uint16(4) | third
