"""Settle the rounds of many lines at once."""

import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress
from math import ceil
from typing import Final

import numpy as np

from schemas.documents import RoundDocument
from scoring.bulk.round_states import OPEN
from scoring.bulk.rounds import BulkRounds, PackedRound
from scoring.bulk.settle import settle_rounds
from scoring.bulk.transfers import LIMITS
from scoring.deal import find_deal_mistakes
from scoring.round import open_round
from scoring.round_state import Round
from service.imports.actions.read_lines import ReadLine
from service.recomputations.packed.rounds import TRANSFER_FIELDS, Figures, pairs_of
from service.rounds.actions.checks import are_exact
from service.rounds.queries.round_hands import HandFigures


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """
    Let Python not look for circles of objects while the block runs.

    Hundreds of documents are a hundred thousand objects and no circle; going through them again and again took a
    seventh of an import's time, and an eighth of the time of a look at a thousand rounds. Once afterwards took half as
    much still: so it covers a whole call, until all are gone.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


FEWEST: Final = 8
"""So many rounds that are alike are settled sooner together than one by one."""
MOST: Final = 150
"""So many at most: PostgreSQL has nothing to do until the first are settled, and more take hardly less each."""

_LISTS: Final = HandFigures._fields[:-2]
_OF_PLAYERS: Final = _LISTS.index("exchanges")
"""So many of these lists have something for every player dealt in; exchanges come next."""
_LIMITED_BY: Final = TRANSFER_FIELDS.index("limited_by")


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round before its first hand, what its hands come to, and where it stands after them."""

    opened: Round
    hands: Sequence[HandFigures]
    after: Round


class SettledLines:
    """
    What the rounds of lines come to that are as most are, settled many at once when one of them is asked for.

    Who leaves a round early, closes it or leaves it open is left to the rules by themselves; and so is whatever cannot
    be, for they alone say why.
    """

    def __init__(self, lines: Iterable[ReadLine]) -> None:
        alike: defaultdict[tuple[str, int], list[ReadLine]] = defaultdict(list)
        for line in lines:
            if _may_be_usual(line.head):
                alike[line.head.ruleset, len(line.head.seats)].append(line)
        self._settled: dict[int, SettledRound] = {}
        self._waiting = {
            line.number: part
            for group in alike.values()
            if len(group) >= FEWEST
            for part in _cut(group)
            for line in part
        }

    def find(self, number: int) -> SettledRound | None:
        """Find what the round of a line comes to, by the line's number."""
        part = self._waiting.get(number, ())
        for line in part:
            del self._waiting[line.number]
        self._settled.update(_settle([line for line in part if _is_usual(line)]))
        return self._settled.pop(number, None)


def _may_be_usual(head: RoundDocument) -> bool:
    return not (head.departures or head.closed or head.irregular or head.expected is not None)


def _cut(lines: Sequence[ReadLine]) -> Iterator[Sequence[ReadLine]]:
    """Cut lines into parts of about one size."""
    size = ceil(len(lines) / ceil(len(lines) / MOST))
    return (lines[start : start + size] for start in range(0, len(lines), size))


def _is_usual(line: ReadLine) -> bool:
    return not any(hand.knows_more for hand in line.hands) or not _find_mistakes(line)


def _find_mistakes(line: ReadLine) -> bool:
    """Look at discards and streets, at which nobody looks in bulk."""
    hands = line.document().hands
    return any(find_deal_mistakes(submitted.hand.players, line.ruleset) for submitted in hands)


def _settle(lines: Sequence[ReadLine]) -> Iterator[tuple[int, SettledRound]]:
    """Settle rounds of one ruleset, with as many seats each."""
    if not lines:
        return
    ruleset = lines[0].ruleset
    rounds = BulkRounds.packed([PackedRound(line.head.seats, [hand.packed for hand in line.hands]) for line in lines])
    settlement = settle_rounds(ruleset, rounds)
    hands = _hand_figures(rounds, Figures.of(rounds, settlement))
    status = settlement.expected.status[settlement.final]
    starts = rounds.starts.tolist()
    for place in np.flatnonzero(~settlement.refused & (status != OPEN)).tolist():
        line = lines[place]
        opened = open_round(ruleset, line.head.seats)
        played = hands[starts[place] : starts[place] + len(line.hands)]
        after = settlement.end_of(place, opened)
        if are_exact(after, line.head.point_value):
            yield line.number, SettledRound(opened, played, after)


def _hand_figures(rounds: BulkRounds, figures: Figures) -> list[HandFigures]:
    """Take hands out of arrays, without who did not play in them."""
    columns = [getattr(figures, name).tolist() for name in _LISTS]
    transfers, counts = figures.transfers.tolist(), figures.transfer_count[:, 0].tolist()
    hands = []
    for dealt, paid, count, *lists in zip(rounds.dealt.tolist(), transfers, counts, *columns, strict=True):
        if not all(dealt):
            lists[:_OF_PLAYERS] = [list(compress(each, dealt)) for each in lists[:_OF_PLAYERS]]
            lists[_OF_PLAYERS] = lists[_OF_PLAYERS][: pairs_of(sum(dealt))]
        rows = [(*row[:_LIMITED_BY], LIMITS[row[_LIMITED_BY]], *row[_LIMITED_BY + 1 :]) for row in paid[:count]]
        hands.append(HandFigures._make([*lists, rows, None]))
    return hands
