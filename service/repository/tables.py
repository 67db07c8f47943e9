"""Tables."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, insert, select, text

from scoring.ruleset import Points
from service.audit import EventKind, record_event
from service.database import Transaction
from service.errors import NotFound, TableConflict
from service.models import TableRecord
from service.repository.conflicts import conflicts


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table: the rules and the money that its next round is played for."""

    id: UUID
    name: str
    ruleset_name: str
    ruleset_version: int
    point_value: int | None
    currency: str | None
    minimum_stack: Points | None
    correction_window_minutes: int
    created_at: datetime


_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
# In the order of what is locked, so that two who lock many wait for each other and not in a circle.
_LOCK_ALL: Final = text("""
    SELECT pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest(CAST(:names AS text[])) AS name ORDER BY key
    ) AS keys
""")


def add(transaction: Transaction, table: StoredTable, event: bytes) -> None:
    """
    Set up a table; its ruleset has been added before.

    Raises:
        TableConflict: the club has a table of this name.
    """
    taken = TableConflict(f"the club has a table named {table.name!r} already; names are unique in a club")
    with conflicts(tables_name_key=taken):
        transaction.execute(insert(TableRecord).values(club_id=transaction.club_id, **asdict(table)))
    record_event(transaction, EventKind.TABLE_CREATED, event)


def get(transaction: Transaction, table_id: UUID) -> StoredTable:
    """
    Read a table.

    Raises:
        NotFound: the club has none with this id.
    """
    found = transaction.execute(_mine(transaction).where(TableRecord.id == table_id)).one_or_none()
    if found is None:
        raise NotFound(f"there is no table {table_id}")
    return _load(found)


def find(transaction: Transaction, name: str) -> StoredTable | None:
    """Find a table by its name."""
    found = transaction.execute(_mine(transaction).where(TableRecord.name == name)).one_or_none()
    return None if found is None else _load(found)


def lock(transaction: Transaction, name: str) -> None:
    """
    Wait until nobody else makes this table or opens a round at it, and keep others from it until the end.

    What is looked for and then added where it is missing, a table by name or a round by its content, is so added once.
    """
    transaction.execute(_LOCK, {"name": f"{transaction.club_id} {name}"})


def lock_all(transaction: Transaction, names: Iterable[str]) -> None:
    """Lock many tables, each as `lock` does."""
    transaction.execute(_LOCK_ALL, {"names": [f"{transaction.club_id} {name}" for name in names]})


def list_named(transaction: Transaction, names: Iterable[str]) -> list[StoredTable]:
    """List the tables that have some of these names."""
    return [_load(found) for found in transaction.execute(_mine(transaction).where(TableRecord.name.in_([*names])))]


def lock_making(transaction: Transaction) -> None:
    """Wait until nobody else makes many tables in the club, and keep others from it until the end."""
    transaction.execute(_LOCK, {"name": f"{transaction.club_id}"})


def list_page(
    transaction: Transaction, *, name: str | None = None, after: UUID | None = None, limit: int
) -> list[StoredTable]:
    """List tables, the newest first, from the one after `after`; with a name, the one that has it."""
    query = _mine(transaction).order_by(TableRecord.id.desc()).limit(limit)
    if name is not None:
        query = query.where(TableRecord.name == name)
    if after is not None:
        query = query.where(TableRecord.id < after)
    return [_load(found) for found in transaction.execute(query)]


def _mine(transaction: Transaction) -> Select[Any]:
    return select(TableRecord.__table__).where(TableRecord.club_id == transaction.club_id)


def _load(found: Row[Any]) -> StoredTable:
    return StoredTable(
        id=found.id,
        name=found.name,
        ruleset_name=found.ruleset_name,
        ruleset_version=found.ruleset_version,
        point_value=found.point_value,
        currency=found.currency,
        minimum_stack=found.minimum_stack,
        correction_window_minutes=found.correction_window_minutes,
        created_at=found.created_at,
    )
