"""
Chunks of jobs, each processed once, in a transaction that locks it.

Messages only say which chunk can be begun. One that is lost is sent again, and one that comes twice finds nothing to
do: an attempt needs a message that was sent since the attempt before.

An exception while processing is a failure. An error that the chunk did not cause, for example a deadlock, is an
interruption. An attempt that ended without either has lost its worker. After each the chunk waits longer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Interval, and_, func, insert, select, update

from service.db import Transaction
from service.jobs.models import ChunkRecord

_CHUNK: Final = ChunkRecord
BATCH_SIZE: Final = 1000
MOST_MESSAGES: Final = 32
"""Maximum number of messages about a job that wait for a worker, so that other jobs have their turn."""
LONGEST_DELAY: Final = 300
"""Maximum delay of a chunk after a lost worker or an interruption, in seconds."""
_MESSAGE_SECONDS: Final = 30
_MOST_DOUBLINGS: Final = 6


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
    A chunk of which an attempt was begun.

    Attributes:
        attempts: the number of attempts, with this one.
        failures: the number of attempts that ended with an exception of the chunk.
        interruptions: the number of attempts that ended with an error of another cause.
        error: the error of the attempt before, if known.
    """

    job_id: UUID
    number: int
    part: Part
    attempts: int
    failures: int
    interruptions: int
    error: str | None

    @property
    def lost_workers(self) -> int:
        """The number of attempts before this one whose worker was lost."""
        return self.attempts - 1 - self.failures - self.interruptions


@dataclass(frozen=True, slots=True)
class ChunkCounts:
    """The numbers of open and dead-lettered chunks of a job."""

    open: int
    dead_lettered: int


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
            }
            for number, part in some
        ]
        transaction.execute(insert(_CHUNK), rows)
        total += sum(part.size for _, part in some)
    return total


def take_due(transaction: Transaction, job_id: UUID) -> list[int]:
    """
    Return the numbers of chunks about which messages are to be sent now, and count the messages.

    They are chunks without a message, in order, up to `MOST_MESSAGES` at once, and those whose message no worker has
    received for some time. A chunk in progress is locked, and skipped.
    """
    waiting = (
        select(func.count())
        .where(_of_job(transaction, job_id), _CHUNK.state == "open", _CHUNK.messages > 0, ~_is_due())
        .scalar_subquery()
    )
    due = (
        select(_CHUNK.number)
        .where(_of_job(transaction, job_id), _CHUNK.state == "open", _is_due())
        .order_by(_CHUNK.number)
        .limit(func.greatest(MOST_MESSAGES - waiting, 0))
        .with_for_update(skip_locked=True)
        # A subquery with a limit can be run once for each row.
        .cte()
        .prefix_with("MATERIALIZED")
    )
    pause = _MESSAGE_SECONDS * func.power(2, func.least(_CHUNK.messages, _MOST_DOUBLINGS))
    statement = (
        update(_CHUNK)
        .where(_of_job(transaction, job_id), _CHUNK.number.in_(select(due.c.number)))
        .values(messages=_CHUNK.messages + 1, send_at=_after(pause))
        .returning(_CHUNK.number)
    )
    return sorted(transaction.execute(statement).scalars())


def send_again(transaction: Transaction, job_id: UUID) -> None:
    """Have messages about all open chunks of a job sent again, for example because it was paused when they came."""
    statement = update(_CHUNK).where(_of_job(transaction, job_id), _CHUNK.state == "open", _CHUNK.messages > 0)
    transaction.execute(statement.values(messages=0, send_at=func.clock_timestamp()))


