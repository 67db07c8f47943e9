"""Balances on a device without a network: those of the service, with what waits on the device to be recorded."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from schemas.ledger.journal import HOUSE, Amounts, Counted, account_of, owe, player_of, post_change
from schemas.ledger.settling import Worth, worth_of
from schemas.ledger.units import table_of
from schemas.money import Unit
from scoring.round_state import RoundStatus
from scoring.settle_up import find_payments

Document = dict[str, Any]


def settle_on_device(held: Mapping[str, Any]) -> list[Document]:
    """
    Return what everyone is owed, unit by unit, with what the service has not recorded yet, and who pays whom.

    Ann was owed 5.00 euros by cyd. A round has ended without a network, in which ann lost 20 points of 10 cents to cyd,
    and cyd has paid ann 1.00:

    >>> seats = [{"seat": 1, "player": "ann", "opening_stack": 50, "top_ups": 0, "stack": 30}]
    >>> seats += [{"seat": 2, "player": "cyd", "opening_stack": 40, "top_ups": 10, "stack": 70}]
    >>> round_ = {"status": "closed", "table": "t", "point_value": 10, "unit": "EUR", "seats": seats}
    >>> owed = [{"player": "ann", "balance": 500}, {"player": "cyd", "balance": -500}]
    >>> paid = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 100, "is_taken_back": False}
    >>> [unit] = settle_on_device({
    ...     "units": [{"unit": "EUR", "players": owed}],
    ...     "rounds": [{"before": None, "after": round_}],
    ...     "payments": [paid],
    ... })
    >>> unit["settle_up"], unit["players"][0]
    ([{'payer': 'cyd', 'payee': 'ann', 'amount': 200}], {'player': 'ann', 'balance': 200})

    Args:
        held: the `units` as `GET /v1/balances` has them; `rounds` as `GET /v1/rounds` has them, each `before`, as these
            balances count it, or null, and `after`, with what waits and what is `charged` for it, by seat; and
            `payments` that these balances lack.

    Rule: docs/rules.md#settling-up
    """
    balances: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for unit in held["units"]:
        for each in unit["players"]:
            balances[unit["unit"]][account_of(each["player"])] += each["balance"]
    for changed in held["rounds"]:
        before, after = changed["before"], changed["after"]
        # What was charged for a round stays, as far as the device knows: it does not have the hands of before.
        posting = post_change(_count(before, after.get("charged")), _count(after, after.get("charged")))
        _add(balances[_worth_of(after).amount_unit.code], posting.amounts if posting else {})
    for paid in held["payments"]:
        payer, payee = account_of(paid["payer"]), account_of(paid["payee"])
        amount = -paid["amount"] if paid["is_taken_back"] else paid["amount"]
        _add(balances[paid["unit"]], owe(payee, payer, amount))
    return [
        _dump(unit, balances[unit]) for unit in sorted(balances, key=lambda unit: (table_of(unit) is not None, unit))
    ]


def _add(balances: dict[str, int], amounts: Amounts) -> None:
    for account, amount in amounts.items():
        balances[account] += amount


def _worth_of(round_: Mapping[str, Any]) -> Worth:
    """Return what the points of a round are worth. One that waits on the device has no digits, which no sum needs."""
    code = round_["unit"]
    unit = None if code is None else Unit(code, round_.get("unit_digits") or 0)
    return worth_of(round_["point_value"], unit, round_["table"])


def _count(round_: Mapping[str, Any] | None, charged: Mapping[str, int] | None) -> Counted | None:
    """Return what a round adds to balances; None before its end."""
    if round_ is None or round_["status"] == RoundStatus.OPEN.value:
        return None
    worth = _worth_of(round_)
    won = {
        seat["player"]: worth.amount_of(seat["stack"] - seat["opening_stack"] - seat["top_ups"])
        for seat in round_["seats"]
    }
    players = {str(seat["seat"]): seat["player"] for seat in round_["seats"]}
    owed = {players[seat]: -amount for seat, amount in (charged or {}).items()}
    return Counted(won, {**owed, HOUSE: -sum(owed.values())} if owed else {})


def _dump(unit: str, balances: Mapping[str, int]) -> Document:
    """Return the balances that are not zero, the highest first, and the payments."""
    settled = find_payments(balances)
    return {
        "unit": unit,
        "players": [
            {"player": player_of(account), "balance": balance}
            for account, balance in sorted(balances.items(), key=lambda each: (-each[1], each[0]))
            if balance
        ],
        "settle_up": [
            {"payer": player_of(paid.payer), "payee": player_of(paid.payee), "amount": paid.amount}
            for paid in settled.payments
        ],
        "is_fewest": settled.is_fewest,
    }
