"""Rounds: as they were opened, and where they stand."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, insert, select, text, update

from schemas.settlement_states import SettlementState
from scoring.hand import Seat
from scoring.round_state import Round, RoundStatus
from service.audit import EventKind, record_event
from service.database import Statement, Transaction
from service.errors import Busy, NotFound, RoundConflict, RoundOpen
from service.models import RoundHeadRecord, RoundRecord, RoundSeatRecord, SettlementRecord
from service.repository.conflicts import conflicts
from service.repository.firmness import Firmness, dump_firmness
from service.repository.round_state import dump_round
from service.repository.stored_round import ROUNDS, StoredRound, load_stored_round

__all__ = [
    "FIRST",
    "RoundFilter",
    "StoredRound",
    "add",
    "advance",
    "changed_meanwhile",
    "find_by_digest",
    "find_by_reference",
    "find_last",
    "get",
    "list_page",
    "lock",
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


_HEAD: Final = RoundHeadRecord
_ROUND: Final = RoundRecord
_BY_ID: Final = ROUNDS.where(_ROUND.id == bindparam("round_id"))
_GET: Final = Statement(_BY_ID)
_LOCK: Final = Statement(_BY_ID.with_for_update(of=_HEAD))
_LATER: Final = text("SET CONSTRAINTS round_heads_one_open DEFERRED")
_NOW: Final = text("SET CONSTRAINTS round_heads_one_open IMMEDIATE")
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
                reference=opened.reference,
                digest=opened.digest,
                point_value=opened.point_value,
                currency=opened.currency,
                opened_at=opened.opened_at,
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


def find_by_digest(transaction: Transaction, table_id: UUID, digest: bytes) -> StoredRound | None:
    """Find the first round of a table that has no reference and was recorded with the same content."""
    same = ROUNDS.where(_ROUND.table_id == table_id, _ROUND.digest == digest, _ROUND.reference.is_(None))
    return _one(transaction, same.order_by(_ROUND.id).limit(1))


def find_last(transaction: Transaction, table_id: UUID) -> StoredRound | None:
    """Find the round that was last opened at a table."""
    return _one(transaction, ROUNDS.where(_ROUND.table_id == table_id).order_by(_ROUND.id.desc()).limit(1))


def list_page(
    transaction: Transaction, wanted: RoundFilter, *, after: UUID | None = None, limit: int
) -> list[StoredRound]:
    """List rounds, the newest first, from the one after `after`."""
    query = ROUNDS.where(*round_conditions(wanted)).order_by(_ROUND.id.desc()).limit(limit)
    if after is not None:
        query = query.where(_ROUND.id < after)
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
    return Busy(f"round {before.id} was changed by somebody else after version {before.version}; ask again")


def _the_one(transaction: Transaction, query: Statement, round_id: UUID) -> StoredRound:
    found = transaction.ask(query, {"club_id": transaction.club_id, "round_id": round_id})
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
