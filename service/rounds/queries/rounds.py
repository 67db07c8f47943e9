"""Read, lock and list rounds."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    DateTime,
    Select,
    Tuple,
    Uuid,
    bindparam,
    func,
    literal,
    select,
    text,
    tuple_,
)

from scoring.round_state import RoundStatus
from scoring.ruleset import Points
from service.db import Query, Statement, Transaction
from service.db.paging import count_rows
from service.errors import Busy, NotFound
from service.players.queries.aliases import Aliases
from service.players.queries.names import WITH_SEATED
from service.rounds.models import RoundHeadRecord, RoundRecord, RoundSeatRecord
from service.rounds.queries.round_filter import RoundFilter, where_rounds
from service.rounds.queries.stored_round import OWN_ROUNDS, ROUNDS, StoredRound, load_stored_round

FIRST: Final = 1
"""The first revision and the first version of a round."""
LONGEST_WAIT: Final = timedelta(seconds=2)
"""How long a request with many rounds waits for one that another request holds."""


@dataclass(frozen=True, slots=True)
class RoundPlace:
    """The position of a round in lists, which are in the order of opening times."""

    opened_at: datetime
    id: UUID

    @property
    def bound(self) -> Tuple:
        """The position as a value to compare `PLACE` with."""
        return tuple_(literal(self.opened_at, DateTime(timezone=True)), literal(self.id, Uuid()))


_HEAD: Final = RoundHeadRecord
_ROUND: Final = RoundRecord
PLACE: Final = tuple_(_ROUND.opened_at, _ROUND.id)
_HAS_ID: Final = _ROUND.id == bindparam("round_id")
_GET: Final = Statement(ROUNDS.where(_HAS_ID))
_LOCK: Final = Statement(OWN_ROUNDS.where(_HAS_ID).with_for_update(of=_HEAD))
_SELECT_IDS: Final = """
    SELECT round_id FROM round_heads WHERE club_id = :club_id AND round_id = ANY (:round_ids) ORDER BY round_id
"""
_IDS: Final = Statement(text(_SELECT_IDS))
_LOCK_IDS: Final = Statement(text(f"{_SELECT_IDS} FOR UPDATE"))
_LOCK_FREE_IDS: Final = Statement(text(f"{_SELECT_IDS} FOR UPDATE SKIP LOCKED"))
_LIMIT_WAITS: Final = Statement(text("SELECT set_config('lock_timeout', :longest, true)"))
_NEXT_SEQUENCES: Final = text("""
    SELECT wanted.table_id, coalesce((
        SELECT round.table_sequence FROM rounds AS round
        WHERE round.club_id = :club_id AND round.table_id = wanted.table_id
        ORDER BY round.table_sequence DESC LIMIT 1
    ), 0) + 1 AS next
    FROM unnest(CAST(:table_ids AS uuid[])) AS wanted (table_id)
""")
_STACKS_LEFT: Final = text("""
    SELECT wanted.player, last.stack, last.point_value, last.unit
    FROM unnest(CAST(:ids AS text[])) AS wanted (player)
    CROSS JOIN LATERAL (
        SELECT head.stacks[array_position(head.players, wanted.player)] AS stack, round.point_value, round.unit,
            round.table_sequence
        FROM rounds AS round
        JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
        JOIN round_seats AS seat ON (seat.club_id, seat.round_id, seat.revision, seat.player)
            = (head.club_id, head.round_id, head.revision, wanted.player)
        WHERE round.club_id = :club_id AND round.table_id = :table_id AND NOT round.imported
        ORDER BY round.table_sequence DESC LIMIT 1
    ) AS last
    ORDER BY last.table_sequence
""")
_LAST_OPENED: Final = text("""
    SELECT wanted.table_id, last.opened_at, playing.round_id
    FROM unnest(CAST(:table_ids AS uuid[])) AS wanted (table_id)
    CROSS JOIN LATERAL (
        SELECT round.opened_at FROM rounds AS round
        WHERE round.club_id = :club_id AND round.table_id = wanted.table_id
        ORDER BY round.opened_at DESC LIMIT 1
    ) AS last
    LEFT JOIN round_heads AS playing
        ON playing.club_id = :club_id AND playing.table_id = wanted.table_id AND playing.status = 'open'
