"""
Chunks of jobs, which workers claim and process exactly once.

A claim is a lease by the clock of the database. It expires unless it is renewed, so the chunk of a lost worker is
claimed again. Each claim increments the attempt; a chunk is ended with the number of the attempt, so a worker that lost
its lease cannot end it.

An exception while processing counts as a failure. An expired lease counts as an interruption, and so does an error
that the chunk did not cause, for example a deadlock. After each interruption the chunk waits longer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Interval, Update, and_, case, func, insert, select, update
from sqlalchemy.orm import InstrumentedAttribute

from service.db import Transaction
from service.jobs.models import ChunkRecord

_CHUNK: Final = ChunkRecord
BATCH_SIZE: Final = 1000
LONGEST_DELAY: Final = 300
"""Maximum delay of a chunk after an interruption, in seconds."""


@dataclass(frozen=True, slots=True)
class Part:
    """
    A part of a job, processed in one transaction of a few seconds at most.

    Attributes:
        size: its share of the job's total, in the units of the kind.
        what: identifies the part for the kind.
    """

    size: int
    what: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """
    The parts of a job, in order.

    Attributes:
        received: the number of lines or rounds that the job must account for, not counted from the parts.
    """

    received: int | None
    parts: Iterable[Part]


@dataclass(frozen=True, slots=True)
class Done:
    """
    The result of a chunk.

    Attributes:
        accounted: the number of lines or rounds that it accounts for.
        result: the result as JSON, which the kind adds up for the summary of the job.
    """

    accounted: int
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chunk:
    """
    A chunk that this worker has claimed.

    Attributes:
        attempt: the number of claims.
        failures: the number of attempts that ended with an exception of the chunk.
        interruptions: the number of attempts that ended for other reasons.
        lost_workers: the number of interruptions by the loss of the worker.
        error: the error of the attempt before, if known.
    """

    job_id: UUID
    number: int
    part: Part
    attempt: int
    failures: int
    interruptions: int
    lost_workers: int
    error: str | None


@dataclass(frozen=True, slots=True)
class ChunkCounts:
    """
    The numbers of open and dead-lettered chunks of a job.

    Attributes:
        claimable: open and claimable now.
        claimed: open and in progress.
        later: open and claimable after a delay.
        dead_lettered: given up; no longer open.
    """

    claimable: int
    claimed: int
    later: int
    dead_lettered: int

    @property
    def is_over(self) -> bool:
        """Whether no chunk is open."""
        return not (self.claimable or self.claimed or self.later)


def add_all(transaction: Transaction, job_id: UUID, parts: Iterable[Part], first: int = 1) -> int:
    """Insert chunks of a job in order, the first with the number `first`, and return the sum of their sizes."""
    total = 0
    numbered = enumerate(parts, first)
    while some := list(islice(numbered, BATCH_SIZE)):
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
    """Claim the first claimable chunk of a job without waiting for locks; return None if there is none."""
    first = (
        select(_CHUNK.number)
        .where(_of_job(transaction, job_id), _is_claimable())
        .order_by(_CHUNK.number)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    is_lost = case((_CHUNK.worker.is_not(None), 1), else_=0)
    statement = (
        update(_CHUNK)
        .where(_of_job(transaction, job_id), _CHUNK.number == first)
        .values(
            attempt=_CHUNK.attempt + 1,
            interruptions=_CHUNK.interruptions + is_lost,
            lost_workers=_CHUNK.lost_workers + is_lost,
            worker=worker,
            claimable_from=func.clock_timestamp() + lease,
        )
        .returning(
            _CHUNK.number,
            _CHUNK.size,
            _CHUNK.part,
            _CHUNK.attempt,
            _CHUNK.failures,
            _CHUNK.interruptions,
            _CHUNK.lost_workers,
            _CHUNK.error,
        )
    )
    found = transaction.execute(statement).one_or_none()
    if found is None:
        return None
    part = Part(found.size, found.part)
    counts = found.attempt, found.failures, found.interruptions, found.lost_workers
    return Chunk(job_id, found.number, part, *counts, found.error)


def renew(transaction: Transaction, chunk: Chunk, lease: timedelta) -> bool:
    """Renew the lease of a chunk; return False if it is no longer this worker's."""
    return _change(transaction, chunk, claimable_from=func.clock_timestamp() + lease)


def is_claimed(transaction: Transaction, chunk: Chunk) -> bool:
    """Return whether the claim of a chunk is still valid: no other worker has claimed it, and no wipe deleted it."""
    query = select(_CHUNK.number).where(*_is_mine(transaction, chunk))
    return transaction.execute(query).one_or_none() is not None


