"""The stored figures of players in rounds, and against each opponent."""

from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from service.db import Transaction
from service.statistics.queries.seats import CHANGED
from service.verification.queries.audited import Row, Stretch, in_stretch

_IN_STRETCH: Final = f"""
    club_id = :club_id AND round_id > :after AND round_id <= :upto
        AND (CAST(:only AS uuid[]) IS NULL OR round_id = ANY (:only)) AND (round_id IN ({CHANGED})) IS NOT TRUE
"""
_MEASURED: Final = text(f"SELECT round_id FROM round_heads WHERE {_IN_STRETCH}")
_STORED: Final = {
    table: text(f"SELECT * FROM {table} WHERE {_IN_STRETCH}") for table in ("round_statistics", "round_opponents")
}


def list_measured(transaction: Transaction, stretch: Stretch) -> list[UUID]:
    """List rounds that have not changed since they were measured: the stored figures of others are not read."""
    return list(transaction.execute(_MEASURED, in_stretch(transaction, stretch)).scalars())


def list_figures(transaction: Transaction, table: str, stretch: Stretch) -> list[Row]:
    """List the stored figures of rounds that have not changed since they were measured."""
    found = transaction.execute(_STORED[table], in_stretch(transaction, stretch)).mappings()
    return [{name: _whole(value) for name, value in row.items()} for row in found]


def _whole(value: Any) -> Any:
    """Return a sum as the integer that it is; a changed one may be none."""
    return int(value) if isinstance(value, Decimal) and value.is_finite() and value % 1 == 0 else value
