"""What finished hands are worth, before any chips move: many at once."""

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.bulk.rows import Places, place_rows
from scoring.bulk.tables import ENTRY_BITS, ROYALTY_BITS, STAY_BITS, RulesetTables, foul_key, ruleset_tables
from scoring.fantasyland import Fantasyland, renew
from scoring.ruleset import Ruleset

SLICE: Final = 8192
"""So many hands are worked on at once: few enough to stay in a processor's cache, so memory is the answer's alone."""

FOUL_KEYS: Final = 27
"""How many results three rows have; the keys of exchanges count them first, then who is foul."""


@dataclass(frozen=True, slots=True)
class BulkScore:
    """
    Every board by itself and every pair of many hands with as many players each.

    Columns of boards stand as the boards were given, by seat; those of pairs as `combinations` gives them: (0, 1),
    (0, 2), (1, 2) of three. Signs are from the side of a pair's first.

    Attributes:
        ruleset: the rules in force.
        fouls: [hands, players], a number of `FOULS`; 0 is a good board.
        royalties: [hands, players], points of all three rows.
        enters: [hands, players], how many cards an ordinary hand earns; 0 for none.
        stays: [hands, players], whether a Fantasyland hand meets a condition for staying.
        exchanges: [hands, pairs], points between two, before any cap.
        keys: [hands, pairs], what the exchange was looked up by.
    """

    ruleset: Ruleset
    fouls: NDArray[np.uint8]
    royalties: NDArray[np.int32]
    enters: NDArray[np.uint8]
    stays: NDArray[np.bool_]
    exchanges: NDArray[np.int32]
    keys: NDArray[np.uint8]

    @property
    def points(self) -> NDArray[np.int64]:
        """Give each player's sum over his exchanges: [hands, players]."""
        points = np.zeros(self.fouls.shape, np.int64)
        for pair, (first, second) in enumerate(combinations(range(self.fouls.shape[1]), 2)):
            points[:, first] += self.exchanges[:, pair]
            points[:, second] -= self.exchanges[:, pair]
        return points

    @property
    def rows(self) -> NDArray[np.int8]:
        """Say who wins each row, 1 the first, -1 the second, 0 nobody: [hands, pairs, 3]."""
        return np.array([tuple(each.rows) for each in self._tables.breakdowns], dtype=np.int8)[self.keys]

    @property
    def row_points(self) -> NDArray[np.int32]:
        """Give the points for rows: [hands, pairs]."""
        return np.array([each.row_points for each in self._tables.breakdowns], dtype=np.int32)[self.keys]

    @property
    def bonuses(self) -> NDArray[np.int32]:
        """Give the points for two or three rows: [hands, pairs]."""
        return np.array([each.bonus for each in self._tables.breakdowns], dtype=np.int32)[self.keys]

    @property
    def foul_points(self) -> NDArray[np.int32]:
        """Give the points for a foul against a good board: [hands, pairs]."""
        return np.array([each.foul for each in self._tables.breakdowns], dtype=np.int32)[self.keys]

    def earned(self, fantasyland: NDArray[np.uint8], stays: NDArray[np.int64]) -> NDArray[np.uint8]:
        """
        Say how many cards of Fantasyland each board earns for the next hand: [hands, players].

        Args:
            fantasyland: how many cards were dealt there, 0 outside: [hands, players].
            stays: how many times in a row each had stayed there before: [hands, players].
        """
        return earn(self.ruleset, self.enters, self.stays, fantasyland, stays)

    @property
    def _tables(self) -> RulesetTables:
        return ruleset_tables(self.ruleset)


