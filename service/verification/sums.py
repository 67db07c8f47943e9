"""Sums and signs that hold for every hand: the checks of the database, for records written without them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from service.verification.comparing import Row
from service.verification.covers import AUDITED
from service.verification.findings import Finding, FindingKind


def check_sums(table: str, stored: Iterable[Row]) -> Iterator[Finding]:
    """Yield a finding for each record in which points were created or lost, or a stack is negative."""
    rules = _RULES.get(table, {})
    for row in stored:
        for column, rule in rules.items():
            try:
                found, right = rule(row)
            except TypeError:  # a NULL, where its constraint was dropped
                found, right = row[column], "figures"
            if found != right:
                key = {name: row[name] for name in AUDITED[table].key}
                yield Finding(FindingKind.SUM_BROKEN, table, key, column, found, right)


def _no_points_in_a_hand(row: Row) -> tuple[int, int]:
    return sum(row["points"]), 0


def _stacks_of_a_hand(row: Row) -> tuple[int, int]:
    return sum(row["stacks"]), sum(row["stacks_before"]) + sum(row["top_ups"])


def _stacks_of_a_payout(row: Row) -> tuple[int, int]:
    return sum(row["stacks"]), sum(row["stacks_before"])


def _stacks_of_a_round(row: Row) -> tuple[int, int]:
    return sum(row["stacks"]), sum(row["opening_stacks"]) + sum(row["top_ups"])


def _most_paid(row: Row) -> tuple[int, int]:
    return row["paid"], min(max(row["paid"], 0), row["due"])


def _payer_left(row: Row) -> tuple[int, int]:
    return row["payer_stack"], max(row["payer_stack"], 0)


_RULES: Final[Mapping[str, Mapping[str, Callable[[Row], tuple[Any, Any]]]]] = {
    "hand_scores": {"points": _no_points_in_a_hand, "stacks": _stacks_of_a_hand},
    "payouts": {"stacks": _stacks_of_a_payout},
    "round_heads": {"stacks": _stacks_of_a_round},
    "transfers": {"paid": _most_paid, "payer_stack": _payer_left},
}
