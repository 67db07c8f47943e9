"""Tables, and the devices on which hands are being entered."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, delete, func, insert, select, text, tuple_, update
from sqlalchemy.dialects import postgresql

from evidence.charges import ChargePer
from schemas.money import Unit, dump_unit, load_unit
from schemas.tables import MOST_SCOREKEEPERS, Scorekeeper
from scoring.errors import Mistake
from scoring.ruleset import Points
from service.audit_trail.queries.events import EventKind, find_last_of_table, record_event
from service.db import Transaction
from service.db.failures import conflicts
from service.db.paging import count_rows, select_page
from service.errors import NotFound, TableConflict
from service.tables.models import ScorekeeperRecord, TableRecord

_TABLE: Final = TableRecord
_DEVICE: Final = ScorekeeperRecord
_IN_USE: Final = _TABLE.archived_at.is_(None)


class TableOrder(StrEnum):
    """The order of a list of tables."""

    NEWEST = "newest"
    OLDEST = "oldest"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A stored table, with what its next round is opened with."""

    id: UUID
    name: str
    ruleset_name: str
    ruleset_version: int
    point_value: int | None
    unit: Unit | None
    charge_per: ChargePer | None
    charge_amount: int | None
    minimum_stack: Points | None
    correction_window_minutes: int
    created_at: datetime
    archived_at: datetime | None = None
    reference: str | None = None


_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
# Locks are taken in a fixed order, so that transactions that lock many tables cannot deadlock.
_LOCK_ALL: Final = text("""
    SELECT pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest(CAST(:names AS text[])) AS name ORDER BY key
    ) AS keys
""")
_OPEN_ROUND: Final = text("""
    SELECT round_id FROM round_heads WHERE club_id = :club_id AND table_id = :table_id AND status = 'open'
""")
# Without a change of any table, no name is a former one, and no content is decoded.
_FORMERLY_NAMED: Final = text(f"""
    SELECT DISTINCT event.name, former.id
    FROM (
        SELECT content ->> 'name' AS name, CAST(content ->> 'id' AS uuid) AS id
        FROM (
            SELECT convert_from(content, 'UTF8')::jsonb AS content FROM events
            WHERE club_id = :club_id AND kind IN ('{EventKind.TABLE_CREATED}', '{EventKind.TABLE_CHANGED}')
        ) AS payload
    ) AS event
    JOIN tables AS former ON former.club_id = :club_id AND former.id = event.id
    WHERE event.name = ANY (CAST(:names AS text[])) AND (former.name <> event.name OR former.archived_at IS NOT NULL)
        AND EXISTS (SELECT FROM events WHERE club_id = :club_id AND kind = '{EventKind.TABLE_CHANGED}')
    ORDER BY former.id
""")


def add(transaction: Transaction, table: StoredTable, event: bytes) -> None:
    """
    Insert a table, whose ruleset is stored.

    Raises:
        TableConflict: the club has a table with this name or this reference.
    """
    with conflicts(tables_name_key=_taken(table.name), tables_reference_key=_reference_taken(table.reference)):
        transaction.execute(insert(_TABLE).values(club_id=transaction.club_id, **_columns_of(table)))
    record_event(transaction, EventKind.TABLE_CREATED, event)


def replace(transaction: Transaction, table: StoredTable, event: bytes) -> None:
    """
    Replace what a table has, which must be locked and whose ruleset is stored.

    The ID of the event is larger than those of the table's earlier events: verification replays them in this order.

    Raises:
        TableConflict: the club has another table with this name or this reference.
    """
    values = _columns_of(table)
    mine = _TABLE.club_id == transaction.club_id, _TABLE.id == values.pop("id")
    del values["created_at"]
    with conflicts(tables_name_key=_taken(table.name), tables_reference_key=_reference_taken(table.reference)):
        transaction.execute(update(_TABLE).where(*mine).values(values))
    last = find_last_of_table(transaction, table.id)
    record_event(transaction, EventKind.TABLE_CHANGED, event, after=last)


def _columns_of(table: StoredTable) -> dict[str, Any]:
    return {**asdict(table), **dump_unit(table.unit)}


def _taken(name: str) -> TableConflict:
    return TableConflict(f"a table named {name!r} already exists; expected a unique name in the club")


def _reference_taken(reference: str | None) -> TableConflict:
    detail = f"another table has the reference {reference!r}; expected a unique reference in the club"
    return TableConflict(detail, (Mistake(TableConflict.code, ("reference",), detail),))


def get(transaction: Transaction, table_id: UUID, *, for_update: bool = False) -> StoredTable:
    """
    Read a table; with `for_update`, lock it until the transaction ends.

    Whoever opens or reopens a round at a table, or changes the table, locks it first.

    Raises:
        NotFound: the club has no table with this ID.
        Busy: another transaction held the lock for too long.
    """
    row = transaction.execute(_locked(_mine(transaction).where(_TABLE.id == table_id), for_update)).one_or_none()
    if row is None:
        raise NotFound(f"there is no table {table_id}")
    return _load(row)


def find(transaction: Transaction, name: str, *, for_update: bool = False) -> StoredTable | None:
    """Find the table with a name, which is not archived; with `for_update`, lock it as `get` does."""
    query = _mine(transaction).where(_TABLE.name == name, _IN_USE)
    row = transaction.execute(_locked(query, for_update)).one_or_none()
    return None if row is None else _load(row)


def find_any(transaction: Transaction, known_as: str) -> StoredTable | None:
    """Find a table by its name, or by its ID, which finds archived tables too."""
    table = find(transaction, known_as)
    if table is not None:
        return table
    try:
        table_id = UUID(known_as)
    except ValueError:
        return None
    row = transaction.execute(_mine(transaction).where(_TABLE.id == table_id)).one_or_none()
    return None if row is None else _load(row)