def begin(transaction: Transaction, job_id: UUID, number: int) -> Chunk | None:
    """
    Count an attempt of a chunk; return None if the chunk is in progress or has ended, or the message is an old one.

    The attempt is counted in a transaction before its own, because it can end with its worker. If it does, the next
    message is sent after a delay of 1, 2, 4, … seconds.
    """
    waiting = (
        select(_CHUNK.number)
        .where(*_is_open(transaction, job_id, number), _CHUNK.messages > 0)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    statement = (
        update(_CHUNK)
        .where(_of_job(transaction, job_id), _CHUNK.number == waiting)
        .values(
            attempts=_CHUNK.attempts + 1,
            messages=0,
            send_at=_after(_delay(_CHUNK.attempts - _CHUNK.failures)),
        )
        .returning(
            _CHUNK.number,
            _CHUNK.size,
            _CHUNK.part,
            _CHUNK.attempts,
            _CHUNK.failures,
            _CHUNK.interruptions,
            _CHUNK.error,
        )
    )
    row = transaction.execute(statement).one_or_none()
    if row is None:
        return None
    counts = row.attempts, row.failures, row.interruptions
    return Chunk(job_id, row.number, Part(row.size, row.part), *counts, row.error)


def lock(transaction: Transaction, chunk: Chunk) -> bool:
    """Lock a chunk until the transaction ends; return False if it has ended, or another worker processes it."""
    query = select(_CHUNK.number).where(*_is_open(transaction, chunk.job_id, chunk.number))
    return transaction.execute(query.with_for_update(skip_locked=True)).one_or_none() is not None


def end(transaction: Transaction, chunk: Chunk, done: Done, error: str | None = None) -> None:
    """Record the result of a locked chunk."""
    values = {"result": done.result, "accounted": done.accounted, "error": error}
    _change(transaction, chunk, state="done", **values, ended_at=func.clock_timestamp())


def split(transaction: Transaction, chunk: Chunk, parts: Iterable[Part]) -> None:
    """Replace a locked chunk of a locked job by smaller ones."""
    _change(transaction, chunk, state="split", ended_at=func.clock_timestamp())
    largest = select(func.max(_CHUNK.number)).where(_of_job(transaction, chunk.job_id))
    add_all(transaction, chunk.job_id, parts, transaction.execute(largest).scalar_one() + 1)


def dead_letter(transaction: Transaction, chunk: Chunk, error: str) -> None:
    """Dead-letter a locked chunk with an error; the other chunks of the job continue."""
    _change(transaction, chunk, state="dead_lettered", error=error, ended_at=func.clock_timestamp())


def record_failure(transaction: Transaction, chunk: Chunk) -> None:
    """Record an attempt that ended with an exception of the chunk; the next one is after a delay."""
    send_at = _after(_delay(chunk.failures - 1))
    _change(transaction, chunk, failures=chunk.failures, error=chunk.error, send_at=send_at)


def record_interruption(transaction: Transaction, chunk: Chunk, error: str) -> None:
    """Count an attempt that ended with an error that the chunk did not cause; the next one is after a delay."""
    _change(transaction, chunk, interruptions=_CHUNK.interruptions + 1, error=error)


def drop_open(transaction: Transaction, job_id: UUID) -> None:
    """Drop the open chunks of a job, except those in progress."""
    idle = (
        select(_CHUNK.number)
        .where(_of_job(transaction, job_id), _CHUNK.state == "open")
        .with_for_update(skip_locked=True)
    )
    transaction.execute(
        update(_CHUNK)
        .where(_of_job(transaction, job_id), _CHUNK.number.in_(idle))
        .values(state="cancelled", ended_at=func.clock_timestamp())
    )


def count_chunks(transaction: Transaction, job_id: UUID) -> ChunkCounts:
    """Count the open and dead-lettered chunks of a job."""
    query = select(
        func.count().filter(_CHUNK.state == "open").label("open"),
        func.count().filter(_CHUNK.state == "dead_lettered").label("dead_lettered"),
    ).where(_of_job(transaction, job_id))
    row = transaction.execute(query).one()
    return ChunkCounts(row.open, row.dead_lettered)


def count_accounted(transaction: Transaction, job_id: UUID) -> int:
    """Sum up the lines or rounds that the chunks of a job account for, as the check of the database does."""
    counted = select(func.job_accounted(transaction.club_id, job_id))
    return int(transaction.execute(counted).scalar_one())


def _change(transaction: Transaction, chunk: Chunk, **values: Any) -> None:
    transaction.execute(update(_CHUNK).where(*_is_open(transaction, chunk.job_id, chunk.number)).values(**values))


def _is_open(transaction: Transaction, job_id: UUID, number: int) -> tuple[ColumnElement[bool], ...]:
    return _of_job(transaction, job_id), _CHUNK.number == number, _CHUNK.state == "open"


def _of_job(transaction: Transaction, job_id: UUID) -> ColumnElement[bool]:
    return and_(_CHUNK.club_id == transaction.club_id, _CHUNK.job_id == job_id)


def _is_due() -> ColumnElement[bool]:
    return _CHUNK.send_at <= func.clock_timestamp()


def _delay(times: Any) -> ColumnElement[Any]:
    """Return the delay of a chunk in seconds: 1, 2, 4 and so on."""
    return func.least(func.power(2, func.least(times, 30)), LONGEST_DELAY)


def _after(seconds: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.clock_timestamp() + func.make_interval(0, 0, 0, 0, 0, 0, seconds, type_=Interval)
