"""
Chunks of jobs: made by a plan, claimed by workers, done once.

A claim is a lease by the database's own clock: it ends unless it is renewed, so that the chunk of a worker that died is
claimed anew. Each claim counts the attempt up; whoever ends a chunk has to name the attempt, so that a worker that was
thought dead and was only slow ends nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Update, and_, func, insert, select, update

from service.database import Transaction
from service.models import ChunkRecord

_CHUNK: Final = ChunkRecord
_AT_A_TIME: Final = 1000


@dataclass(frozen=True, slots=True)
class Part:
    """
    A part of a job, to be done whole in one transaction of some seconds at most.

    Attributes:
        size: how much it is of the job's total, in the kind's own units.
        what: which part it is, as the kind understands it.
    """

    size: int
    what: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a job that this worker has claimed."""

    job_id: UUID
    number: int
    part: Part
    attempt: int
    error: str | None
    """Why the attempt before failed, where it did."""


@dataclass(frozen=True, slots=True)
class Standing:
    """
    How the open chunks of a job stand.

    Attributes:
        claimable: how many could be claimed now.
        claimed: how many somebody is at work on.
        later: how many wait for a moment to come.
        set_aside: how many were given up; they are open no more.
    """

    claimable: int
    claimed: int
    later: int
    set_aside: int

    @property
    def is_over(self) -> bool:
        """Whether no chunk is open."""
        return not (self.claimable or self.claimed or self.later)


def add_all(transaction: Transaction, job_id: UUID, parts: Iterable[Part]) -> int:
    """Add a job's chunks in order, and give the sum of their sizes."""
    total = 0
    numbered = enumerate(parts, 1)
    while some := [part for part, _ in zip(numbered, range(_AT_A_TIME), strict=False)]:
        rows = [
            {
                "club_id": transaction.club_id,
                "job_id": job_id,
                "number": number,
                "size": part.size,
                "part": part.what,
                "claimable_from": transaction.now,
            }
            for number, part in some
        ]
        transaction.execute(insert(_CHUNK), rows)
        total += sum(part.size for _, part in some)
    return total


def claim(transaction: Transaction, job_id: UUID, *, worker: str, lease: timedelta) -> Chunk | None:
    """Claim the first chunk of a job that nobody has; None where there is none. Nobody waits for anybody."""
    first = (
        select(_CHUNK.number)
        .where(_of_job(transaction, job_id), _is_claimable())
        .order_by(_CHUNK.number)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    statement = (
        update(_CHUNK)
        .where(_of_job(transaction, job_id), _CHUNK.number == first)
        .values(attempt=_CHUNK.attempt + 1, worker=worker, claimable_from=func.clock_timestamp() + lease)
        .returning(_CHUNK.number, _CHUNK.size, _CHUNK.part, _CHUNK.attempt, _CHUNK.error)
    )
    found = transaction.execute(statement).one_or_none()
    if found is None:
        return None
    return Chunk(job_id, found.number, Part(found.size, found.part), found.attempt, found.error)


def renew(transaction: Transaction, chunk: Chunk, lease: timedelta) -> bool:
    """Prolong a claim; false where the chunk is no longer this worker's."""
    return _change(transaction, chunk, claimable_from=func.clock_timestamp() + lease)


def end(transaction: Transaction, chunk: Chunk, result: Mapping[str, Any]) -> bool:
    """Note that a chunk is done; false, and nothing is noted, where it is no longer this worker's."""
    return _change(transaction, chunk, state="done", result=result, ended_at=func.clock_timestamp())


def put_back(transaction: Transaction, chunk: Chunk, error: str, pause: timedelta) -> bool:
    """Let a chunk that failed be tried again after a pause."""
    return _change(transaction, chunk, error=error, worker=None, claimable_from=func.clock_timestamp() + pause)


def set_aside(transaction: Transaction, chunk: Chunk, error: str) -> bool:
    """Give a chunk up, with the reason; the rest of the job goes on."""
    return _change(transaction, chunk, state="set_aside", error=error, ended_at=func.clock_timestamp())


def drop_open(transaction: Transaction, job_id: UUID) -> None:
    """Drop what has not been done of a job; whoever is still at work on it ends nothing."""
    transaction.execute(
        update(_CHUNK)
        .where(_of_job(transaction, job_id), _CHUNK.state == "open")
        .values(state="dropped", ended_at=func.clock_timestamp())
    )


def get_standing(transaction: Transaction, job_id: UUID) -> Standing:
    """Count the chunks of a job that are not done."""
    is_open = _CHUNK.state == "open"
    is_ahead = _CHUNK.claimable_from > func.clock_timestamp()
    query = select(
        func.count().filter(and_(is_open, ~is_ahead)).label("claimable"),
        func.count().filter(and_(is_open, is_ahead, _CHUNK.worker.is_not(None))).label("claimed"),
        func.count().filter(and_(is_open, is_ahead, _CHUNK.worker.is_(None))).label("later"),
        func.count().filter(_CHUNK.state == "set_aside").label("set_aside"),
    ).where(_of_job(transaction, job_id))
    found = transaction.execute(query).one()
    return Standing(found.claimable, found.claimed, found.later, found.set_aside)


def _change(transaction: Transaction, chunk: Chunk, **values: Any) -> bool:
    return transaction.execute(_mine(transaction, chunk).values(**values)).rowcount == 1


def _mine(transaction: Transaction, chunk: Chunk) -> Update:
    return update(_CHUNK).where(
        _of_job(transaction, chunk.job_id),
        _CHUNK.number == chunk.number,
        _CHUNK.attempt == chunk.attempt,
        _CHUNK.state == "open",
    )


def _of_job(transaction: Transaction, job_id: UUID) -> ColumnElement[bool]:
    return and_(_CHUNK.club_id == transaction.club_id, _CHUNK.job_id == job_id)


def _is_claimable() -> ColumnElement[bool]:
    return and_(_CHUNK.state == "open", _CHUNK.claimable_from <= func.clock_timestamp())
