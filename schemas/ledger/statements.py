"""Statements: the results of a table over several rounds, and the payments that settle them up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from schemas.base import Dumped, WireSchema
from schemas.clubs import InPeriodOrEvening
from schemas.fields import MOST_INTEGER, Choice, Dictionary, Inner, Integer, Listing, UuidField, show_time
from schemas.game_fields import AliasesField, PlayerField, StackField, UnitCodeField, dump_aliases
from schemas.ledger.csv_rows import dump_rows, text_cell
from schemas.ledger.settling import SettleBy, Settled, Worth, dump_worth, money_of
from schemas.ledger.units import table_of
from schemas.money import MOST_DIGITS, Unit, show_decimal
from schemas.pages import PERIOD_END, PERIOD_START, QuerySchema
from scoring.ruleset import Points
from scoring.settle_up import Payment

MOST_LISTED = 100_000
SETTLE_UP: Final = (
    "`fewest` for the fewest payments, `pairs` for one payment between each two players, of what they won from each"
    " other."
)


class PaymentsAre(StrEnum):
    """Which payments a statement has."""

    FEWEST = "fewest"
    FEW = "few"
    PAIRS = "pairs"


UNIT_DIGITS: Final = Dictionary(
    Integer(least=0, most=MOST_DIGITS),
    required=True,
    description="Number of digits after the decimal point, by unit: 2 if 1250 is 12.50.",
)
PAYMENTS_ARE: Final = Choice(
    {few.value: few for few in PaymentsAre},
    required=True,
    description="`fewest` if no fewer payments are possible, `few` if that is not certain, `pairs` if they are one"
    " between each two players.",
)
"""Fields of responses with payments that settle up."""
CHARGES: Final = Dictionary(
    Integer(),
    required=True,
    description="What the house has charged the player for the rounds, by unit: a currency or a unit of the club, by"
    " its code, or the ID of a table whose points have no value. It is in neither `net`, `money` nor `payments`.",
)


class SettleUpField(Choice):
    """How the statement is settled up."""

    def __init__(self, **options: Any) -> None:
        super().__init__({each.value: each for each in SettleBy}, load_default=SettleBy.FEWEST, **options)


class TableStatementQuerySchema(InPeriodOrEvening, QuerySchema):
    """The period of a statement, and how it is settled up."""

    settle_up = SettleUpField(description=SETTLE_UP)


class PointTotalsSchema(WireSchema):
    """
    Points over several rounds.

    `opening_stack + top_ups + between_rounds + net` is `stack`.
    """

    opening_stack = StackField(
        most=MOST_INTEGER, least=0, required=True, description="Stacks at the start of the first round."
    )
    top_ups = StackField(most=MOST_INTEGER, least=0, required=True, description="Points added during rounds.")
    between_rounds = Integer(required=True, description="Points added or, below zero, removed between rounds.")
    net = Integer(required=True, description="Points won or, below zero, lost.")
    stack = StackField(most=MOST_INTEGER, least=0, required=True, description="Stacks at the end of the last round.")


class PlayerStatementSchema(PointTotalsSchema):
    """A player's totals over several rounds."""

    player = PlayerField(required=True)
    rounds = Integer(least=1, required=True, description="Number of rounds that the player played.")
    money = Dictionary(Integer(), required=True, description="Money won or, below zero, lost, in minor units, by unit.")
    charges = CHARGES


class PaymentSchema(WireSchema):
    """A payment between two players."""

    payer = PlayerField(required=True, description="The operator's ID of the player who pays.")
    payee = PlayerField(required=True, description="The operator's ID of the player who is paid.")
    amount = Integer(
        least=1,
        required=True,
        description="Amount to pay: points, or minor units of `unit` where the payment has one.",
    )


class OfWorth:
    """Points that are worth the same: those of one value, or of one table if they have none."""

    point_value = Integer(
        least=0,
        required=True,
        allow_none=True,
        description="Value of one of these points in minor units of `unit`. Null if they have no value.",
    )
    unit = UnitCodeField(required=True)
    table = UuidField(
        required=True,
        allow_none=True,
        description="ID of the table of the points, if they have no value. Null if they have one, whatever the table.",
    )


