"""What is kept held against what events say must be kept."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from service.verification.covers import AUDITED, Cover
from service.verification.findings import Finding, FindingKind

Row = Mapping[str, Any]
Key = tuple[Any, ...]
Told = Mapping[str, Mapping[Key, Row]]
"""
Of each table the records that events speak of, by their keys without the club.

What an event has only the digest of is said by a function of the record as it is kept.
"""


def compare_records(club_id: object, table: str, kept: Iterable[Row], told: Mapping[Key, Row]) -> Iterator[Finding]:
    """Name each record of a table that is missing, surplus, or not as it is told; in whatever order they are kept."""
    covered = AUDITED[table]
    columns = covered.columns
    names = covered.key if table == "clubs" else covered.key[1:]
    seen = set()

    def place(key: Key) -> dict[str, Any]:
        own = dict(zip(names, key, strict=True))
        return own if table == "clubs" else {"club_id": club_id, **own}

    for row in kept:
        key = tuple([row[name] for name in names])
        right = told.get(key)
        if right is None or key in seen:
            yield Finding(FindingKind.RECORD_SURPLUS, table, place(key))
            continue
        seen.add(key)
        for column, value in right.items():
            expected = value(row) if callable(value) else value
            if row[column] != expected:
                kind = FindingKind.FIGURE_DIFFERS if columns[column] is Cover.PLAYED else FindingKind.RECORD_DIFFERS
                yield Finding(kind, table, place(key), column, row[column], expected)
    for key in told.keys() - seen:
        yield Finding(FindingKind.RECORD_MISSING, table, place(key))