def end(transaction: Transaction, chunk: Chunk, done: Done, error: str | None = None) -> bool:
    """Record the result of a chunk; return False, without recording, if it is no longer this worker's."""
    values = {"result": done.result, "accounted": done.accounted, "error": error}
    return _change(transaction, chunk, state="done", **values, ended_at=func.clock_timestamp())


def requeue(transaction: Transaction, chunk: Chunk, error: str, pause: timedelta) -> bool:
    """Release a chunk after a failure; it can be claimed again after a pause."""
    values = {"failures": _CHUNK.failures + 1, "error": error, "worker": None}
    return _change(transaction, chunk, **values, claimable_from=func.clock_timestamp() + pause)


def release(transaction: Transaction, chunk: Chunk, error: str) -> bool:
    """Release a chunk after an interruption; it can be claimed again after a delay."""
    values = {"interruptions": _CHUNK.interruptions + 1, "error": error, "worker": None}
    return _change(
        transaction, chunk, **values, claimable_from=func.clock_timestamp() + _delay(chunk.interruptions + 1)
    )


def split(transaction: Transaction, chunk: Chunk, parts: Iterable[Part]) -> bool:
    """Replace a chunk by smaller ones; return False, without changes, if it is no longer this worker's."""
    if not _change(transaction, chunk, state="split", ended_at=func.clock_timestamp()):
        return False
    largest = select(func.max(_CHUNK.number)).where(_of_job(transaction, chunk.job_id))
    add_all(transaction, chunk.job_id, parts, transaction.execute(largest).scalar_one() + 1)
    return True


def dead_letter(transaction: Transaction, chunk: Chunk, error: str) -> bool:
    """Dead-letter a chunk with an error; the other chunks of the job continue."""
    return _change(transaction, chunk, state="dead_lettered", error=error, ended_at=func.clock_timestamp())


def drop_open(transaction: Transaction, job_id: UUID) -> None:
    """Drop the open chunks of a job; workers that process one can no longer end it."""
    transaction.execute(
        update(_CHUNK)
        .where(_of_job(transaction, job_id), _CHUNK.state == "open")
        .values(state="cancelled", ended_at=func.clock_timestamp())
    )


def count_chunks(transaction: Transaction, job_id: UUID) -> ChunkCounts:
    """Count the open and dead-lettered chunks of a job."""
    is_open, is_claimable = _CHUNK.state == "open", _is_claimable()
    is_leased = and_(_CHUNK.claimable_from > func.clock_timestamp(), _CHUNK.worker.is_not(None))
    query = select(
        func.count().filter(is_claimable).label("claimable"),
        func.count().filter(and_(is_open, is_leased)).label("claimed"),
        func.count().filter(and_(is_open, ~is_claimable, ~is_leased)).label("later"),
        func.count().filter(_CHUNK.state == "dead_lettered").label("dead_lettered"),
    ).where(_of_job(transaction, job_id))
    found = transaction.execute(query).one()
    return ChunkCounts(found.claimable, found.claimed, found.later, found.dead_lettered)


def count_accounted(transaction: Transaction, job_id: UUID) -> int:
    """Sum up the lines or rounds that the chunks of a job account for, as the check of the database does."""
    counted = select(func.job_accounted(transaction.club_id, job_id))
    return int(transaction.execute(counted).scalar_one())


def _change(transaction: Transaction, chunk: Chunk, **values: Any) -> bool:
    return transaction.execute(_mine(transaction, chunk).values(**values)).rowcount == 1


def _mine(transaction: Transaction, chunk: Chunk) -> Update:
    return update(_CHUNK).where(*_is_mine(transaction, chunk))


def _is_mine(transaction: Transaction, chunk: Chunk) -> tuple[ColumnElement[bool], ...]:
    return (
        _of_job(transaction, chunk.job_id),
        _CHUNK.number == chunk.number,
        _CHUNK.attempt == chunk.attempt,
        _CHUNK.state == "open",
    )


def _of_job(transaction: Transaction, job_id: UUID) -> ColumnElement[bool]:
    return and_(_CHUNK.club_id == transaction.club_id, _CHUNK.job_id == job_id)


def _is_claimable() -> ColumnElement[bool]:
    """Return the condition that a chunk has no lease, and that the delay since an expired lease is over."""
    delay = case((_CHUNK.worker.is_not(None), _delay(_CHUNK.interruptions)), else_=timedelta(0))
    return and_(_CHUNK.state == "open", _CHUNK.claimable_from + delay <= func.clock_timestamp())


def _delay(interruptions: InstrumentedAttribute[int] | int) -> ColumnElement[timedelta]:
    """Compute the delay of a chunk: 0, 1, 3, 7, … seconds."""
    seconds = func.least(func.power(2, func.least(interruptions, 30)) - 1, LONGEST_DELAY)
    return func.make_interval(0, 0, 0, 0, 0, 0, seconds, type_=Interval)
