"""Explain payments: the stacks before each payment, and what would have been paid without caps."""

from collections.abc import Iterable, Iterator, Mapping

from scoring.exchange import Exchange
from scoring.explanation import wording
from scoring.explanation.reasons import ExplainedPayment, ExplainedStack, ExplainedTotal, Rule
from scoring.explanation.wording import Names
from scoring.hand import Seat
from scoring.ruleset import Points, Ruleset, WinLimit
from scoring.settlement import Transfer, find_room


def explain_payments(
    transfers: Iterable[Transfer],
    ruleset: Ruleset,
    opening_stacks: Mapping[Seat, Points],
    names: Names,
    *,
    is_late: bool = False,
) -> Iterator[ExplainedPayment]:
    """
    Explain each payment: the stacks before it, and what limited it.

    Rule: docs/rules.md#what-caps-a-payment
    """
    limit = ruleset.stakes.win_limit
    for transfer in transfers:
        payee_had = transfer.payee_stack - transfer.paid
        opened = opening_stacks[transfer.payee] if limit is WinLimit.OPENING else None
        room = None if limit is WinLimit.NONE else find_room(limit, payee_had, opened or 0, transfer.due)
        yield ExplainedPayment(
            transfer,
            transfer.payer_stack + transfer.paid,
            payee_had,
            opened,
            room,
            is_late,
            wording.describe_payment(transfer, names, ruleset, opened, room),
            Rule.CAPS if transfer.limited_by else Rule.PAYMENT_ORDER,
        )


def explain_totals(
    before: Mapping[tuple[Seat, Seat], Points], exchanges: Iterable[Exchange], names: Names
) -> Iterator[ExplainedTotal]:
    """
    Explain the points added up between each pair of a hand, under scope `round`.

    Args:
        before: the totals before the hand, as points for the lower seat.
        exchanges: the exchanges of the hand, in paying order.
        names: the names of the players.

    Rule: docs/rules.md#scope-of-the-stakes
    """
    for exchange in exchanges:
        low, high = sorted((exchange.first, exchange.second))
        side = 1 if exchange.first == low else -1
        already = side * before.get((low, high), 0)
        text = wording.describe_total(names[exchange.first], names[exchange.second], already, exchange.points)
        after = already + exchange.points
        yield ExplainedTotal(exchange.first, exchange.second, already, exchange.points, after, text)


def explain_stacks(before: Mapping[Seat, Points], payments: Iterable[ExplainedPayment]) -> tuple[ExplainedStack, ...]:
    """
    Sum the payments of each player, and what they would have without caps.

    >>> explain_stacks({1: 3}, ())
    (ExplainedStack(seat=1, before=3, due=0, paid=0, after=3),)
    """
    due, paid = dict.fromkeys(before, 0), dict.fromkeys(before, 0)
    for payment in payments:
        transfer = payment.transfer
        for seat, side in ((transfer.payee, 1), (transfer.payer, -1)):
            due[seat] += side * transfer.due
            paid[seat] += side * transfer.paid
    return tuple(
        ExplainedStack(seat, before[seat], due[seat], paid[seat], before[seat] + paid[seat]) for seat in sorted(before)
    )
