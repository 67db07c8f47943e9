"""Settle exchanges under table stakes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from scoring.errors import Mistake, StakesError
from scoring.exchange import Exchange
from scoring.hand import Seat
from scoring.ruleset import Points, WinLimit


class LimitedBy(StrEnum):
    """The cap that limited a payment."""

    PAYER_STACK = "payer_stack"
    WINNER_ROOM = "winner_room"


@dataclass(frozen=True, slots=True)
class Transfer:
    """Points paid from payer to payee; the stacks are those after it."""

    order: int
    payer: Seat
    payee: Seat
    due: Points
    paid: Points
    limited_by: LimitedBy | None
    payer_stack: Points
    payee_stack: Points


@dataclass(frozen=True, slots=True)
class Settlement:
    """The transfers in order, and the stacks after them."""

    transfers: tuple[Transfer, ...]
    stacks: Mapping[Seat, Points]


def settle(
    exchanges: Iterable[Exchange],
    stacks: Mapping[Seat, Points],
    limit: WinLimit,
    opening_stacks: Mapping[Seat, Points] | None = None,
) -> Settlement:
    """
    Pay exchanges in order, each capped at table stakes.

    Stacks change after every exchange, which is why the order matters and why the caller gives the exchanges clockwise
    from the left of the button. What a cap cuts off is not owed later.

    Ann in seat 1 has 2 points and beats two players by 10 each. The first pays 2; Ann then wins 4 from the second:

    >>> settlement = settle([Exchange(1, 2, 10), Exchange(1, 3, 10)], {1: 2, 2: 50, 3: 50}, WinLimit.STACK)
    >>> [transfer.paid for transfer in settlement.transfers], settlement.stacks
    ([2, 4], {1: 8, 2: 48, 3: 46})

    Args:
        exchanges: who owes whom, in paying order; ties move nothing.
        stacks: what everyone has before the first is paid.
        limit: what caps the winner.
        opening_stacks: what everyone opened the scope with, where it began before these exchanges; `stacks` otherwise.

    Raises:
        StakesError: a stack is negative, or a player has none.

    Rule: docs/rules.md#table-stakes
    """
    exchanges = tuple(exchanges)
    _check_stacks(exchanges, stacks)
    opening = stacks if opening_stacks is None else opening_stacks
    now = dict(stacks)
    transfers: list[Transfer] = []
    for exchange in exchanges:
        if exchange.points == 0:
            continue
        winning = exchange.points > 0
        payee, payer = (exchange.first, exchange.second) if winning else (exchange.second, exchange.first)
        due = abs(exchange.points)
        room = find_room(limit, now[payee], opening[payee], due)
        paid = min(due, now[payer], room)
        limited_by = None
        if paid < due:
            limited_by = LimitedBy.PAYER_STACK if paid == now[payer] else LimitedBy.WINNER_ROOM
        now[payer] -= paid
        now[payee] += paid
        transfers.append(Transfer(len(transfers) + 1, payer, payee, due, paid, limited_by, now[payer], now[payee]))
    return Settlement(tuple(transfers), now)


def find_room(limit: WinLimit, stack: Points, opening: Points, due: Points) -> Points:
    """
    Return how much more a winner may win; 0 for a winner past the limit.

    >>> find_room(WinLimit.STACK, 3, 10, 9), find_room(WinLimit.OPENING, 16, 10, 9), find_room(WinLimit.NONE, 3, 10, 9)
    (3, 4, 9)

    Rule: docs/rules.md#what-caps-a-payment
    """
    if limit is WinLimit.STACK:
        return stack
    if limit is WinLimit.OPENING:
        return max(0, 2 * opening - stack)
    return due


def _check_stacks(exchanges: tuple[Exchange, ...], stacks: Mapping[Seat, Points]) -> None:
    if min(stacks.values(), default=0) >= 0 and all(
        exchange.first in stacks and exchange.second in stacks for exchange in exchanges
    ):
        return
    wrong = [
        Mistake("stack-negative", (seat,), f"seat {seat} has a stack of {points} points; expected 0 or more")
        for seat, points in stacks.items()
        if points < 0
    ]
    players = sorted({seat for exchange in exchanges for seat in (exchange.first, exchange.second)})
    wrong += [
        Mistake("stack-missing", (seat,), f"seat {seat} has points to settle and no stack; expected a stack")
        for seat in players
        if seat not in stacks
    ]
    raise StakesError(wrong)