""")


_FIND_IDS: Final = text("""
    SELECT playing_at.name, round.reference, round.id
    FROM unnest(CAST(:tables AS text[]), CAST(:references AS text[])) AS wanted (name, reference)
    JOIN tables AS playing_at
        ON playing_at.club_id = :club_id AND playing_at.name = wanted.name AND playing_at.archived_at IS NULL
    JOIN rounds AS round
        ON (round.club_id, round.table_id, round.reference) = (:club_id, playing_at.id, wanted.reference)
""")


def get(transaction: Transaction, round_id: UUID) -> StoredRound:
    """
    Return a round.

    Raises:
        NotFound: the round does not exist.
    """
    return _get_one(transaction, (_GET, {"club_id": transaction.club_id, "round_id": round_id}), round_id)


def query_to_lock(round_id: UUID) -> Query:
    """Return the query of `lock`, to be read ahead."""
    return _LOCK, {"round_id": round_id}


def lock(transaction: Transaction, round_id: UUID) -> StoredRound:
    """
    Lock a round until the transaction ends, and return it.

    Raises:
        NotFound: the round does not exist.
        Busy: another transaction held the lock for too long.
    """
    return _get_one(transaction, query_to_lock(round_id), round_id)


def lock_all(transaction: Transaction, round_ids: Collection[UUID]) -> dict[UUID, StoredRound]:
    """
    Lock rounds until the transaction ends, in the order of their ids, and return those that exist.

    Raises:
        Busy: another transaction held a lock for too long.
    """
    if not round_ids:
        return {}
    query = ROUNDS.where(_ROUND.id.in_(round_ids)).order_by(_ROUND.id).with_for_update(of=_HEAD)
    records = transaction.execute(query, {"club_id": transaction.club_id}).all()
    return {record.id: load_stored_round(transaction, record._asdict()) for record in records}


def lock_free(transaction: Transaction, round_ids: Collection[UUID]) -> set[UUID]:
    """
    Lock rounds until the transaction ends, and return those that another transaction still holds after a short wait.

    They are locked in the order of their ids, so that two transactions never wait for each other. Until the
    transaction ends, no lock is waited for any longer.
    """
    parameters = {"club_id": transaction.club_id, "round_ids": [*round_ids]}
    try:
        with transaction.savepoint():
            transaction.write(_LIMIT_WAITS, {"longest": f"{LONGEST_WAIT // timedelta(milliseconds=1)}ms"})
            transaction.query(_LOCK_IDS, parameters)
    except Busy:
        locked = {row["round_id"] for row in transaction.query(_LOCK_FREE_IDS, parameters)}
        return {row["round_id"] for row in transaction.query(_IDS, parameters)} - locked
    return set()


def find_ids(transaction: Transaction, names: Collection[tuple[str, str]]) -> dict[tuple[str, str], UUID]:
    """Find rounds by the name of their table, which is not archived, and their reference."""
    if not names:
        return {}
    tables, references = zip(*names, strict=True)
    parameters = {"club_id": transaction.club_id, "tables": [*tables], "references": [*references]}
    return {(each.name, each.reference): each.id for each in transaction.execute(_FIND_IDS, parameters)}


def lock_due(transaction: Transaction, limit: int) -> list[StoredRound]:
    """Lock rounds whose correction window has passed, oldest first; skip those that are locked by others."""
    due = ROUNDS.where(_HEAD.provisional_until <= bindparam("now")).order_by(_HEAD.provisional_until).limit(limit)
    query = due.with_for_update(of=_HEAD, skip_locked=True)
    records = transaction.execute(query, {"club_id": transaction.club_id, "now": transaction.now}).all()
    return [load_stored_round(transaction, record._asdict()) for record in records]


def find_by_reference(transaction: Transaction, table_id: UUID, reference: str) -> StoredRound | None:
    """Find a table's round by its reference."""
    return _find_one(transaction, ROUNDS.where(_ROUND.table_id == table_id, _ROUND.reference == reference))


