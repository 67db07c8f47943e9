"""Score many finished hands at once."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.bulk.rows import Places, place_rows
from scoring.bulk.tables import ENTERS, FOUL, ORDERS, ROYALTIES, STAYS, RulesetTables, order_of, ruleset_tables
from scoring.fantasyland import Fantasyland, renew
from scoring.ruleset import Ruleset

SLICE: Final = 8192
"""So many hands are worked on at once: few enough to stay in a processor's cache, so only the results need memory."""


@dataclass(frozen=True, slots=True)
class BulkScore:
    """
    The scores of many hands with the same number of players: every board and every pair.

    Columns of boards are in the order of seats; those of pairs in the order of `combinations`: (0, 1),
    (0, 2), (1, 2) of three. Signs are from the side of a pair's first.

    Attributes:
        ruleset: the rules in force.
        fouls: [hands, players], an index of `FOULS`; 0 is a good board.
        royalties: [hands, players], points of all three rows.
        enters: [hands, players], the Fantasyland cards that an ordinary hand earns; 0 for none.
        stays: [hands, players], whether a Fantasyland hand meets a condition for staying.
        exchanges: [hands, pairs], points between two, before any cap.
        board_keys: [hands, players], the keys by which boards are looked up.
        keys: [hands, pairs], the keys by which exchanges are looked up.
    """

    ruleset: Ruleset
    fouls: NDArray[np.uint8]
    royalties: NDArray[np.int32]
    enters: NDArray[np.uint8]
    stays: NDArray[np.bool_]
    exchanges: NDArray[np.int32]
    board_keys: NDArray[np.uint16]
    keys: NDArray[np.uint8]

    @property
    def points(self) -> NDArray[np.int64]:
        """Return the sum of each player's exchanges: [hands, players]."""
        points = np.zeros(self.fouls.shape, np.int64)
        for pair, (first, second) in enumerate(combinations(range(self.fouls.shape[1]), 2)):
            points[:, first] += self.exchanges[:, pair]
            points[:, second] -= self.exchanges[:, pair]
        return points

    @property
    def royalties_top(self) -> NDArray[np.int32]:
        """Return the royalties of the top row: [hands, players]."""
        return np.take(self._tables.royalties_top, self.board_keys, mode="wrap")

    @property
    def royalties_middle(self) -> NDArray[np.int32]:
        """Return the royalties of the middle row: [hands, players]."""
        return np.take(self._tables.royalties_middle, self.board_keys, mode="wrap")

    @property
    def rows(self) -> NDArray[np.int8]:
        """Return who wins each row: 1 the first, -1 the second, 0 neither: [hands, pairs, 3]."""
        return np.array([tuple(each.rows) for each in self._tables.breakdowns], dtype=np.int8)[self.keys]

    @property
    def scoops(self) -> NDArray[np.int8]:
        """Return who wins all rows: 1 the first, -1 the second, 0 neither: [hands, pairs]."""
        return np.array([each.scoop for each in self._tables.breakdowns], dtype=np.int8)[self.keys]

    @property
    def row_points(self) -> NDArray[np.int32]:
        """Return the points for rows: [hands, pairs]."""
        return np.array([each.row_points for each in self._tables.breakdowns], dtype=np.int32)[self.keys]

    @property
    def bonuses(self) -> NDArray[np.int32]:
        """Return the points for two or three rows: [hands, pairs]."""
        return np.array([each.bonus for each in self._tables.breakdowns], dtype=np.int32)[self.keys]

    @property
    def foul_points(self) -> NDArray[np.int32]:
        """Return the points for a foul against a good board: [hands, pairs]."""
        return np.array([each.foul for each in self._tables.breakdowns], dtype=np.int32)[self.keys]

    def earned(self, fantasyland: NDArray[np.uint8], stays: NDArray[np.int64]) -> NDArray[np.uint8]:
        """
        Return the Fantasyland cards that each board earns for the next hand: [hands, players].

        Args:
            fantasyland: the Fantasyland cards dealt, 0 in ordinary hands: [hands, players].
            stays: how many times in a row each player had stayed before: [hands, players].
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
    Return the Fantasyland cards that each board earns, as `BulkScore.earned` does.

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
    Score many hands with the same number of players: every board and every pair.

    Boards are packed by `Board.packed`, so that stored bytes are used without a copy:

    >>> from scoring.board import Board
    >>> from scoring.presets import PRESETS
    >>> ann = Board.of("QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h").packed
    >>> bob = Board.of("Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs").packed
    >>> boards = np.frombuffer(ann + bob, np.uint8).reshape(1, 2, 13)
    >>> score = score_hands(PRESETS["pineapple"], boards)
    >>> score.exchanges.tolist(), score.rows.tolist(), score.royalties.tolist(), score.enters.tolist()
    ([[4]], [[[1, -1, -1]]], [[11, 6]], [[14, 0]])

    Bytes that are not cards, and repeated cards, get arbitrary scores; `are_one_deck` finds them.

    Args:
        ruleset: the rules in force.
        boards: [hands, players, 13].

    Rule: docs/rules.md#points-between-two-players
    """
    hands, players, _ = boards.shape
    pairs = len(list(combinations(range(players), 2)))
    score = BulkScore(
        ruleset,
        fouls=np.empty((players, hands), np.uint8).T,
        royalties=np.empty((players, hands), np.int32).T,
        enters=np.empty((players, hands), np.uint8).T,
        stays=np.empty((players, hands), np.bool_).T,
        exchanges=np.empty((pairs, hands), np.int32).T,
        board_keys=np.empty((players, hands), np.uint16).T,
        keys=np.empty((pairs, hands), np.uint8).T,
    )
    tables = ruleset_tables(ruleset)
    for start in range(0, hands, SLICE):
        stretch = slice(start, start + SLICE)
        places = place_rows(boards[stretch])
        _score_boards(tables, places, score, stretch)
        _score_pairs(tables, places, score, stretch)
    return score