def find_open_round(transaction: Transaction, table_id: UUID) -> UUID | None:
    """Find the open round of a table, which must be locked so that no round is opened."""
    parameters = {"club_id": transaction.club_id, "table_id": table_id}
    round_id: UUID | None = transaction.execute(_OPEN_ROUND, parameters).scalar_one_or_none()
    return round_id


def lock(transaction: Transaction, name: str) -> None:
    """
    Lock a table name until the transaction ends: no other one gives this name to a table.

    This makes "find, else insert" of a table safe. Names are locked before the tables themselves.
    """
    transaction.execute(_LOCK, {"name": f"{transaction.club_id} {name}"})


def lock_all(transaction: Transaction, names: Iterable[str]) -> None:
    """Lock several table names, each as `lock` does."""
    transaction.execute(_LOCK_ALL, {"names": [f"{transaction.club_id} {name}" for name in names]})


def list_names(transaction: Transaction, table_ids: Iterable[UUID]) -> dict[UUID, str]:
    """Return the names of tables, by ID."""
    return {table_id: table.name for table_id, table in list_by_id(transaction, table_ids).items()}


def list_by_id(transaction: Transaction, table_ids: Iterable[UUID]) -> dict[UUID, StoredTable]:
    """Return tables by ID."""
    rows = transaction.execute(_mine(transaction).where(_TABLE.id.in_({*table_ids})))
    return {row.id: _load(row) for row in rows}


def list_named(transaction: Transaction, names: Iterable[str], *, for_update: bool = False) -> list[StoredTable]:
    """List the tables with these names, which are not archived; with `for_update`, lock them in one order."""
    query = _mine(transaction).where(_TABLE.name.in_([*names]), _IN_USE).order_by(_TABLE.id)
    return [_load(row) for row in transaction.execute(_locked(query, for_update))]


def list_formerly_named(transaction: Transaction, names: Iterable[str]) -> dict[str, list[UUID]]:
    """
    Return the tables that once had each of these names and have it no longer, because they are renamed or archived.

    Names that no table had are omitted.
    """
    former: defaultdict[str, list[UUID]] = defaultdict(list)
    for row in transaction.execute(_FORMERLY_NAMED, {"club_id": transaction.club_id, "names": [*names]}):
        former[row.name].append(row.id)
    return dict(former)


def lock_making(transaction: Transaction) -> None:
    """Lock the creation of several tables in the club until the transaction ends."""
    transaction.execute(_LOCK, {"name": f"{transaction.club_id}"})


def list_page(
    transaction: Transaction,
    *,
    name: str | None = None,
    containing: str | None = None,
    reference: str | None = None,
    archived: bool = False,
    after: UUID | None = None,
    limit: int,
    order: TableOrder = TableOrder.NEWEST,
) -> list[StoredTable]:
    """
    List tables in an order, starting after the ID `after`; the archived ones, or those that are not archived.

    With `name`, only tables of this name; with `containing`, those with this text in their names; with `reference`, the
    one that has it, archived or not.
    """
    query = _matching(transaction, containing, archived=archived) if reference is None else _mine(transaction)
    if reference is not None:
        query = query.where(_TABLE.reference == reference)
    if name is not None:
        query = query.where(_TABLE.name == name)
    if order is not TableOrder.NAME:
        oldest_first = order is TableOrder.OLDEST
        query = select_page(query, _TABLE.id, after=after, limit=limit, oldest_first=oldest_first)
        return [_load(row) for row in transaction.execute(query)]
    if after is not None:
        last = select(_TABLE.name).where(_TABLE.club_id == transaction.club_id, _TABLE.id == after).scalar_subquery()
        # A cursor of no table begins with the first one.
        query = query.where(tuple_(_TABLE.name, _TABLE.id) > tuple_(func.coalesce(last, ""), after))
    return [_load(row) for row in transaction.execute(query.order_by(_TABLE.name, _TABLE.id).limit(limit))]


def count(transaction: Transaction, *, containing: str | None, archived: bool, limit: int) -> int:
    """Count the tables that are archived, or those that are not, with a text in their names or all, up to a limit."""
    return count_rows(transaction, _matching(transaction, containing, archived=archived), limit)


def _matching(transaction: Transaction, containing: str | None, *, archived: bool) -> Select[Any]:
    query = _mine(transaction).where(~_IN_USE if archived else _IN_USE)
    return query if containing is None else query.where(_TABLE.name.icontains(containing, autoescape=True))


def _mine(transaction: Transaction) -> Select[Any]:
    return select(_TABLE.__table__).where(_TABLE.club_id == transaction.club_id)


def _locked(query: Select[Any], for_update: bool) -> Select[Any]:
    """Lock the rows of a query if asked to; records that reference a table can still be inserted meanwhile."""
    return query.with_for_update(key_share=True) if for_update else query


def _load(row: Row[Any]) -> StoredTable:
    return StoredTable(
        id=row.id,
        name=row.name,
        ruleset_name=row.ruleset_name,
        ruleset_version=row.ruleset_version,
        point_value=row.point_value,
        unit=load_unit(row.unit, row.unit_digits),
        charge_per=None if row.charge_per is None else ChargePer(row.charge_per),
        charge_amount=row.charge_amount,
        minimum_stack=row.minimum_stack,
        correction_window_minutes=row.correction_window_minutes,
        created_at=row.created_at,
        archived_at=row.archived_at,
        reference=row.reference,
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
