"""Royalties by row and scoops of many hands."""

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.board import ByRow
from scoring.bulk.rows import place_rows, row_places
from scoring.bulk.score import score_hands
from scoring.bulk.tables import WEAKEST
from scoring.royalty import find_royalties
from scoring.ruleset import BOARD_SIZE, Points, Ruleset
from scoring.strength import Strength

_ROWS: Final = 3


class HandTally(NamedTuple):
    """
    For each player of a hand, in the order of seats, the royalties of each row; and who scooped whom.

    Attributes:
        royalties: the royalties of top, middle and bottom of each player.
        scoops: pairs of players, as their places in the order of seats: who won all three rows, and against whom.
    """

    royalties: list[tuple[Points, Points, Points]]
    scoops: list[tuple[int, int]]


def tally_hands(ruleset: Ruleset, boards: bytes, players: int) -> list[HandTally]:
    """
    Return royalties by row and scoops of hands with the same number of players.

    A foul board has no royalties, and nobody scoops or is scooped with one.

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> ann = Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h").packed
    >>> bob = Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs").packed
    >>> tally_hands(PRESETS["pineapple"], ann + bob, 2)
    [HandTally(royalties=[(7, 0, 4), (0, 0, 6)], scoops=[])]

    Args:
        ruleset: the rules in force.
        boards: the boards of all hands, packed by `Board.packed`.
        players: the number of players of each hand.

    Rule: docs/rules.md#royalties
    """
    packed = np.frombuffer(boards, np.uint8).reshape(-1, players, BOARD_SIZE)
    scored = score_hands(ruleset, packed)
    placed = place_rows(packed)
    tables = _row_royalties(ruleset)
    royalties = np.stack([table[places] for table, places in zip(tables, placed, strict=True)], axis=-1)
    royalties = np.where(scored.fouls.T[..., np.newaxis] > 0, 0, royalties).swapaxes(0, 1)
    scoops: list[list[tuple[int, int]]] = [[] for _ in range(len(packed))]
    pairs = list(combinations(range(players), 2))
    won = scored.rows.sum(axis=2)
    for hand, pair in np.argwhere(np.abs(won) == _ROWS).tolist():
        first, second = pairs[pair]
        scoops[hand].append((first, second) if won[hand, pair] > 0 else (second, first))
    return [
        HandTally([(top, middle, bottom) for top, middle, bottom in rows], scooped)
        for rows, scooped in zip(royalties.tolist(), scoops, strict=True)
    ]


@lru_cache(maxsize=64)
def _row_royalties(ruleset: Ruleset) -> ByRow[NDArray[np.int64]]:
    """Return the royalty of every row by place, as top, middle and bottom, by calling the rules for each."""
    weak = WEAKEST
    return ByRow(
        _look_up(3, lambda row: find_royalties(ByRow(row, weak.middle, weak.bottom), ruleset).top),
        _look_up(5, lambda row: find_royalties(ByRow(weak.top, row, weak.bottom), ruleset).middle),
        _look_up(5, lambda row: find_royalties(ByRow(weak.top, weak.middle, row), ruleset).bottom),
    )


def _look_up(cards: int, find_royalty: Callable[[Strength], Points]) -> NDArray[np.int64]:
    """Return a figure of each row with so many cards, by place; 0 for other rows."""
    return np.array([find_royalty(row) if len(row.ranks) == cards else 0 for row in row_places().strengths], np.int64)
