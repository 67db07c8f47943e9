"""Stored records compared with those that events lead to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from service.verification.covers import AUDITED, Cover
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
                kind = FindingKind.FIGURE_DIFFERS if columns[column] is Cover.PLAYED else FindingKind.RECORD_DIFFERS
                yield Finding(kind, table, place(key), column, row[column], wanted)
    for key in expected.keys() - seen:
        yield Finding(FindingKind.RECORD_MISSING, table, place(key))