class PointPaymentSchema(OfWorth, PaymentSchema):
    """A payment of points between two players. Points are added only where they are worth the same."""


class MoneyPaymentSchema(PaymentSchema):
    """A payment of money between two players."""

    unit = UnitCodeField(required=True, allow_none=False)


class StatementPaymentsSchema(WireSchema):
    """
    The payments that settle up rounds: points of the same worth, or the money of each unit.

    Money is points times the point value of each round. Points without a value are settled in points, at each table.
    """

    points = Listing(
        Inner(PointPaymentSchema),
        most=MOST_LISTED,
        required=True,
        description="Payments in points that settle up every round: those with a value by value and unit, then"
        " those without a value by table.",
    )
    money = Listing(
        Inner(MoneyPaymentSchema),
        most=MOST_LISTED,
        required=True,
        description="Payments in money that settle up every round with a point value. Pay either these or those of"
        " `points` that have a `point_value`, not both.",
    )


class SettledSchema(WireSchema):
    """A period with its rounds, and the payments that settle them up."""

    opened_from = PERIOD_START
    opened_before = PERIOD_END
    rounds = Integer(least=0, required=True, description="Number of rounds in the period.")
    open_rounds = Integer(
        least=0, required=True, description="Number of these rounds that are open. They count as they are now."
    )
    unit_digits = UNIT_DIGITS
    payments = Inner(StatementPaymentsSchema, required=True, description="Payments that settle up the period.")
    payments_are = PAYMENTS_ARE


class TableStatementSchema(SettledSchema):
    """The players' results at a table over several rounds, and the payments that settle them up."""

    table = UuidField(required=True, description="ID of the table.")
    players = Listing(
        Inner(PlayerStatementSchema),
        most=MOST_LISTED,
        required=True,
        description="The players' totals, highest net points first.",
    )
    aliases = AliasesField()
    totals = Inner(PointTotalsSchema, required=True, description="The totals over all players.")


@dataclass(frozen=True, slots=True)
class PointTotals:
    """Points over several rounds."""

    opening_stack: Points
    top_ups: Points
    net: Points
    stack: Points

    @property
    def between_rounds(self) -> Points:
        """
        Points added or, below zero, removed between rounds.

        >>> PointTotals(opening_stack=100, top_ups=40, net=-20, stack=90).between_rounds
        -30
        """
        return self.stack - self.opening_stack - self.top_ups - self.net


@dataclass(frozen=True, slots=True)
class PlayerStatement:
    """A player's totals over several rounds: of all points, what they won of each unit of points, and charges."""

    player: str
    rounds: int
    points: PointTotals
    nets: Mapping[Worth, Points]
    charges: Mapping[Unit, int] = field(default_factory=dict)

    @property
    def money(self) -> dict[Unit, int]:
        """The money that the player won or, below zero, lost, in minor units, by unit."""
        return money_of(self.nets)


@dataclass(frozen=True, slots=True)
class StatementView:
    """The players' results at a table over several rounds, and the payments."""

    table: str
    opened_from: datetime | None
    opened_before: datetime | None
    rounds: int
    open_rounds: int
    players: Sequence[PlayerStatement]
    totals: PointTotals
    settled: Settled
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def units(self) -> list[Unit]:
        """The units of the money of the rounds."""
        return sorted({unit for each in self.players for unit in each.money})

    @property
    def charged_units(self) -> set[Unit]:
        """The units in which the house has charged players."""
        return {unit for each in self.players for unit in each.charges if table_of(unit.code) is None}

    @property
    def has_charges(self) -> bool:
        """Whether the house has charged a player for the rounds."""
        return any(each.charges for each in self.players)