def _score_boards(tables: RulesetTables, places: Places, score: BulkScore, stretch: slice) -> None:
    """Look up the score of each board."""
    top, middle, bottom = places
    key = score.board_keys[stretch].T
    np.take(tables.kinds.top, top, out=key, mode="wrap")
    key += np.take(tables.kinds.middle, middle, mode="wrap")
    key += np.take(tables.kinds.bottom, bottom, mode="wrap")
    key += order_of(top, middle, bottom) * np.uint16(len(tables.boards) // ORDERS)
    worth = np.take(tables.boards, key, mode="wrap")
    np.right_shift(worth, ROYALTIES, out=score.royalties[stretch].T.view(np.uint32))
    np.not_equal(worth & STAYS, 0, out=score.stays[stretch].T)
    marks = worth.astype(np.uint8)
    np.right_shift(marks, ENTERS, out=score.enters[stretch].T)
    np.bitwise_and(marks, FOUL, out=score.fouls[stretch].T)


def _score_pairs(tables: RulesetTables, places: Places, score: BulkScore, stretch: slice) -> None:
    """Look up the points of each pair's rows and fouls, and offset royalties."""
    first, second = _pairs_of(places.shape[1])
    one, other = np.take(places, first, axis=1), np.take(places, second, axis=1)
    foul = (score.fouls[stretch].T > 0).view(np.uint8)
    key = score.keys[stretch].T
    np.add(np.take(foul * np.uint8(2), first, axis=0), np.take(foul, second, axis=0), out=key)
    for row in (one >= other).view(np.uint8) + (one > other).view(np.uint8):
        key *= np.uint8(3)
        key += row
    points, royalties = score.exchanges[stretch].T, score.royalties[stretch].T
    np.take(tables.points, key, out=points, mode="wrap")
    points += np.take(royalties, first, axis=0)
    points -= np.take(royalties, second, axis=0)


@cache
def _pairs_of(players: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns of the first and the second player of every pair."""
    return np.triu_indices(players, 1)