def list_alike(
    transaction: Transaction, table_ids: Collection[UUID], reference: str | None, digest: bytes
) -> list[StoredRound]:
    """List rounds of tables with a reference or, if it is None, those without one that have this content digest."""
    at_tables = ROUNDS.where(_ROUND.table_id.in_(table_ids)).order_by(_ROUND.recorded_at, _ROUND.table_sequence)
    if reference is None:
        query = at_tables.where(_ROUND.digest == digest, _ROUND.reference.is_(None))
    else:
        query = at_tables.where(_ROUND.reference == reference)
    records = transaction.execute(query, {"club_id": transaction.club_id}).all() if table_ids else []
    return [load_stored_round(transaction, record._asdict()) for record in records]


def find_open(transaction: Transaction, table_id: UUID) -> UUID | None:
    """Find the open round of a table."""
    head = _HEAD
    mine = (head.club_id == transaction.club_id, head.table_id == table_id, head.status == RoundStatus.OPEN.value)
    round_id: UUID | None = transaction.execute(select(head.round_id).where(*mine)).scalar_one_or_none()
    return round_id


def find_following(transaction: Transaction, before: StoredRound) -> UUID | None:
    """
    Find the last round recorded at the same table after a round; None if there is none.

    Imported rounds are omitted: no stack carries over to them. The table must be locked, so that no round is added.
    """
    query = (
        select(_ROUND.id)
        .where(
            _ROUND.club_id == transaction.club_id,
            _ROUND.table_id == before.table_id,
            _ROUND.table_sequence > before.table_sequence,
            ~_ROUND.imported,
        )
        .order_by(_ROUND.table_sequence.desc())
        .limit(1)
    )
    round_id: UUID | None = transaction.execute(query).scalar_one_or_none()
    return round_id


def next_sequences(transaction: Transaction, table_ids: Iterable[UUID]) -> dict[UUID, int]:
    """Return the number of the next round of each table. The tables must be locked."""
    parameters = {"club_id": transaction.club_id, "table_ids": [*table_ids]}
    return {row.table_id: row.next for row in transaction.execute(_NEXT_SEQUENCES, parameters)}


@dataclass(frozen=True, slots=True)
class StackLeft:
    """The stack of a player at the end of a round, and the point value and unit of the round."""

    stack: Points
    point_value: int | None
    unit: str | None


def list_stacks_left(
    transaction: Transaction, table_id: UUID, players: Sequence[str], aliases: Aliases
) -> dict[str, StackLeft]:
    """
    Return each player's stack at the end of their last round at a table that was not imported, under whatever ID.

    Players without such a round are omitted.
    """
    parameters = {"club_id": transaction.club_id, "table_id": table_id, "ids": aliases.ids_of_all(players)}
    # The last one of a player is that of the newest round.
    last = {
        aliases.player_of(row.player): StackLeft(row.stack, row.point_value, row.unit)
        for row in transaction.execute(_STACKS_LEFT, parameters)
    }
    return {player: last[shown] for player in players if (shown := aliases.player_of(player)) in last}


_PLAYERS: Final = text(f"{WITH_SEATED} SELECT player FROM seated WHERE player IS NOT NULL")
_PLAYERS_AT_TABLE: Final = text("""
    SELECT DISTINCT unnest(players) AS player FROM round_heads WHERE club_id = :club_id AND table_id = :table_id
    ORDER BY player
""")


def list_known_players(transaction: Transaction, players: Iterable[str]) -> set[str]:
    """List those of the players who have a seat in any visible round of the club."""
    if transaction.table_id is not None:
        return set(players) & set(list_players(transaction))
    seat = RoundSeatRecord
    query = select(seat.player).where(seat.club_id == transaction.club_id, seat.player.in_([*players])).distinct()
    return set(transaction.execute(query).scalars())


