"""Tables, the statement of a table's rounds, and the devices on which hands are being entered."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, Select, delete, insert, select, text
from sqlalchemy.dialects import postgresql

from schemas.accounting.settling import PaidBetween, PointUnit, unit_of
from schemas.accounting.statements import PlayerStatement, PointTotals
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
    return {
        found.id: found.name for found in transaction.execute(select(TableRecord.id, TableRecord.name).where(*mine))
    }


def list_named(transaction: Transaction, names: Iterable[str]) -> list[StoredTable]:
    """List the tables with these names."""
    return [_load(found) for found in transaction.execute(_mine(transaction).where(TableRecord.name.in_([*names])))]


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


@dataclass(frozen=True, slots=True)
class RoundSums:
    """The number of rounds and of open rounds, and the totals of their players."""

    rounds: int
    open_rounds: int
    players: list[PlayerStatement]


_ROUNDS: Final = """
    FROM rounds AS round JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
    WHERE round.club_id = :club_id AND round.table_id = :table_id
        AND round.opened_at >= coalesce(CAST(:opened_from AS timestamptz), '-infinity')
        AND round.opened_at < coalesce(CAST(:opened_before AS timestamptz), 'infinity')
"""
_SEATS: Final = f"""
    WITH round AS (
        SELECT round.opened_at, round.table_sequence, round.point_value, round.currency, head.players,
            head.opening_stacks, head.top_ups, head.stacks
        {_ROUNDS}
    ), seat AS (
        SELECT round.opened_at, round.table_sequence, round.point_value, round.currency, seat.*,
            seat.stack - seat.opening_stack - seat.top_ups AS net
        FROM round, unnest(players, opening_stacks, top_ups, stacks) AS seat (player, opening_stack, top_ups, stack)
    )
"""
_COUNT: Final = text(
    f"SELECT count(*) AS rounds, count(*) FILTER (WHERE head.status = 'open') AS open_rounds {_ROUNDS}"
)
_POINTS: Final = text(f"""
    {_SEATS}
    SELECT player, count(*) AS rounds, sum(top_ups) AS top_ups, sum(net) AS net,
        (array_agg(opening_stack ORDER BY opened_at, table_sequence))[1] AS opening_stack,
        (array_agg(stack ORDER BY opened_at DESC, table_sequence DESC))[1] AS stack
    FROM seat GROUP BY player
""")
_NETS: Final = text(f"""
    {_SEATS}
    SELECT player, point_value, currency, sum(net) AS net FROM seat GROUP BY player, point_value, currency
""")
_PAID: Final = text("""
    SELECT round.point_value, round.currency, CASE WHEN round.point_value IS NULL THEN round.table_id END AS table_id,
        head.players[array_position(head.seats, paid.payer)] AS payer,
        head.players[array_position(head.seats, paid.payee)] AS payee,
        sum(paid.paid) AS points
    FROM rounds AS round JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
    JOIN transfers AS paid ON (paid.club_id, paid.round_id, paid.revision)
        = (head.club_id, head.round_id, head.revision)
    WHERE round.club_id = :club_id
        AND (CAST(:tables AS uuid[]) IS NULL OR round.table_id = ANY (CAST(:tables AS uuid[])))
        AND (CAST(:player AS text) IS NULL OR :player = ANY (head.players))
        AND round.opened_at >= coalesce(CAST(:opened_from AS timestamptz), '-infinity')
        AND round.opened_at < coalesce(CAST(:opened_before AS timestamptz), 'infinity')
    GROUP BY 1, 2, 3, 4, 5
""")


def sum_rounds(
    transaction: Transaction, table_id: UUID, *, opened_from: datetime | None, opened_before: datetime | None
) -> RoundSums:
    """Sum up the rounds of a table that were opened in a period."""
    parameters = {
        "club_id": transaction.club_id,
        "table_id": table_id,
        "opened_from": opened_from,
        "opened_before": opened_before,
    }
    nets: dict[str, dict[PointUnit, int]] = defaultdict(dict)
    for found in transaction.execute(_NETS, parameters):
        nets[found.player][unit_of(found.point_value, found.currency, str(table_id))] = int(found.net)
    players = [
        PlayerStatement(
            found.player,
            found.rounds,
            PointTotals(found.opening_stack, int(found.top_ups), int(found.net), found.stack),
            nets[found.player],
        )
        for found in transaction.execute(_POINTS, parameters)
    ]
    counted = transaction.execute(_COUNT, parameters).one()
    return RoundSums(counted.rounds, counted.open_rounds, players)


def list_paid_between(
    transaction: Transaction,
    *,
    tables: Sequence[UUID] | None,
    player: str | None,
    opened_from: datetime | None,
    opened_before: datetime | None,
) -> list[PaidBetween]:
    """
    List what each player has paid each other in the revisions in force, after caps.

    Args:
        transaction: the club's transaction.
        tables: only rounds at these tables; None for all.
        player: only rounds that this player played.
        opened_from: only rounds opened at this time or later.
        opened_before: only rounds opened before this time.
    """
    parameters = {
        "club_id": transaction.club_id,
        "tables": None if tables is None else [*tables],
        "player": player,
        "opened_from": opened_from,
        "opened_before": opened_before,
    }
    return [
        PaidBetween(
            unit_of(found.point_value, found.currency, str(found.table_id)), found.payer, found.payee, int(found.points)
        )
        for found in transaction.execute(_PAID, parameters)
    ]


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
    return [Scorekeeper(found.device_id, found.label, found.hand) for found in transaction.execute(query)]
