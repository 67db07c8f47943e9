"""Chips under table stakes, for many hands at once."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.ruleset import WinLimit
from scoring.score import paying_order
from scoring.settlement import LimitedBy

LIMITS: Final = (None, *LimitedBy)
"""The caps, by their numbers in `limited_by`."""

Points = NDArray[np.int64]
Columns = NDArray[np.int64]


class Transfers(NamedTuple):
    """
    What was paid, in order: [hands, exchanges].

    Payer and payee are columns until `seated` names their seats. An exchange that is a tie has nothing due.
    """

    payer: Columns
    payee: Columns
    due: Points
    paid: Points
    limited_by: NDArray[np.uint8]
    payer_stack: Points
    payee_stack: Points

    @classmethod
    def none(cls, hands: int, columns: int) -> "Transfers":
        """Return empty transfers for a number of hands and players."""
        shape = (hands, columns * (columns - 1) // 2)
        return cls(*(np.zeros(shape, np.uint8 if field == "limited_by" else np.int64) for field in cls._fields))

    def put(self, hands: NDArray[np.int64], transfers: "Transfers") -> None:
        """Write the transfers of selected hands."""
        for field in self._fields:
            getattr(self, field)[hands] = getattr(transfers, field)

    def seated(self, seats: NDArray[np.int64]) -> "Transfers":
        """Replace columns of payers and payees by seats, given each hand's seats: [hands, columns]."""
        hands = np.arange(len(seats))[:, np.newaxis]
        return self._replace(payer=seats[hands, self.payer], payee=seats[hands, self.payee])


@cache
def exchange_order(columns: int) -> Columns:
    """
    List the pairs of a hand in paying order: [players as bits, column of the button, exchange, first or second].

    If a hand has fewer exchanges, the last are (0, 0).

    >>> exchange_order(3)[0b111, 0].tolist(), exchange_order(3)[0b101, 2].tolist()
    ([[1, 2], [1, 0], [2, 0]], [[0, 2], [0, 0], [0, 0]])
    """
    pairs = len(list(combinations(range(columns), 2)))
    order = np.zeros((1 << columns, columns, pairs, 2), np.int64)
    for players in range(1 << columns):
        seats = [column + 1 for column in range(columns) if players >> column & 1]
        for button in range(columns):
            for at, (first, second) in enumerate(combinations(paying_order(seats, button + 1), 2)):
                order[players, button, at] = first - 1, second - 1
    return order


def in_paying_order(exchanges: Points, order: Columns) -> Iterator[tuple[Columns, Columns, Points]]:
    """Yield the exchanges of many hands in paying order: first players, second players, and points for the first."""
    hands = np.arange(len(order))
    for at in range(order.shape[1]):
        first, second = order[:, at, 0], order[:, at, 1]
        yield first, second, exchanges[hands, first, second]


def pay(exchanges: Points, order: Columns, stacks: Points, opening_stacks: Points, limit: WinLimit) -> Transfers:
    """
    Pay exchanges in order, each capped at table stakes, as `settle` does for one hand.

    >>> exchanges = np.array([[[0, 10, 10], [-10, 0, 0], [-10, 0, 0]]])
    >>> stacks = np.array([[2, 50, 50]])
    >>> transfers = pay(exchanges, exchange_order(3)[[7], [2]], stacks, stacks.copy(), WinLimit.STACK)
    >>> transfers.paid.tolist(), stacks.tolist()
    ([[2, 4, 0]], [[8, 48, 46]])

    Args:
        exchanges: [hands, columns, columns], points for the player of the row.
        order: [hands, exchanges, 2], of `exchange_order`.
        stacks: [hands, columns], changed in place.
        opening_stacks: [hands, columns], of the scope.
        limit: what caps the winner.

    Rule: docs/rules.md#table-stakes
    """
    transfers = Transfers.none(*stacks.shape)
    hands = np.arange(len(stacks))
    for at, (first, second, points) in enumerate(in_paying_order(exchanges, order)):
        payee, payer = np.where(points > 0, first, second), np.where(points > 0, second, first)
        due, payer_stack, payee_stack = np.abs(points), stacks[hands, payer], stacks[hands, payee]
        room = _room(limit, payee_stack, opening_stacks[hands, payee], due)
        paid = np.minimum(due, np.minimum(payer_stack, room))
        cut_by = np.where(paid == payer_stack, LIMITS.index(LimitedBy.PAYER_STACK), LIMITS.index(LimitedBy.WINNER_ROOM))
        stacks[hands, payer] -= paid
        stacks[hands, payee] += paid
        limited_by = np.where(paid < due, cut_by, 0)
        after = stacks[hands, payer], stacks[hands, payee]
        for field, values in zip(transfers._fields, (payer, payee, due, paid, limited_by, *after), strict=True):
            getattr(transfers, field)[:, at] = values
    return transfers


def _room(limit: WinLimit, stack: Points, opening: Points, due: Points) -> Points:
    if limit is WinLimit.STACK:
        return stack
    if limit is WinLimit.OPENING:
        room: Points = np.maximum(0, 2 * opening - stack)
        return room
    return due
