"""Who pays whom: points of one worth are settled among themselves, and money in each currency."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from scoring.ruleset import Points
from scoring.settle_up import Payment, SettleUp, find_payments


class SettleBy(StrEnum):
    """How a statement is settled up."""

    FEWEST = "fewest"
    """By the fewest payments."""
    PAIRS = "pairs"
    """By one payment for each two players, of what they won from each other."""


class PointUnit(NamedTuple):
    """
    Points that are worth the same.

    Attributes:
        point_value: the value of a point in minor units; None if points have no value.
        currency: its currency.
        table: the table, if points have no value: its players alone know what they are worth.
    """

    point_value: int | None
    currency: str | None
    table: str | None

    @property
    def order(self) -> tuple[str, int, str]:
        """The place of the unit in a list: points with a value first."""
        return (self.currency or "ZZZZ", self.point_value or 0, self.table or "")

    @property
    def written(self) -> str:
        """
        The unit of what points are worth, as the journal has it: their currency, or their table if they have no value.

        >>> unit_of(10, "EUR", "friday").written, unit_of(None, None, "friday").written
        ('EUR', 'friday')
        """
        return self.currency or self.table or ""

    def worth(self, points: Points) -> int:
        """
        Return what points are worth: minor units of their currency, or the points if they have no value.

        >>> unit_of(10, "EUR", "friday").worth(-3), unit_of(None, None, "friday").worth(-3)
        (-30, -3)
        """
        return points if self.point_value is None else points * self.point_value


def unit_of(point_value: int | None, currency: str | None, table: str) -> PointUnit:
    """
    Return the unit of the points of a round.

    >>> unit_of(10, "EUR", "friday") == unit_of(10, "EUR", "saturday")
    True
    >>> unit_of(None, None, "friday") == unit_of(None, None, "saturday")
    False
    """
    has_value = point_value is not None and currency is not None
    return PointUnit(point_value, currency, None) if has_value else PointUnit(None, None, table)


class PaidBetween(NamedTuple):
    """The points of a unit that one player has paid another in all hands."""

    unit: PointUnit
    payer: str
    payee: str
    points: Points


@dataclass(frozen=True, slots=True)
class Settled:
    """The payments that settle up: of each unit of points, and of money in each currency."""

    by: SettleBy
    in_points: Mapping[PointUnit, SettleUp]
    in_money: Mapping[str, SettleUp]

    @property
    def is_fewest(self) -> bool:
        """Whether no fewer payments are possible."""
        return all(each.is_fewest for each in (*self.in_points.values(), *self.in_money.values()))


def money_of(nets: Mapping[PointUnit, Points]) -> dict[str, int]:
    """
    Return what points are worth, in minor units of each currency.

    >>> money_of({PointUnit(10, "EUR", None): 3, PointUnit(20, "EUR", None): -1, PointUnit(None, None, "attic"): 5})
    {'EUR': 10}
    """
    money: dict[str, int] = defaultdict(int)
    for unit, net in nets.items():
        if unit.point_value is not None and unit.currency is not None:
            money[unit.currency] += net * unit.point_value
    return dict(money)


def settle_fewest(results: Mapping[str, Mapping[PointUnit, Points]]) -> Settled:
    """
    Settle up by the fewest payments.

    >>> euro, franc = PointUnit(10, "EUR", None), PointUnit(50, "CHF", None)
    >>> settled = settle_fewest({"kim": {euro: 25, franc: -25}, "uma": {euro: -25, franc: 25}})
    >>> [(unit.currency, each.payments) for unit, each in settled.in_points.items()]  # doctest: +NORMALIZE_WHITESPACE
    [('CHF', (Payment(payer='kim', payee='uma', amount=25),)),
     ('EUR', (Payment(payer='uma', payee='kim', amount=25),))]

    Args:
        results: what each player has won or, below zero, lost, of each unit.
    """
    by_unit: dict[PointUnit, dict[str, int]] = defaultdict(dict)
    by_currency: dict[str, dict[str, int]] = defaultdict(dict)
    for player, nets in results.items():
        for unit, net in nets.items():
            by_unit[unit][player] = net
        for currency, won in money_of(nets).items():
            by_currency[currency][player] = won
    in_points = {unit: find_payments(by_unit[unit]) for unit in sorted(by_unit, key=lambda unit: unit.order)}
    in_money = {currency: find_payments(by_currency[currency]) for currency in sorted(by_currency)}
    return Settled(SettleBy.FEWEST, in_points, in_money)


def settle_pairs(paid: Iterable[PaidBetween]) -> Settled:
    """
    Settle up by pairs: each two players settle what they won from each other, whoever else owes them.

    >>> euro = PointUnit(10, "EUR", None)
    >>> paid = [("ann", "bob", 5), ("bob", "ann", 2), ("bob", "cyd", 3)]
    >>> settled = settle_pairs(PaidBetween(euro, *each) for each in paid)
    >>> settled.in_points[euro].payments
    (Payment(payer='ann', payee='bob', amount=3), Payment(payer='bob', payee='cyd', amount=3))
    >>> settled.in_money["EUR"].payments[0]
    Payment(payer='ann', payee='bob', amount=30)
    """
    by_unit: dict[PointUnit, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    by_currency: dict[str, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    for unit, payer, payee, points in paid:
        pair, amount = ((payer, payee), points) if payer < payee else ((payee, payer), -points)
        by_unit[unit][pair] += amount
        for currency, money in money_of({unit: amount}).items():
            by_currency[currency][pair] += money
    in_points = {unit: _pay_pairs(by_unit[unit]) for unit in sorted(by_unit, key=lambda unit: unit.order)}
    in_money = {currency: _pay_pairs(by_currency[currency]) for currency in sorted(by_currency)}
    return Settled(SettleBy.PAIRS, in_points, in_money)


def _pay_pairs(pairs: Mapping[tuple[str, str], int]) -> SettleUp:
    payments = (
        Payment(one, other, amount) if amount > 0 else Payment(other, one, -amount)
        for (one, other), amount in pairs.items()
        if amount
    )
    return SettleUp(tuple(sorted(payments)), is_fewest=False)
