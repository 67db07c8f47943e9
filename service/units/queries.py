"""Units that clubs define, and the units of tables and of the journal."""

from typing import Any, Final

from sqlalchemy import Row, func, insert, select, text

from schemas.ledger.defined_units import UnitView
from schemas.money import Unit
from service.audit_trail.queries.events import EventKind, record_event
from service.db import Transaction
from service.units.models import UnitRecord

_UNIT: Final = UnitRecord
_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:club, 17))")
# PostgreSQL has no scan that skips to the next unit, and a journal has many more entries than units.
_USED: Final = text("""
    WITH RECURSIVE posted AS (
        (SELECT unit, unit_digits FROM entries WHERE club_id = :club_id ORDER BY unit LIMIT 1)
        UNION ALL
        SELECT following.unit, following.unit_digits FROM posted
        CROSS JOIN LATERAL (
            SELECT unit, unit_digits FROM entries WHERE club_id = :club_id AND unit > posted.unit ORDER BY unit LIMIT 1
        ) AS following
    )
    SELECT unit, unit_digits FROM tables WHERE club_id = :club_id AND unit IS NOT NULL
    UNION
    SELECT unit, unit_digits FROM posted
""")


def lock(transaction: Transaction) -> None:
    """Lock the definitions of the club until the transaction ends: no other one defines a unit meanwhile."""
    transaction.execute(_LOCK, {"club": str(transaction.club_id)})


def add(transaction: Transaction, view: UnitView, event: bytes) -> None:
    """Insert a unit. The definitions of the club are locked."""
    transaction.execute(
        insert(_UNIT).values(
            club_id=transaction.club_id,
            code=view.unit.code,
            name=view.name,
            digits=view.unit.digits,
            defined_at=view.defined_at,
        )
    )
    record_event(transaction, EventKind.UNIT_DEFINED, event)


def find(transaction: Transaction, code: str) -> UnitView | None:
    """Find a unit of the club by its code."""
    row = transaction.execute(_mine(transaction).where(_UNIT.code == code)).one_or_none()
    return None if row is None else _load(row)


def list_all(transaction: Transaction) -> list[UnitView]:
    """List the units of the club, in the order of their codes, whatever their capital letters."""
    return [_load(row) for row in transaction.execute(_mine(transaction).order_by(func.lower(_UNIT.code)))]


def list_used(transaction: Transaction) -> set[Unit]:
    """Return the units of tables and of the journal, with those of points."""
    return {Unit(row.unit, row.unit_digits) for row in transaction.execute(_USED, {"club_id": transaction.club_id})}


def _mine(transaction: Transaction) -> Any:
    return select(_UNIT.__table__).where(_UNIT.club_id == transaction.club_id)


def _load(row: Row[Any]) -> UnitView:
    return UnitView(Unit(row.code, row.digits), row.name, row.defined_at)
