"""Tables of a ruleset: the results of every row, board and pair."""

from collections.abc import Hashable
from functools import lru_cache
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.board import ByRow
from scoring.bulk.rows import row_places
from scoring.exchange import Breakdown, ScoredBoard, exchange_points
from scoring.fantasyland import enters, stays
from scoring.foul import FoulReason, find_foul
from scoring.royalty import NO_ROYALTIES, find_royalties
from scoring.ruleset import Ruleset
from scoring.strength import Category, Strength, is_low

FOULS: Final = (None, *FoulReason)
"""The reason of a foul, by its number; 0 is a board without a foul."""

FOUL: Final = np.uint8(0b111)
ENTERS: Final = np.uint8(3)
STAYS: Final = np.uint32(1 << 8)
ROYALTIES: Final = np.uint32(9)
"""
What a board is worth in 32 bits: three for the number of its foul, five from `ENTERS` on for the cards that an ordinary
hand earns, one for whether a Fantasyland hand stays, and the rest from `ROYALTIES` on for royalties.
"""

ORDERS: Final = 8
"""So many numbers `order_of` can give."""

_WEAKEST: Final = ByRow(
    Strength(Category.HIGH_CARD, (4, 3, 2)),
    Strength(Category.HIGH_CARD, (11, 5, 4, 3, 2)),
    Strength(Category.HIGH_CARD, (11, 5, 4, 3, 2)),
)
"""Rows that earn nothing anywhere: they stand beside the row that is asked for."""

ACES: Final = Strength(Category.THREE_OF_A_KIND, (14, 14, 14))

Numbers = NDArray[np.uint16]


class RulesetTables(NamedTuple):
    """
    The tables that scoring looks up.

    Attributes:
        kinds: a number for each row, by place, the same for rows with the same results; the numbers of three rows add
            up to the board's. There are at most 27 kinds at the top, 11 in the middle and 10 at the bottom.
        boards: the score of a board, by `order_of` its rows times the count of numbers, plus its number.
        royalties_top, royalties_middle: the royalties of two of its rows, by the same index.
        points: the points of an exchange without royalties, by how each row of the first compares (0 weaker, 1 equal,
            2 stronger; the middle counts 3 times, the top 9 times), and, 27 times, by who is foul (the first counts
            twice).
        breakdowns: the parts of those points, by the same index.
    """

    kinds: ByRow[Numbers]
    boards: NDArray[np.uint32]
    royalties_top: NDArray[np.int32]
    royalties_middle: NDArray[np.int32]
    points: NDArray[np.int32]
    breakdowns: tuple[Breakdown, ...]


@lru_cache(maxsize=64)
def ruleset_tables(ruleset: Ruleset) -> RulesetTables:
    """
    Build the tables by calling the rules for every row and result, once for each ruleset.

    >>> from scoring.presets import PRESETS
    >>> tables = ruleset_tables(PRESETS["pineapple"])
    >>> tables.points.tolist()[13], tables.points.tolist()[26], tables.points.tolist()[27]
    (0, 6, 6)
    """
    breakdowns = _breakdowns(ruleset)
    points = [each.row_points + each.bonus + each.foul for each in breakdowns]
    kinds, examples = _kinds(ruleset)
    return RulesetTables(kinds, *_boards(ruleset, examples), np.array(points, dtype=np.int32), breakdowns)


def order_of(top: Any, middle: Any, bottom: Any) -> Any:
    """
    Return a number for which rows of a board beat which.

    It accepts the strengths of a board and the places of many boards.
    """
    return (top > middle) | (middle > bottom) * np.uint8(2) | (top > bottom) * np.uint8(4)