def list_seated(transaction: Transaction, round_id: UUID) -> list[str]:
    """List the players who sat in a round, in any of its revisions."""
    seat = RoundSeatRecord
    query = select(seat.player).where(seat.club_id == transaction.club_id, seat.round_id == round_id).distinct()
    return list(transaction.execute(query.order_by(seat.player)).scalars())


def list_players(transaction: Transaction) -> list[str]:
    """List all players who have a seat in any round of the club, by ID; for a link, in any round of its table."""
    if transaction.table_id is None:
        return list(transaction.execute(_PLAYERS, {"club_id": transaction.club_id}).scalars())
    parameters = {"club_id": transaction.club_id, "table_id": transaction.table_id}
    return list(transaction.execute(_PLAYERS_AT_TABLE, parameters).scalars())


def find_newest_opening(transaction: Transaction, table_id: UUID) -> datetime | None:
    """Find the latest opening time of the rounds of a table that were not imported."""
    at_table = (_ROUND.club_id == transaction.club_id, _ROUND.table_id == table_id, ~_ROUND.imported)
    query = select(_ROUND.opened_at).where(*at_table).order_by(_ROUND.opened_at.desc()).limit(1)
    opening: datetime | None = transaction.execute(query).scalar_one_or_none()
    return opening


def find_place(transaction: Transaction, round_id: UUID) -> RoundPlace | None:
    """Find the position of a round in lists; None if the round does not exist."""
    query = select(_ROUND.opened_at).where(_ROUND.club_id == transaction.club_id, _ROUND.id == round_id)
    opened_at = transaction.execute(query).scalar_one_or_none()
    return None if opened_at is None else RoundPlace(opened_at, round_id)


def count_until(transaction: Transaction, table_id: UUID, begin: datetime, place: RoundPlace) -> int:
    """Count the rounds of a table from a time to a position in lists, the round there included."""
    at_table = (_ROUND.club_id == transaction.club_id, _ROUND.table_id == table_id)
    query = select(func.count()).where(*at_table, _ROUND.opened_at >= begin, place.bound >= PLACE)
    return int(transaction.execute(query).scalar_one())


def list_last_opened(transaction: Transaction, table_ids: Iterable[UUID]) -> dict[UUID, tuple[datetime, UUID | None]]:
    """Return when the last round of each table was opened, and the round that is open; others are omitted."""
    rows = transaction.execute(_LAST_OPENED, {"club_id": transaction.club_id, "table_ids": [*table_ids]})
    return {each.table_id: (each.opened_at, each.round_id) for each in rows}


def list_page(
    transaction: Transaction,
    filter_: RoundFilter,
    *,
    after: RoundPlace | None = None,
    limit: int,
    oldest_first: bool = False,
) -> list[StoredRound]:
    """List rounds after `after`, newest first, or the oldest first."""
    query = ROUNDS.where(where_rounds(transaction, filter_)).limit(limit)
    if oldest_first:
        query = query.order_by(_ROUND.opened_at, _ROUND.id)
    else:
        query = query.order_by(_ROUND.opened_at.desc(), _ROUND.id.desc())
    if after is not None:
        query = query.where(after.bound < PLACE if oldest_first else after.bound > PLACE)
    records = transaction.execute(query, {"club_id": transaction.club_id})
    return [load_stored_round(transaction, record._asdict()) for record in records]


def count(transaction: Transaction, filter_: RoundFilter, limit: int) -> int:
    """Count rounds up to a limit."""
    return count_rows(transaction, ROUNDS.where(where_rounds(transaction, filter_)), limit)


def _get_one(transaction: Transaction, query: Query, round_id: UUID) -> StoredRound:
    rows = transaction.query(*query)
    if not rows:
        raise NotFound(f"there is no round {round_id}")
    return load_stored_round(transaction, rows[0])


def _find_one(transaction: Transaction, query: Select[Any]) -> StoredRound | None:
    row = transaction.execute(query, {"club_id": transaction.club_id}).one_or_none()
    return None if row is None else load_stored_round(transaction, row._asdict())
