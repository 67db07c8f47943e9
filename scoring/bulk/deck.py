"""Check that the cards of boards come from one deck."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.ruleset import BOARD_SIZE, DECK_SIZE

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