def _kinds(ruleset: Ruleset) -> tuple[ByRow[Numbers], ByRow[list[Strength]]]:
    """Return the kind of every row in each position, and an example of each kind."""
    strengths = row_places().strengths
    fives = [strength for strength in strengths if len(strength.ranks) == 5]
    weak = _WEAKEST

    def earns(top: Strength, middle: Strength) -> int:
        return enters(ByRow(top, middle, weak.bottom), ruleset)

    beside = {(earns(weak.top, middle), earns(ACES, middle)): middle for middle in fives}.values()

    def top(row: Strength) -> Hashable:
        board = ByRow(row, weak.middle, weak.bottom)
        return find_royalties(board, ruleset).top, stays(board, ruleset), *(earns(row, middle) for middle in beside)

    def middle(row: Strength) -> Hashable:
        board = ByRow(weak.top, row, weak.bottom)
        alone = find_royalties(board, ruleset).middle, stays(board, ruleset), is_low(row)
        return *alone, earns(weak.top, row), earns(ACES, row)

    def bottom(row: Strength) -> Hashable:
        board = ByRow(weak.top, weak.middle, row)
        return find_royalties(board, ruleset).bottom, stays(board, ruleset)

    kinds, examples, step = [], [], 1
    for ask, cards in ((top, 3), (middle, 5), (bottom, 5)):
        asked = [ask(strength) if len(strength.ranks) == cards else None for strength in strengths]
        by_kind = {kind: strength for kind, strength in zip(asked, strengths, strict=True) if kind is not None}
        numbers = {None: 0, **{kind: number * step for number, kind in enumerate(by_kind)}}
        kinds.append(np.array([numbers[kind] for kind in asked], np.uint16))
        examples.append(list(by_kind.values()))
        step *= len(by_kind)
    return ByRow(*kinds), ByRow(*examples)


def _boards(
    ruleset: Ruleset, examples: ByRow[list[Strength]]
) -> tuple[NDArray[np.uint32], NDArray[np.int32], NDArray[np.int32]]:
    """Return scores, royalties of the top and of the middle row of boards in every order of every three kinds."""
    worth, tops, middles, qualifies = [], [], [], []
    for bottom, middle, top in product(examples.bottom, examples.middle, examples.top):
        board = ByRow(top, middle, bottom)
        royalties = find_royalties(board, ruleset)
        marks = enters(board, ruleset) << int(ENTERS) | stays(board, ruleset) * int(STAYS)
        worth.append(sum(royalties) << int(ROYALTIES) | marks)
        tops.append(royalties.top)
        middles.append(royalties.middle)
        qualifies.append(int(is_low(middle)))
    fouls = _fouls(ruleset)[:, qualifies]
    of_top, of_middle = (
        np.where(fouls > 0, np.int32(0), np.array(points, np.int32)).ravel() for points in (tops, middles)
    )
    return np.where(fouls > 0, fouls, np.array(worth, np.uint32)).ravel(), of_top, of_middle


def _fouls(ruleset: Ruleset) -> NDArray[np.uint32]:
    """Return the fouls of all orders, with middle rows that qualify as lows or do not: [orders, 2]."""
    lows = [Strength(Category.HIGH_CARD, ranks) for ranks in ((7, 5, 4, 3, 2), (8, 6, 4, 3, 2), (9, 7, 5, 4, 2))]
    high = [Strength(Category.HIGH_CARD, (highest, 6, 4, 3, 2)) for highest in (11, 12, 13)]
    fouls = np.zeros((ORDERS, 2), np.uint32)
    for top, middle, bottom in product(lows + high, repeat=3):
        reason = find_foul(ByRow(top, middle, bottom), ruleset.low_middle)
        fouls[order_of(top, middle, bottom), int(is_low(middle))] = FOULS.index(reason)
    return fouls


def _breakdowns(ruleset: Ruleset) -> tuple[Breakdown, ...]:
    """Return the points of every pair of boards: good or foul, and each row stronger, equal or weaker."""
    weak, even, strong = (Strength(Category.HIGH_CARD, (highest, 6, 4, 3, 2)) for highest in (8, 9, 10))
    second = ByRow(even, even, even)
    breakdowns = []
    for first_foul, second_foul, *rows in product(FOULS[:2], FOULS[:2], *[(weak, even, strong)] * 3):
        exchange = exchange_points(
            ScoredBoard(1, ByRow(*rows), first_foul, NO_ROYALTIES, 0, None),
            ScoredBoard(2, second, second_foul, NO_ROYALTIES, 0, None),
            ruleset,
        )
        assert exchange.breakdown is not None
        breakdowns.append(exchange.breakdown)
    return tuple(breakdowns)
