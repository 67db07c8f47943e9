"""What the rules of a ruleset say of every row and of every result, as tables."""

from collections.abc import Callable
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
"""What the number of a foul stands for; 0 is a good board."""

ROYALTY_BITS: Final = 22
STAY_BITS: Final = 2
ENTRY_BITS: Final = 4
"""A row's facts in 32 bits, so that those of three rows add up to a board's: royalties, stays, entry, low."""

WEAKEST: Final = ByRow(
    Strength(Category.HIGH_CARD, (4, 3, 2)),
    Strength(Category.HIGH_CARD, (11, 5, 4, 3, 2)),
    Strength(Category.HIGH_CARD, (11, 5, 4, 3, 2)),
)
"""Rows that earn nothing anywhere: they stand beside the row that is asked for."""

ACES: Final = Strength(Category.THREE_OF_A_KIND, (14, 14, 14))

_BITS: Final = np.array([1, 2, 4, 8], np.uint8)

Facts = NDArray[np.uint32]


class RulesetTables(NamedTuple):
    """
    All that scoring looks up.

    Attributes:
        facts: of each row, by place.
        fouls: a foul's number, by `foul_key`.
        entries: the cards that an ordinary hand earns, by the entry in a board's facts.
        points: of an exchange without royalties, by `exchange_key`.
        breakdowns: where those points come from, by the same.
    """

    facts: ByRow[Facts]
    fouls: NDArray[np.uint8]
    entries: NDArray[np.uint8]
    points: NDArray[np.int32]
    breakdowns: tuple[Breakdown, ...]


@lru_cache(maxsize=64)
def ruleset_tables(ruleset: Ruleset) -> RulesetTables:
    """
    Ask the rules about every row and every result, once for each ruleset.

    >>> from scoring.presets import PRESETS
    >>> tables = ruleset_tables(PRESETS["pineapple"])
    >>> tables.points.tolist()[13], tables.points.tolist()[26], tables.points.tolist()[27]
    (0, 6, 6)
    """
    breakdowns = _breakdowns(ruleset)
    points = [each.row_points + each.bonus + each.foul for each in breakdowns]
    facts, entries = _facts(ruleset)
    return RulesetTables(facts, _fouls(ruleset), entries, np.array(points, dtype=np.int32), breakdowns)


def foul_key(top: Any, middle: Any, bottom: Any, qualifies: Any) -> Any:
    """
    Number what decides about a foul: which rows beat which, and whether the middle qualifies as a low.

    Serves a board's strengths and many boards' places alike; `qualifies` is 0 or 1.
    """
    one, two, four, eight = _BITS
    return (top > middle) * one | (middle > bottom) * two | (top > bottom) * four | qualifies * eight


def _fouls(ruleset: Ruleset) -> NDArray[np.uint8]:
    """Ask about boards of all orders, with rows that qualify as lows and rows that do not."""
    lows = [Strength(Category.HIGH_CARD, ranks) for ranks in ((7, 5, 4, 3, 2), (8, 6, 4, 3, 2), (9, 7, 5, 4, 2))]
    high = [Strength(Category.HIGH_CARD, (highest, 6, 4, 3, 2)) for highest in (11, 12, 13)]
    fouls = np.zeros(16, np.uint8)
    for top, middle, bottom in product(lows + high, repeat=3):
        reason = find_foul(ByRow(top, middle, bottom), ruleset.low_middle)
        fouls[foul_key(top, middle, bottom, is_low(middle))] = FOULS.index(reason)
    return fouls


def _breakdowns(ruleset: Ruleset) -> tuple[Breakdown, ...]:
    """Ask about every pair of boards: good or foul, and each row stronger, equal or weaker."""
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


def _facts(ruleset: Ruleset) -> tuple[ByRow[Facts], NDArray[np.uint8]]:
    """Ask what every row earns in every place, the others being the weakest."""
    strengths = row_places().strengths
    five = [place for place, strength in enumerate(strengths) if len(strength.ranks) == 5]
    three = [place for place, strength in enumerate(strengths) if len(strength.ranks) == 3]
    facts = ByRow(*(np.zeros(len(strengths), np.uint32) for _ in range(3)))
    weak = WEAKEST

    def fill(places: list[int], table: Facts, ask: Callable[[Strength], tuple[int, bool]]) -> None:
        for place in places:
            royalty, stay = ask(strengths[place])
            table[place] = royalty | stay << ROYALTY_BITS

    def top(row: Strength) -> tuple[int, bool]:
        board = ByRow(row, weak.middle, weak.bottom)
        return find_royalties(board, ruleset).top, stays(board, ruleset)

    def middle(row: Strength) -> tuple[int, bool]:
        board = ByRow(weak.top, row, weak.bottom)
        return find_royalties(board, ruleset).middle, stays(board, ruleset)

    def bottom(row: Strength) -> tuple[int, bool]:
        board = ByRow(weak.top, weak.middle, row)
        return find_royalties(board, ruleset).bottom, stays(board, ruleset)

    fill(three, facts.top, top)
    fill(five, facts.middle, middle)
    fill(five, facts.bottom, bottom)
    return facts, _entries(ruleset, facts, three, five)


def _entries(ruleset: Ruleset, facts: ByRow[Facts], three: list[int], five: list[int]) -> NDArray[np.uint8]:
    """
    Ask which tops and middles enter Fantasyland together.

    Middles are of one kind where they earn the same beside the weakest and the strongest top; tops, where they earn the
    same beside each kind of middle. There are at most two kinds of middles and six of tops.
    """
    strengths = row_places().strengths

    def earns(top: Strength, middle: Strength) -> int:
        return enters(ByRow(top, middle, WEAKEST.bottom), ruleset)

    middles: dict[tuple[int, int], Strength] = {}
    middle_kinds = {}
    for place in five:
        kind = (earns(WEAKEST.top, strengths[place]), earns(ACES, strengths[place]))
        middles.setdefault(kind, strengths[place])
        middle_kinds[place] = list(middles).index(kind)
    tops: dict[tuple[int, ...], int] = {}
    for place in three:
        beside_each = tuple(earns(strengths[place], middle) for middle in middles.values())
        number = tops.setdefault(beside_each, len(tops))
        facts.top[place] |= number * len(middles) << ROYALTY_BITS + STAY_BITS
    for place, number in middle_kinds.items():
        qualifies = is_low(strengths[place])
        facts.middle[place] |= (number | qualifies << ENTRY_BITS) << ROYALTY_BITS + STAY_BITS
    entries = np.zeros(1 << ENTRY_BITS, np.uint8)
    found = [cards for kind in tops for cards in kind]
    entries[: len(found)] = found
    return entries
