"""Tables, and the devices on which hands are being entered."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, delete, insert, select, text
from sqlalchemy.dialects import postgresql

from schemas.tables import MOST_SCOREKEEPERS, Scorekeeper
from scoring.ruleset import Points
from service.audit_trail.queries.events import EventKind, record_event
from service.db import Transaction
from service.db.failures import conflicts
from service.errors import NotFound, TableConflict
from service.tables.models import ScorekeeperRecord, TableRecord

_DEVICE: Final = ScorekeeperRecord


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A stored table, with the ruleset and the point value of its next round."""

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
# Locks are taken in a fixed order, so that transactions that lock many tables cannot deadlock.
_LOCK_ALL: Final = text("""
    SELECT pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest(CAST(:names AS text[])) AS name ORDER BY key
    ) AS keys
""")


def add(transaction: Transaction, table: StoredTable, event: bytes) -> None:
    """
    Insert a table, whose ruleset is stored.

    Raises:
        TableConflict: the club has a table with this name.
    """
    taken = TableConflict(f"a table named {table.name!r} already exists; expected a unique name in the club")
    with conflicts(tables_name_key=taken):
        transaction.execute(insert(TableRecord).values(club_id=transaction.club_id, **asdict(table)))
    record_event(transaction, EventKind.TABLE_CREATED, event)


def get(transaction: Transaction, table_id: UUID) -> StoredTable:
    """
    Read a table.

    Raises:
        NotFound: the club has no table with this ID.
    """
    row = transaction.execute(_mine(transaction).where(TableRecord.id == table_id)).one_or_none()
    if row is None:
        raise NotFound(f"there is no table {table_id}")
    return _load(row)


def find(transaction: Transaction, name: str) -> StoredTable | None:
    """Find a table by its name."""
    row = transaction.execute(_mine(transaction).where(TableRecord.name == name)).one_or_none()
    return None if row is None else _load(row)


def lock(transaction: Transaction, name: str) -> None:
    """
    Lock a table name until the transaction ends: no other one creates the table or opens a round at it.

    This makes "find, else insert" of a table or a round safe.
    """
    transaction.execute(_LOCK, {"name": f"{transaction.club_id} {name}"})


def lock_all(transaction: Transaction, names: Iterable[str]) -> None:
    """Lock several table names, each as `lock` does."""
    transaction.execute(_LOCK_ALL, {"names": [f"{transaction.club_id} {name}" for name in names]})


def list_names(transaction: Transaction, table_ids: Iterable[UUID]) -> dict[UUID, str]:
    """Return the names of tables, by ID."""
    mine = TableRecord.club_id == transaction.club_id, TableRecord.id.in_({*table_ids})
    return {row.id: row.name for row in transaction.execute(select(TableRecord.id, TableRecord.name).where(*mine))}


def list_named(transaction: Transaction, names: Iterable[str]) -> list[StoredTable]:
    """List the tables with these names."""
    return [_load(row) for row in transaction.execute(_mine(transaction).where(TableRecord.name.in_([*names])))]


def lock_making(transaction: Transaction) -> None:
    """Lock the creation of several tables in the club until the transaction ends."""
    transaction.execute(_LOCK, {"name": f"{transaction.club_id}"})


def list_page(
    transaction: Transaction,
    *,
    name: str | None = None,
    containing: str | None = None,
    after: UUID | None = None,
    limit: int,
) -> list[StoredTable]:
    """
    List tables, the newest first, starting after the ID `after`.

    With `name`, only the table of this name; with `containing`, those with this text in their names.
    """
    query = _mine(transaction).order_by(TableRecord.id.desc()).limit(limit)
    if name is not None:
        query = query.where(TableRecord.name == name)
    if containing is not None:
        query = query.where(TableRecord.name.icontains(containing, autoescape=True))
    if after is not None:
        query = query.where(TableRecord.id < after)
    return [_load(row) for row in transaction.execute(query)]


def _mine(transaction: Transaction) -> Select[Any]:
    return select(TableRecord.__table__).where(TableRecord.club_id == transaction.club_id)


def _load(row: Row[Any]) -> StoredTable:
    return StoredTable(
        id=row.id,
        name=row.name,
        ruleset_name=row.ruleset_name,
        ruleset_version=row.ruleset_version,
        point_value=row.point_value,
        currency=row.currency,
        minimum_stack=row.minimum_stack,
        correction_window_minutes=row.correction_window_minutes,
        created_at=row.created_at,
    )


def write_scorekeeper(transaction: Transaction, table_id: UUID, scorekeeper: Scorekeeper, expires_at: datetime) -> None:
    """Insert the entry of a device for the key or the link of the transaction, or replace it; delete expired ones."""
    at_table = _DEVICE.club_id == transaction.club_id, _DEVICE.table_id == table_id
    transaction.execute(delete(_DEVICE).where(*at_table, _DEVICE.expires_at <= transaction.now))
    shown = {"label": scorekeeper.label, "hand": scorekeeper.hand, "expires_at": expires_at}
    statement = postgresql.insert(_DEVICE).values(
        club_id=transaction.club_id,
        table_id=table_id,
        key_id=transaction.actor,
        device_id=scorekeeper.device,
        shown_since=transaction.now,
        **shown,
    )
    transaction.execute(statement.on_conflict_do_update(constraint="scorekeepers_pkey", set_=shown))


def remove_scorekeeper(transaction: Transaction, table_id: UUID, device: UUID) -> None:
    """Delete the entry of a device, if the key or the link of the transaction has written one."""
    at_table = _DEVICE.club_id == transaction.club_id, _DEVICE.table_id == table_id
    own = _DEVICE.key_id == transaction.actor, _DEVICE.device_id == device
    transaction.execute(delete(_DEVICE).where(*at_table, *own))


def list_scorekeepers(transaction: Transaction, table_id: UUID) -> list[Scorekeeper]:
    """
    List the devices of a table whose entries have not expired, the one that was shown last first.

    The order does not change while devices send their entries again.
    """
    query = (
        select(_DEVICE.device_id, _DEVICE.label, _DEVICE.hand)
        .where(
            _DEVICE.club_id == transaction.club_id, _DEVICE.table_id == table_id, _DEVICE.expires_at > transaction.now
        )
        .order_by(_DEVICE.shown_since.desc(), _DEVICE.key_id, _DEVICE.device_id)
        .limit(MOST_SCOREKEEPERS)
    )
    return [Scorekeeper(row.device_id, row.label, row.hand) for row in transaction.execute(query)]
