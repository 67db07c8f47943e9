"""Who pays whom: points of one worth are settled among themselves, and money in each unit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from schemas.ledger.units import points_of
from schemas.money import Unit
from scoring.ruleset import Points
from scoring.settle_up import Payment, SettleUp, find_payments


class SettleBy(StrEnum):
    """How a statement is settled up."""

    FEWEST = "fewest"
    """By the fewest payments."""
    PAIRS = "pairs"
    """By one payment for each two players, of what they won from each other."""


class Worth(NamedTuple):
    """
    What a point is worth. Points are added up only if they are worth the same.

    Attributes:
        point_value: the value of a point in minor units; None if points have no value.
        unit: the unit of this value.
        table: the table, if points have no value: its players alone know what they are worth.
    """

    point_value: int | None
    unit: Unit | None
    table: str | None

    @property
    def order(self) -> tuple[str, int, str]:
        """The place in a list: points with a value first."""
        return (self.unit.code if self.unit else "~", self.point_value or 0, self.table or "")

    @property
    def amount_unit(self) -> Unit:
        """
        The unit of amounts of these points: that of their value, or their table if they have none.

        >>> worth_of(10, Unit("EUR", 2), "friday").amount_unit, worth_of(None, None, "friday").amount_unit
        (Unit(code='EUR', digits=2), Unit(code='friday', digits=0))
        """
        return self.unit or points_of(self.table or "")

    def amount_of(self, points: Points) -> int:
        """
        Return points as an amount: what they are worth in minor units, or the points if they have no value.

        >>> worth_of(10, Unit("EUR", 2), "friday").amount_of(-3), worth_of(None, None, "friday").amount_of(-3)
        (-30, -3)
        """
        return points if self.point_value is None else points * self.point_value


def worth_of(point_value: int | None, unit: Unit | None, table: str) -> Worth:
    """
    Return what the points of a round are worth.

    >>> worth_of(10, Unit("EUR", 2), "friday") == worth_of(10, Unit("EUR", 2), "saturday")
    True
    >>> worth_of(None, None, "friday") == worth_of(None, None, "saturday")
    False
    """
    has_value = point_value is not None and unit is not None
    return Worth(point_value, unit, None) if has_value else Worth(None, None, table)


class PaidBetween(NamedTuple):
    """The points of one worth that one player has paid another in all hands."""

    worth: Worth
    payer: str
    payee: str
    points: Points


@dataclass(frozen=True, slots=True)
class Settled:
    """The payments that settle up: in points of each worth, and in money of each unit."""

    by: SettleBy
    in_points: Mapping[Worth, SettleUp]
    in_money: Mapping[Unit, SettleUp]

    @property
    def is_fewest(self) -> bool:
        """Whether no fewer payments are possible."""
        return all(each.is_fewest for each in (*self.in_points.values(), *self.in_money.values()))


def dump_worth(worth: Worth) -> dict[str, Any]:
    """
    Encode what a point is worth.

    >>> dump_worth(Worth(10, Unit("EUR", 2), None))
    {'point_value': 10, 'unit': 'EUR', 'table': None}
    """
    return {"point_value": worth.point_value, "unit": worth.unit and worth.unit.code, "table": worth.table}


def money_of(nets: Mapping[Worth, Points]) -> dict[Unit, int]:
    """
    Return the money that points are worth, in minor units, by unit.

    >>> euro = Unit("EUR", 2)
    >>> money_of({Worth(10, euro, None): 3, Worth(20, euro, None): -1, Worth(None, None, "attic"): 5})
    {Unit(code='EUR', digits=2): 10}
    """
    money: dict[Unit, int] = defaultdict(int)
    for worth, net in nets.items():
        if worth.unit is not None:
            money[worth.unit] += worth.amount_of(net)
    return dict(money)


def settle_fewest(results: Mapping[str, Mapping[Worth, Points]]) -> Settled:
    """
    Settle up by the fewest payments.

    >>> euro, franc = Worth(10, Unit("EUR", 2), None), Worth(50, Unit("CHF", 2), None)
    >>> settled = settle_fewest({"kim": {euro: 25, franc: -25}, "uma": {euro: -25, franc: 25}})
    >>> settled.in_points[franc].payments, settled.in_points[euro].payments  # doctest: +NORMALIZE_WHITESPACE
    ((Payment(payer='kim', payee='uma', amount=25),),
     (Payment(payer='uma', payee='kim', amount=25),))

    Args:
        results: what each player has won or, below zero, lost, of each worth.
    """
    by_worth: dict[Worth, dict[str, int]] = defaultdict(dict)
    by_unit: dict[Unit, dict[str, int]] = defaultdict(dict)
    for player, nets in results.items():
        for worth, net in nets.items():
            by_worth[worth][player] = net
        for unit, won in money_of(nets).items():
            by_unit[unit][player] = won
    in_points = {worth: find_payments(by_worth[worth]) for worth in sorted(by_worth, key=lambda worth: worth.order)}
    in_money = {unit: find_payments(by_unit[unit]) for unit in sorted(by_unit)}
    return Settled(SettleBy.FEWEST, in_points, in_money)


def settle_pairs(paid: Iterable[PaidBetween]) -> Settled:
    """
    Settle up by pairs: each two players settle what they won from each other, whoever else owes them.

    >>> euro = Worth(10, Unit("EUR", 2), None)
    >>> paid = [("ann", "bob", 5), ("bob", "ann", 2), ("bob", "cyd", 3)]
    >>> settled = settle_pairs(PaidBetween(euro, *each) for each in paid)
    >>> settled.in_points[euro].payments
    (Payment(payer='ann', payee='bob', amount=3), Payment(payer='bob', payee='cyd', amount=3))
    >>> settled.in_money[Unit("EUR", 2)].payments[0]
    Payment(payer='ann', payee='bob', amount=30)
    """
    by_worth: dict[Worth, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    by_unit: dict[Unit, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    for worth, payer, payee, points in paid:
        pair, amount = ((payer, payee), points) if payer < payee else ((payee, payer), -points)
        by_worth[worth][pair] += amount
        for unit, money in money_of({worth: amount}).items():
            by_unit[unit][pair] += money
    in_points = {worth: _pay_pairs(by_worth[worth]) for worth in sorted(by_worth, key=lambda worth: worth.order)}
    in_money = {unit: _pay_pairs(by_unit[unit]) for unit in sorted(by_unit)}
    return Settled(SettleBy.PAIRS, in_points, in_money)


def _pay_pairs(pairs: Mapping[tuple[str, str], int]) -> SettleUp:
    payments = (
        Payment(one, other, amount) if amount > 0 else Payment(other, one, -amount)
        for (one, other), amount in pairs.items()
        if amount
    )
    return SettleUp(tuple(sorted(payments)), is_fewest=False)
