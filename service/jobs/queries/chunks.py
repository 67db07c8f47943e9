"""
Chunks of jobs: made by a plan, claimed by workers, done once.

A claim is a lease by the database's own clock: it ends unless it is renewed, so that the chunk of a worker that died is
claimed anew. Each claim counts the attempt up; whoever ends a chunk has to name the attempt, so that a worker that was
thought dead and was only slow ends nothing.

An error of the chunk itself counts as a failure. A lease that was not renewed, because the worker was killed or the
database was gone, counts as an interruption, and so does an error that is nobody's fault, such as a deadlock. After
each interruption the chunk rests longer.
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
_AT_A_TIME: Final = 1000
LONGEST_REST: Final = 300
"""Seconds that a chunk rests at most after it was interrupted again."""


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
class Plan:
    """
    The parts of a job, in order.

    Attributes:
        received: how many lines or rounds the job must account for, counted by other means than the parts.
    """

    received: int | None
    parts: Iterable[Part]


@dataclass(frozen=True, slots=True)
class Done:
    """
    The result of a chunk.

    Attributes:
        accounted: how many of the job's lines or rounds it accounts for.
        result: what the kind adds up to the job's summary, as JSON.
    """

    accounted: int
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chunk:
    """
    A part of a job that this worker has claimed.

    Attributes:
        attempt: how often it was claimed.
        failures: how often processing it failed by an error of its own.
        interruptions: how often it was interrupted, through no fault of its own as far as is known.
        losses: how often of these its worker was lost, without a word.
        error: why the attempt before ended, where that is known.
    """

    job_id: UUID
    number: int
    part: Part
    attempt: int
    failures: int
    interruptions: int
    losses: int
    error: str | None


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


def add_all(transaction: Transaction, job_id: UUID, parts: Iterable[Part], first: int = 1) -> int:
    """Insert chunks of a job in order, the first with the number `first`, and return the sum of their sizes."""
    total = 0
    numbered = enumerate(parts, first)
    while some := list(islice(numbered, _AT_A_TIME)):
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
    is_lost = case((_CHUNK.worker.is_not(None), 1), else_=0)
    statement = (
        update(_CHUNK)
        .where(_of_job(transaction, job_id), _CHUNK.number == first)
        .values(
            attempt=_CHUNK.attempt + 1,
            interruptions=_CHUNK.interruptions + is_lost,
            losses=_CHUNK.losses + is_lost,
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
            _CHUNK.losses,
            _CHUNK.error,
        )
    )
    found = transaction.execute(statement).one_or_none()
    if found is None:
        return None
    part = Part(found.size, found.part)
    counts = found.attempt, found.failures, found.interruptions, found.losses
    return Chunk(job_id, found.number, part, *counts, found.error)


def renew(transaction: Transaction, chunk: Chunk, lease: timedelta) -> bool:
    """Prolong a claim; false where the chunk is no longer this worker's."""
    return _change(transaction, chunk, claimable_from=func.clock_timestamp() + lease)


def end(transaction: Transaction, chunk: Chunk, done: Done, error: str | None = None) -> bool:
    """Record that a chunk is done; false, and nothing is recorded, where it is no longer this worker's."""
    values = {"result": done.result, "accounted": done.accounted, "error": error}
    return _change(transaction, chunk, state="done", **values, ended_at=func.clock_timestamp())


def put_back(transaction: Transaction, chunk: Chunk, error: str, pause: timedelta) -> bool:
    """Release a chunk that failed by an error of its own; it can be claimed again after a pause."""
    values = {"failures": _CHUNK.failures + 1, "error": error, "worker": None}
    return _change(transaction, chunk, **values, claimable_from=func.clock_timestamp() + pause)


def release(transaction: Transaction, chunk: Chunk, error: str) -> bool:
    """Release a chunk that was interrupted; it can be claimed again after a rest."""
    values = {"interruptions": _CHUNK.interruptions + 1, "error": error, "worker": None}
    return _change(transaction, chunk, **values, claimable_from=func.clock_timestamp() + _rest(chunk.interruptions + 1))


def split(transaction: Transaction, chunk: Chunk, parts: Iterable[Part]) -> bool:
    """Replace a chunk by smaller ones; false, and nothing is changed, where it is no longer this worker's."""
    if not _change(transaction, chunk, state="split", ended_at=func.clock_timestamp()):
        return False
    largest = select(func.max(_CHUNK.number)).where(_of_job(transaction, chunk.job_id))
    add_all(transaction, chunk.job_id, parts, transaction.execute(largest).scalar_one() + 1)
    return True


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
    is_open, is_claimable = _CHUNK.state == "open", _is_claimable()
    is_leased = and_(_CHUNK.claimable_from > func.clock_timestamp(), _CHUNK.worker.is_not(None))
    query = select(
        func.count().filter(is_claimable).label("claimable"),
        func.count().filter(and_(is_open, is_leased)).label("claimed"),
        func.count().filter(and_(is_open, ~is_claimable, ~is_leased)).label("later"),
        func.count().filter(_CHUNK.state == "set_aside").label("set_aside"),
    ).where(_of_job(transaction, job_id))
    found = transaction.execute(query).one()
    return Standing(found.claimable, found.claimed, found.later, found.set_aside)


def count_accounted(transaction: Transaction, job_id: UUID) -> int:
    """Count the lines or rounds that the chunks of a job accounted for, as the database's own check does."""
    counted = select(func.job_accounted(transaction.club_id, job_id))
    return int(transaction.execute(counted).scalar_one())


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
    """Whether nobody has a chunk, and it has rested since its lease ended without a word."""
    rest = case((_CHUNK.worker.is_not(None), _rest(_CHUNK.interruptions)), else_=timedelta(0))
    return and_(_CHUNK.state == "open", _CHUNK.claimable_from + rest <= func.clock_timestamp())


def _rest(interruptions: InstrumentedAttribute[int] | int) -> ColumnElement[timedelta]:
    """Compute how long a chunk rests: 0, 1, 3, 7, … seconds."""
    seconds = func.least(func.power(2, func.least(interruptions, 30)) - 1, LONGEST_REST)
    return func.make_interval(0, 0, 0, 0, 0, 0, seconds, type_=Interval)
