"""Rounds: as they were opened, and where they stand."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Select,
    Tuple,
    Uuid,
    bindparam,
    insert,
    literal,
    select,
    text,
    tuple_,
    update,
)

from schemas.settlements import SettlementState
from scoring.hand import Seat
from scoring.round_state import Round, RoundStatus
from scoring.ruleset import Points
from service.db import Statement, Transaction
from service.db.pages import conflicts
from service.errors import Busy, NotFound, RoundConflict, RoundOpen
from service.ledger.queries.events import EventKind, record_event
from service.rounds.models import RoundHeadRecord, RoundRecord, RoundSeatRecord, SettlementRecord
from service.rounds.queries.stored_round import (
    ROUNDS,
    Firmness,
    StoredRound,
    dump_firmness,
    dump_round,
    load_stored_round,
)

__all__ = [
    "FIRST",
    "PLACE",
    "RoundFilter",
    "RoundPlace",
    "StoredRound",
    "add",
    "advance",
    "changed_meanwhile",
    "find_by_digest",
    "find_by_reference",
    "find_following",
    "find_newest_opening",
    "find_open",
    "find_place",
    "get",
    "list_page",
    "list_stacks_left",
    "lock",
    "next_sequences",
    "one_open",
    "open_meanwhile",
    "round_conditions",
]

FIRST: Final = 1
"""The revision that is played as it happens, and the version of a round that has just been opened."""


@dataclass(frozen=True, slots=True)
class RoundFilter:
    """Which rounds of a list; None is any. The times are those of opening, `opened_before` excluded."""

    table_id: UUID | None = None
    player: str | None = None
    status: RoundStatus | None = None
    state: SettlementState | None = None
    opened_from: datetime | None = None
    opened_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class RoundPlace:
    """Where a round is in lists, which are in the order of opening."""

    opened_at: datetime
    id: UUID

    @property
    def bound(self) -> Tuple:
        """It as a value to compare `PLACE` with."""
        return tuple_(literal(self.opened_at, DateTime(timezone=True)), literal(self.id, Uuid()))


_HEAD: Final = RoundHeadRecord
_ROUND: Final = RoundRecord
PLACE: Final = tuple_(_ROUND.opened_at, _ROUND.id)
_BY_ID: Final = ROUNDS.where(_ROUND.id == bindparam("round_id"))
_GET: Final = Statement(_BY_ID)
_LOCK: Final = Statement(_BY_ID.with_for_update(of=_HEAD))
_LATER: Final = text("SET CONSTRAINTS round_heads_one_open DEFERRED")
_NOW: Final = text("SET CONSTRAINTS round_heads_one_open IMMEDIATE")
_NEXT_SEQUENCES: Final = text("""
    SELECT wanted.table_id, coalesce((
        SELECT round.table_sequence FROM rounds AS round
        WHERE round.club_id = :club_id AND round.table_id = wanted.table_id
        ORDER BY round.table_sequence DESC LIMIT 1
    ), 0) + 1 AS next
    FROM unnest(CAST(:table_ids AS uuid[])) AS wanted (table_id)
""")
_STACKS_LEFT: Final = text("""
    SELECT wanted.player, last.stack
    FROM unnest(CAST(:players AS text[])) AS wanted (player)
    CROSS JOIN LATERAL (
        SELECT head.stacks[array_position(head.players, wanted.player)] AS stack
        FROM rounds AS round
        JOIN round_heads AS head ON (head.club_id, head.round_id) = (round.club_id, round.id)
        JOIN round_seats AS seat ON (seat.club_id, seat.round_id, seat.revision, seat.player)
            = (head.club_id, head.round_id, head.revision, wanted.player)
        WHERE round.club_id = :club_id AND round.table_id = :table_id AND NOT round.imported
        ORDER BY round.table_sequence DESC LIMIT 1
    ) AS last