def dump_statement(view: StatementView) -> Dumped:
    """Encode a statement, highest net points first."""
    return {
        "table": view.table,
        "from": show_time(view.opened_from),
        "to": show_time(view.opened_before),
        "rounds": view.rounds,
        "open_rounds": view.open_rounds,
        "unit_digits": dump_digits((*view.units, *view.charged_units)),
        "players": [
            {
                "player": each.player,
                "rounds": each.rounds,
                **_dump_points(each.points),
                "money": dump_money(each.money),
                "charges": dump_money(each.charges),
            }
            for each in sorted(view.players, key=lambda each: (-each.points.net, each.player))
        ],
        **dump_aliases(view.aliases),
        "totals": _dump_points(view.totals),
        **dump_settled(view.settled),
    }


TABLE_STATEMENT_COLUMNS: Final = (
    *("player", "table", "rounds", "opening_stack", "top_ups", "between_rounds", "net", "stack"),
    *("amount", "charge", "unit"),
)


def dump_table_rows(view: StatementView, table_name: str, *, raw: bool | None = False) -> bytes:
    """
    Encode a statement as CSV, highest net points first: one row for each player and unit; texts may be raw.

    The points of a player are in the first of their rows, so that a column adds up.
    """
    rows: list[tuple[str | int | None, ...]] = [TABLE_STATEMENT_COLUMNS]
    for each in sorted(view.players, key=lambda each: (-each.points.net, each.player)):
        names = text_cell(each.player, raw=raw), text_cell(table_name, raw=raw)
        points: tuple[int | None, ...] = (each.rounds, *_dump_points(each.points).values())
        for amounts in list_amounts(each.money, each.charges):
            rows.append((*names, *points, *amounts))
            points = (None,) * len(points)
    return dump_rows(rows)


def list_amounts(
    money: Mapping[Unit, int], charges: Mapping[Unit, int]
) -> list[tuple[str | None, str | None, str | None]]:
    """
    Return the cells of the amounts of a player, row by row: what was won, what was charged, and the unit.

    Charges in points are in a row without a unit. There is at least one row.

    >>> euro, chips = Unit("EUR", 2), Unit("chips", 0)
    >>> list_amounts({euro: 250}, {euro: 100, chips: 20})
    [('2.50', '1.00', 'EUR'), (None, '20', 'chips')]
    >>> list_amounts({}, {})
    [(None, None, None)]
    """
    rows: list[tuple[str | None, str | None, str | None]] = []
    for unit in sorted({*money, *charges}):
        won, charged = (amounts.get(unit) for amounts in (money, charges))
        cells = [None if amount is None else show_decimal(amount, unit) for amount in (won, charged)]
        rows.append((cells[0], cells[1], unit.code if table_of(unit.code) is None else None))
    return rows or [(None, None, None)]


def dump_digits(units: Iterable[Unit]) -> dict[str, int]:
    """Encode the number of digits after the decimal point of units, by their codes."""
    return {unit.code: unit.digits for unit in sorted({*units})}


def dump_money(money: Mapping[Unit, int]) -> dict[str, int]:
    """Encode money by the codes of its units."""
    return {unit.code: money[unit] for unit in sorted(money)}


def dump_settled(settled: Settled) -> Dumped:
    """Encode the payments of a statement, and whether they are the fewest."""
    few = PaymentsAre.FEWEST if settled.is_fewest else PaymentsAre.FEW
    return {
        "payments": {
            "points": [
                {**payment, **dump_worth(worth)}
                for worth, each in settled.in_points.items()
                for payment in _dump_payments(each.payments)
            ],
            "money": [
                {**payment, "unit": unit.code}
                for unit, each in settled.in_money.items()
                for payment in _dump_payments(each.payments)
            ],
        },
        "payments_are": (PaymentsAre.PAIRS if settled.by is SettleBy.PAIRS else few).value,
    }


def _dump_points(points: PointTotals) -> Dumped:
    return {
        "opening_stack": points.opening_stack,
        "top_ups": points.top_ups,
        "between_rounds": points.between_rounds,
        "net": points.net,
        "stack": points.stack,
    }


def _dump_payments(payments: Sequence[Payment]) -> list[Dumped]:
    return [{"payer": payment.payer, "payee": payment.payee, "amount": payment.amount} for payment in payments]
