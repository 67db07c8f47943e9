"""The stored results of players in rounds that differ from those that follow from the records."""

from decimal import Decimal
from typing import Any, Final

from sqlalchemy import text

from service.db import Transaction
from service.replays.stretches import Stretch
from service.rounds.queries.player_results import COLUMNS
from service.verification.queries.audited import Row, in_stretch

_IN_STRETCH: Final = """
    club_id = :club_id AND round_id > :after AND round_id <= :upto
        AND (CAST(:only AS uuid[]) IS NULL OR round_id = ANY (:only))
"""
_SUMS: Final = ("points_against", "paid_against")
"""Lists of sums, which are numeric where they are computed."""
_COMPARED: Final = ", ".join(f"CAST({name} AS numeric[]) AS {name}" if name in _SUMS else name for name in COLUMNS)
_STORED: Final = f"SELECT {_COMPARED} FROM round_statistics WHERE {_IN_STRETCH}"
_EXPECTED: Final = f"SELECT {', '.join(COLUMNS)} FROM computed_statistics WHERE status <> 'open' AND {_IN_STRETCH}"
# A result that is stored and follows from the records adds up to 0.
_DIFFERING: Final = text(f"""
    SELECT sum(side) > 0 AS is_stored, {", ".join(COLUMNS)} FROM (
        SELECT 1 AS side, * FROM ({_STORED}) AS stored
        UNION ALL
        SELECT -1, * FROM ({_EXPECTED}) AS expected
    ) AS result
    GROUP BY {", ".join(COLUMNS)} HAVING sum(side) <> 0
""")


def list_differing(transaction: Transaction, stretch: Stretch) -> tuple[list[Row], list[Row]]:
    """List the stored results of players in ended rounds, and those that follow from the records, where they differ."""
    result = transaction.execute(_DIFFERING, in_stretch(transaction, stretch)).mappings()
    rows = [{name: _whole(value) for name, value in row.items()} for row in result]
    return [row for row in rows if row["is_stored"]], [_expected(row) for row in rows if not row["is_stored"]]


def _expected(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "is_stored"}


def _whole(value: Any) -> Any:
    """Return a sum as the integer that it is; a changed one may be none."""
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, Decimal) and value.is_finite() and value % 1 == 0 else value