""")
_CHANGING: Final = ("status", "hands", "top_ups", "stacks", "state")
"""What changes while a round is played; who sits in it does not."""


def add(
    transaction: Transaction, opened: StoredRound, event: bytes, *, carried_over: Collection[Seat] = ()
) -> StoredRound:
    """
    Keep a round that has just been opened: its first revision, who sits in it, and where it stands.

    Args:
        transaction: in which its ruleset has been added before.
        opened: before its first hand.
        event: what the audit trail says of it.
        carried_over: seats whose stack comes from the round before.

    Returns:
        The round with its first event.

    Raises:
        RoundOpen: the table has an open round.
        RoundConflict: the table has a round of this reference.
    """
    mine = {"club_id": transaction.club_id, "round_id": opened.id}
    ruleset = opened.round.ruleset
    rules = {"ruleset_name": ruleset.name, "ruleset_version": ruleset.version}
    taken = RoundConflict(f"the table has a round with the reference {opened.reference!r} already")
    with conflicts(rounds_reference_key=taken, round_heads_one_open=one_open()):
        transaction.execute(
            insert(_ROUND).values(
                club_id=transaction.club_id,
                id=opened.id,
                table_id=opened.table_id,
                table_sequence=opened.table_sequence,
                imported=opened.imported,
                reference=opened.reference,
                digest=opened.digest,
                point_value=opened.point_value,
                currency=opened.currency,
                opened_at=opened.opened_at,
                recorded_at=opened.recorded_at,
                correction_window_minutes=opened.correction_window_minutes,
            )
        )
        transaction.execute(
            insert(SettlementRecord).values(**mine, **rules, revision=opened.revision, created_at=transaction.now)
        )
        seats = [
            {
                **mine,
                "revision": opened.revision,
                "seat": seat.seat,
                "player": seat.player,
                "opening_stack": seat.opening_stack,
                "carried_over": seat.seat in carried_over,
            }
            for seat in opened.round.seats
        ]
        transaction.execute(insert(RoundSeatRecord), seats)
        transaction.execute(
            insert(_HEAD).values(
                **mine,
                **rules,
                **dump_round(opened.round),
                **dump_firmness(opened.firmness),
                table_id=opened.table_id,
                version=opened.version,
                revision=opened.revision,
                last_event=opened.last_event,
            )
        )
    first = record_event(transaction, EventKind.ROUND_OPENED, event, round_id=opened.id, sequence=opened.version)
    return replace(opened, last_event=first)


@contextmanager
def open_meanwhile(transaction: Transaction) -> Iterator[None]:
    """
    Let a round be open beside the table's open one until the block ends.

    Raises:
        RoundOpen: it still is.
    """
    transaction.execute(_LATER)
    yield
    with conflicts(round_heads_one_open=one_open()):
        transaction.execute(_NOW)


def get(transaction: Transaction, round_id: UUID) -> StoredRound:
    """
    Read a round as it stands.

    Raises:
        NotFound: the club has none with this id.
    """
    return _the_one(transaction, _GET, round_id)


def lock(transaction: Transaction, round_id: UUID) -> StoredRound:
    """
    Read a round and keep everybody else from changing it until the transaction ends.

    Raises:
        NotFound: the club has none with this id.
        Busy: somebody else has held it for too long.
    """
    return _the_one(transaction, _LOCK, round_id)


def find_by_reference(transaction: Transaction, table_id: UUID, reference: str) -> StoredRound | None:
    """Find a table's round by the operator's own name for it."""
    return _one(transaction, ROUNDS.where(_ROUND.table_id == table_id, _ROUND.reference == reference))


def find_by_digest(transaction: Transaction, table_id: UUID, *digests: bytes) -> StoredRound | None:
    """Find the first round of a table that has no reference and was recorded with content of one of these digests."""
    same = ROUNDS.where(_ROUND.table_id == table_id, _ROUND.digest.in_(digests), _ROUND.reference.is_(None))
    return _one(transaction, same.order_by(_ROUND.table_sequence).limit(1))


def find_open(transaction: Transaction, table_id: UUID) -> UUID | None:
    """Find the open round of a table."""
    head = _HEAD
    mine = (head.club_id == transaction.club_id, head.table_id == table_id, head.status == RoundStatus.OPEN.value)
    found: UUID | None = transaction.execute(select(head.round_id).where(*mine)).scalar_one_or_none()
    return found


def find_following(transaction: Transaction, before: StoredRound) -> UUID | None:
    """
    Find the last round that was recorded at a round's table after it; None where there is none.

    Imported rounds are left out: they continue nothing. The table is locked, so that no round is added meanwhile.
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
    found: UUID | None = transaction.execute(query).scalar_one_or_none()
    return found


def next_sequences(transaction: Transaction, table_ids: Iterable[UUID]) -> dict[UUID, int]:
    """Return the number of the next round at each table. The tables are locked, so that nobody else takes it."""
    parameters = {"club_id": transaction.club_id, "table_ids": [*table_ids]}
    return {found.table_id: found.next for found in transaction.execute(_NEXT_SEQUENCES, parameters)}


