"""Statements on the wire: what the players of a table have won and lost over several rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Inner, Integer, Listing, Table, Time, UuidField, show_time
from schemas.hands import PlayerField, StackField
from schemas.pages import QuerySchema
from schemas.periods import InPeriod
from schemas.tables import CurrencyField
from scoring.ruleset import Points
from scoring.settle_up import Payment, SettleUp

MOST_LISTED = 100_000


class PaymentsAre(StrEnum):
    """How few the payments of a statement are: no fewer are possible, or perhaps some."""

    FEWEST = "fewest"
    FEW = "few"


class StatementQuerySchema(InPeriod, QuerySchema):
    """Which rounds of a table to sum up: those opened from a moment on, and before another."""

    opened_from = Time(data_key="from")
    opened_before = Time(data_key="to")


class PointSumsSchema(WireSchema):
    """
    Points, from the first stack to the last.

    `opening_stack + top_ups + between_rounds + net` is `stack`.
    """

    opening_stack = StackField(most=MOST_INTEGER, least=0, required=True)
    top_ups = StackField(
        most=MOST_INTEGER, least=0, required=True, metadata={"description": "Added between two hands of a round."}
    )
    between_rounds = Integer(
        required=True,
        metadata={"description": "Added or, below zero, taken off the table between one round and the next."},
    )
    net = Integer(required=True, metadata={"description": "Won or, below zero, lost."})
    stack = StackField(most=MOST_INTEGER, least=0, required=True)


class PlayerStatementSchema(PointSumsSchema):
    """What a player has won and lost: his first opening stack, and what stood before him after his last round."""

    player = PlayerField(required=True)
    rounds = Integer(least=1, required=True)
    money = Table(
        Integer(), required=True, metadata={"description": "Won or lost in the minor units of each currency."}
    )


class PaymentSchema(WireSchema):
    """Points that one player pays another."""

    payer = PlayerField(required=True)
    payee = PlayerField(required=True)
    amount = Integer(least=1, required=True)


class MoneyPaymentSchema(PaymentSchema):
    """Money that one player pays another, in minor units."""

    currency = CurrencyField(required=True, allow_none=False)


class PaymentsSchema(WireSchema):
    """
    Who pays whom, so that nobody owes anybody anything: either all points or, currency by currency, the money.

    Money is points times the point value of each round; rounds without one are settled in points only.
    """

    points = Listing(Inner(PaymentSchema), most=MOST_LISTED, required=True)
    money = Listing(Inner(MoneyPaymentSchema), most=MOST_LISTED, required=True)


class StatementSchema(WireSchema):
    """What the players of a table have won and lost over its rounds, and the payments that settle it."""

    table = UuidField(required=True)
    opened_from = Time(data_key="from", required=True, allow_none=True)
    opened_before = Time(data_key="to", required=True, allow_none=True)
    rounds = Integer(least=0, required=True)
    open_rounds = Integer(
        least=0, required=True, metadata={"description": "How many of them are open: they count as they stand now."}
    )
    players = Listing(Inner(PlayerStatementSchema), most=MOST_LISTED, required=True)
    totals = Inner(PointSumsSchema, required=True)
    payments = Inner(PaymentsSchema, required=True)
    payments_are = Choice({few.value: few for few in PaymentsAre}, required=True)


@dataclass(frozen=True, slots=True)
class PointSums:
    """Points, from the first stack to the last; what neither top-ups nor hands explain came or went between rounds."""

    opening_stack: Points
    top_ups: Points
    net: Points
    stack: Points

    @property
    def between_rounds(self) -> Points:
        """
        What was added or, below zero, taken off between one round and the next.

        >>> PointSums(opening_stack=100, top_ups=40, net=-20, stack=90).between_rounds
        -30
        """
        return self.stack - self.opening_stack - self.top_ups - self.net


@dataclass(frozen=True, slots=True)
class PlayerStatement:
    """What a player has won and lost, in points and in the minor units of each currency."""

    player: str
    rounds: int
    points: PointSums
    money: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StatementView:
    """What the players of a table have won and lost over its rounds, and who pays whom."""

    table: str
    opened_from: datetime | None
    opened_before: datetime | None
    rounds: int
    open_rounds: int
    players: Sequence[PlayerStatement]
    totals: PointSums
    in_points: SettleUp
    in_money: Mapping[str, SettleUp]


def dump_statement(view: StatementView) -> Dumped:
    """Write a statement, whoever won most first."""
    is_fewest = all(settled.is_fewest for settled in (view.in_points, *view.in_money.values()))
    return {
        "table": view.table,
        "from": show_time(view.opened_from),
        "to": show_time(view.opened_before),
        "rounds": view.rounds,
        "open_rounds": view.open_rounds,
        "players": [
            {
                "player": each.player,
                "rounds": each.rounds,
                **_dump_points(each.points),
                "money": dict(sorted(each.money.items())),
            }
            for each in sorted(view.players, key=lambda each: (-each.points.net, each.player))
        ],
        "totals": _dump_points(view.totals),
        "payments": {
            "points": _dump_payments(view.in_points.payments),
            "money": [
                {**payment, "currency": currency}
                for currency, settled in sorted(view.in_money.items())
                for payment in _dump_payments(settled.payments)
            ],
        },
        "payments_are": (PaymentsAre.FEWEST if is_fewest else PaymentsAre.FEW).value,
    }


def _dump_points(points: PointSums) -> Dumped:
    return {
        "opening_stack": points.opening_stack,
        "top_ups": points.top_ups,
        "between_rounds": points.between_rounds,
        "net": points.net,
        "stack": points.stack,
    }


def _dump_payments(payments: Sequence[Payment]) -> list[Dumped]:
    return [{"payer": payment.payer, "payee": payment.payee, "amount": payment.amount} for payment in payments]