def earn(
    ruleset: Ruleset,
    enters: NDArray[np.uint8],
    meets: NDArray[np.bool_],
    fantasyland: NDArray[np.uint8],
    stays: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """
    Say how many cards of Fantasyland each board earns, as `BulkScore.earned` does.

    Rule: docs/rules.md#fantasyland
    """
    earned = np.where(fantasyland > 0, np.uint8(0), enters)
    renewing = (fantasyland > 0) & meets
    before, which = np.unique(stays[renewing], return_inverse=True)
    renewed = [renew(Fantasyland(0, count), ruleset) for count in before.tolist()]
    earned[renewing] = np.array([each.cards if each else 0 for each in renewed], dtype=np.uint8)[which]
    return earned


def score_hands(ruleset: Ruleset, boards: NDArray[np.uint8]) -> BulkScore:
    """
    Score every board and every pair of many hands that have as many players each.

    Boards are packed as `Board.packed` packs them, so that bytes as they were kept are read without a copy:

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> ann = Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h").packed
    >>> bob = Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs").packed
    >>> boards = np.frombuffer(ann + bob, np.uint8).reshape(1, 2, 13)
    >>> score = score_hands(PRESETS["pineapple"], boards)
    >>> score.exchanges.tolist(), score.rows.tolist(), score.royalties.tolist(), score.enters.tolist()
    ([[4]], [[[1, -1, -1]]], [[11, 6]], [[14, 0]])

    Bytes that are no card, and cards that come twice, are scored as something; `are_one_deck` tells them.

    Args:
        ruleset: the rules in force.
        boards: [hands, players, 13].

    Rule: docs/rules.md#points-between-two-players
    """
    hands, players, _ = boards.shape
    pairs = len(list(combinations(range(players), 2)))
    found = BulkScore(
        ruleset,
        fouls=np.empty((players, hands), np.uint8).T,
        royalties=np.empty((players, hands), np.int32).T,
        enters=np.empty((players, hands), np.uint8).T,
        stays=np.empty((players, hands), np.bool_).T,
        exchanges=np.empty((pairs, hands), np.int32).T,
        keys=np.empty((pairs, hands), np.uint8).T,
    )
    tables = ruleset_tables(ruleset)
    for start in range(0, hands, SLICE):
        stretch = slice(start, start + SLICE)
        places = place_rows(boards[stretch])
        _score_boards(tables, places, found, stretch)
        _score_pairs(tables, places, found, stretch)
    return found


def _score_boards(tables: RulesetTables, places: Places, found: BulkScore, stretch: slice) -> None:
    """Look up what each board earns, and take it from foul ones."""
    top, middle, bottom = places
    facts = np.take(tables.facts.top, top, mode="wrap")
    facts += np.take(tables.facts.middle, middle, mode="wrap")
    facts += np.take(tables.facts.bottom, bottom, mode="wrap")
    qualifies = (facts >> np.uint32(ROYALTY_BITS + STAY_BITS + ENTRY_BITS)).astype(np.uint8)
    fouls = found.fouls[stretch].T
    np.take(tables.fouls, foul_key(top, middle, bottom, qualifies), out=fouls, mode="wrap")
    good = fouls == 0
    royalties = facts & np.uint32((1 << ROYALTY_BITS) - 1)
    np.multiply(royalties, good, out=found.royalties[stretch].T, casting="unsafe")
    facts >>= np.uint32(ROYALTY_BITS)
    np.logical_and(facts & np.uint32((1 << STAY_BITS) - 1), good, out=found.stays[stretch].T)
    facts >>= np.uint32(STAY_BITS)
    entry = facts.astype(np.uint8) & np.uint8((1 << ENTRY_BITS) - 1)
    np.multiply(np.take(tables.entries, entry, mode="wrap"), good, out=found.enters[stretch].T)


def _score_pairs(tables: RulesetTables, places: Places, found: BulkScore, stretch: slice) -> None:
    """Look up what each pair's rows and fouls come to, and offset royalties."""
    royalties = found.royalties[stretch].T
    foul = (found.fouls[stretch].T > 0).view(np.uint8) * np.uint8(FOUL_KEYS)
    for pair, (first, second) in enumerate(combinations(range(len(royalties)), 2)):
        one, other = places[:, first], places[:, second]
        top, middle, bottom = (one >= other).view(np.uint8) + (one > other).view(np.uint8)
        key = found.keys[stretch].T[pair]
        np.add(top * np.uint8(9) + middle * np.uint8(3) + bottom, foul[first] * np.uint8(2) + foul[second], out=key)
        points = found.exchanges[stretch].T[pair]
        np.take(tables.points, key, out=points, mode="wrap")
        points += royalties[first]
        points -= royalties[second]