def list_stacks_left(transaction: Transaction, table_id: UUID, players: Iterable[str]) -> dict[str, Points]:
    """
    Return what each player had at the end of their last round at a table, imported rounds left out.

    Players who have played none are not in the result.
    """
    parameters = {"club_id": transaction.club_id, "table_id": table_id, "players": [*players]}
    return {found.player: found.stack for found in transaction.execute(_STACKS_LEFT, parameters)}


def find_newest_opening(transaction: Transaction, table_id: UUID) -> datetime | None:
    """Find the latest time at which a round was opened at a table, imported ones left out."""
    at_table = (_ROUND.club_id == transaction.club_id, _ROUND.table_id == table_id, ~_ROUND.imported)
    query = select(_ROUND.opened_at).where(*at_table).order_by(_ROUND.opened_at.desc()).limit(1)
    found: datetime | None = transaction.execute(query).scalar_one_or_none()
    return found


def find_place(transaction: Transaction, round_id: UUID) -> RoundPlace | None:
    """Find where a round is in lists; None where the club has none with this id."""
    query = select(_ROUND.opened_at).where(_ROUND.club_id == transaction.club_id, _ROUND.id == round_id)
    opened_at = transaction.execute(query).scalar_one_or_none()
    return None if opened_at is None else RoundPlace(opened_at, round_id)


def list_page(
    transaction: Transaction, wanted: RoundFilter, *, after: RoundPlace | None = None, limit: int
) -> list[StoredRound]:
    """List rounds, the newest first, from the one after `after`."""
    newest_first = _ROUND.opened_at.desc(), _ROUND.id.desc()
    query = ROUNDS.where(*round_conditions(wanted)).order_by(*newest_first).limit(limit)
    if after is not None:
        query = query.where(after.bound > PLACE)
    found = transaction.execute(query, {"club_id": transaction.club_id})
    return [load_stored_round(transaction, record._asdict()) for record in found]


def advance(
    transaction: Transaction,
    before: StoredRound,
    round_: Round | None = None,
    *,
    firmness: Firmness | None = None,
    keeps_window: bool = False,
) -> StoredRound:
    """
    Say where a round stands after a change to it, or how firm its settlement is.

    Raises:
        Busy: somebody else has changed it since it was read.
    """
    after = before.changed(transaction.now, round_, firmness=firmness, keeps_window=keeps_window)
    stands = {name: kept for name, kept in dump_round(after.round).items() if name in _CHANGING}
    statement = (
        update(_HEAD)
        .where(_HEAD.club_id == transaction.club_id, _HEAD.round_id == before.id, _HEAD.version == before.version)
        .values(version=after.version, **stands, **dump_firmness(after.firmness))
    )
    if transaction.execute(statement).rowcount != 1:
        raise changed_meanwhile(before)
    return after


def one_open() -> RoundOpen:
    """Say that a table plays one round at a time."""
    return RoundOpen("the table has an open round already; finish or close it first")


def changed_meanwhile(before: StoredRound) -> Busy:
    """Say that a round is no longer as it was read."""
    return Busy(f"round {before.id} was changed by another request after version {before.version}; retry the request")


def _the_one(transaction: Transaction, query: Statement, round_id: UUID) -> StoredRound:
    found = transaction.query(query, {"club_id": transaction.club_id, "round_id": round_id})
    if not found:
        raise NotFound(f"there is no round {round_id}")
    return load_stored_round(transaction, found[0])


def _one(transaction: Transaction, query: Select[Any]) -> StoredRound | None:
    found = transaction.execute(query, {"club_id": transaction.club_id}).one_or_none()
    return None if found is None else load_stored_round(transaction, found._asdict())


def round_conditions(wanted: RoundFilter) -> Iterator[ColumnElement[bool]]:
    """Say it as conditions on rounds and their heads."""
    if wanted.table_id is not None:
        yield _ROUND.table_id == wanted.table_id
    if wanted.status is not None:
        yield _HEAD.status == wanted.status.value
    if wanted.state is not None:
        yield _HEAD.settlement_state == wanted.state.value
    if wanted.opened_from is not None:
        yield _ROUND.opened_at >= wanted.opened_from
    if wanted.opened_before is not None:
        yield _ROUND.opened_at < wanted.opened_before
    if wanted.player is not None:
        yield _sits(wanted.player)


def _sits(player: str) -> ColumnElement[bool]:
    seat = RoundSeatRecord
    return (
        select(seat.seat)
        .where(
            seat.club_id == _HEAD.club_id,
            seat.round_id == _HEAD.round_id,
            seat.revision == _HEAD.revision,
            seat.player == player,
        )
        .exists()
    )
