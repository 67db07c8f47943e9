"""Stored records compared with those that events lead to, and the sums and signs that hold for every hand."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from service.verification.covers import AUDITED, Comparison
from service.verification.findings import Finding, FindingKind

Row = Mapping[str, Any]
Key = tuple[Any, ...]
Expected = Mapping[str, Mapping[Key, Row]]
"""
Of each table the records that events lead to, by their keys without the club.

Where an event has only the digest of a value, a function returns the expected value for the stored record.
"""


def compare_records(
    club_id: object, table: str, stored: Iterable[Row], expected: Mapping[Key, Row]
) -> Iterator[Finding]:
    """Yield a finding for each record of a table that is missing, surplus or different."""
    covered = AUDITED[table]
    columns = covered.columns
    names = covered.key if table == "clubs" else covered.key[1:]
    seen = set()

    def place(key: Key) -> dict[str, Any]:
        own = dict(zip(names, key, strict=True))
        return own if table == "clubs" else {"club_id": club_id, **own}

    for row in stored:
        key = tuple([row[name] for name in names])
        right = expected.get(key)
        if right is None or key in seen:
            yield Finding(FindingKind.RECORD_SURPLUS, table, place(key))
            continue
        seen.add(key)
        if right.items() <= row.items():
            continue
        for column, value in right.items():
            wanted = value(row) if callable(value) else value
            if row[column] != wanted:
                kind = (
                    FindingKind.FIGURE_DIFFERS if columns[column] is Comparison.PLAYED else FindingKind.RECORD_DIFFERS
                )
                yield Finding(kind, table, place(key), column, row[column], wanted)
    for key in expected.keys() - seen:
        yield Finding(FindingKind.RECORD_MISSING, table, place(key))


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
