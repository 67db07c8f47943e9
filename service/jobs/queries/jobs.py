"""Jobs: their states and progress."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, Select, func, insert, select, text, true, update
from sqlalchemy.dialects.postgresql import aggregate_order_by

from service.db import Transaction
from service.db.paging import count_rows
from service.errors import Busy, NotFound
from service.jobs.models import ChunkRecord, JobRecord


class JobState(StrEnum):
    """The state of a job."""

    RECEIVING = "receiving"
    """The input is still being received; the job is not visible yet."""
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


ENDED: Final = (JobState.CANCELLED, JobState.SUCCEEDED, JobState.FAILED)


@dataclass(frozen=True, slots=True)
class StoredJob:
    """
    A stored job.

    Attributes:
        kind: the name of its kind.
        parameters: the parameters of the request, for the kind.
        total: the amount of work in the units of the kind; None until known.
        received: the number of lines (import) or rounds (recomputation) to account for; None until known.
        failure: why the job failed; None if it did not.
        is_planned: whether its chunks were inserted.
        actor: the key that requested it, the actor of all records of its workers.
        request_id: the request that created it.
        traceparent: the part of a trace that created it; None without one.
    """

    id: UUID
    kind: str
    parameters: Mapping[str, Any]
    state: JobState
    total: int | None
    received: int | None
    failure: str | None
    is_planned: bool
    actor: UUID | None
    request_id: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    traceparent: str | None


@dataclass(frozen=True, slots=True)
class UnfinishedJob:
    """A job that has not ended, as listed for all clubs."""

    club_id: UUID
    id: UUID
    kind: str
    state: JobState
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """
    The progress of a job.

    Attributes:
        done: the work done in the units of the kind, without dead-lettered chunks.
        results: the results of the processed chunks, in order.
        dead_lettered: the number of dead-lettered chunks.
    """

    done: int
    results: tuple[Mapping[str, Any], ...]
    dead_lettered: int


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job of a list, with its progress."""

    job: StoredJob
    progress: Progress

    @property
    def id(self) -> UUID:
        """The ID of the job."""
        return self.job.id


_JOB: Final = JobRecord
_CHUNK: Final = ChunkRecord
_COLUMNS: Final[tuple[Any, ...]] = (
    _JOB.id,
    _JOB.kind,
    _JOB.parameters,
    _JOB.state,
    _JOB.total,
    _JOB.received,
    _JOB.failure,
    _JOB.planned_at,
    _JOB.actor,
    _JOB.request_id,
    _JOB.created_at,
    _JOB.started_at,
    _JOB.ended_at,
    _JOB.traceparent,
)
_JOBS: Final[Select[Any]] = select(*_COLUMNS)
_IS_DONE: Final = _CHUNK.state == "done"
_PROGRESS: Final = select(
    func.coalesce(func.sum(_CHUNK.size).filter(_IS_DONE), 0).label("done"),
    func.array_agg(aggregate_order_by(_CHUNK.result, _CHUNK.number)).filter(_IS_DONE).label("results"),
    func.count().filter(_CHUNK.state == "dead_lettered").label("dead_lettered"),
)
_LOCK_REQUEST: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 2))")
_UNFINISHED: Final = text("SELECT club_id, id, kind, state, created_at FROM list_unfinished_jobs()")


def add(
    transaction: Transaction,
    job_id: UUID,
    kind: str,
    parameters: Mapping[str, Any],
    *,
    state: JobState = JobState.QUEUED,
) -> StoredJob:
    """Insert a job; workers start it after a message is sent."""
    statement = insert(_JOB).values(
        club_id=transaction.club_id,
        id=job_id,
        kind=kind,
        parameters=parameters,
        state=state,
        actor=transaction.actor,
        request_id=transaction.request_id,
        created_at=transaction.now,
    )
    transaction.execute(statement)
    return get(transaction, job_id)


def find(transaction: Transaction, job_id: UUID) -> StoredJob | None:
    """Read a job, or return None if the club has none with this ID."""
    row = transaction.execute(_query(transaction, job_id, None)).one_or_none()
    return None if row is None else _load(row)


def get(transaction: Transaction, job_id: UUID, kind: str | None = None) -> StoredJob:
    """
    Read a job.

    Raises:
        NotFound: the club has no job with this ID, or it is of another kind.
    """
    return _the_one(transaction, _query(transaction, job_id, kind), job_id)


def lock(transaction: Transaction, job_id: UUID, kind: str | None = None) -> StoredJob:
    """
    Lock a job until the transaction ends: no other one can change its state or claim a chunk.

    Raises:
        NotFound: the club has no job with this ID, or it is of another kind.
        Busy: another transaction has held the lock for too long.
    """
    return _the_one(transaction, _query(transaction, job_id, kind).with_for_update(), job_id)


def try_lock(transaction: Transaction, job_id: UUID) -> StoredJob | None:
    """Lock a job, or return None if another transaction holds the lock."""
    row = transaction.execute(_query(transaction, job_id, None).with_for_update(skip_locked=True)).one_or_none()
    return None if row is None else _load(row)


def lock_shared(transaction: Transaction, job_id: UUID) -> StoredJob:
    """Lock a job in shared mode until the transaction ends: others can do the same, but not change its state."""
    return _the_one(transaction, _query(transaction, job_id, None).with_for_update(read=True), job_id)


def lock_request(transaction: Transaction, kind: str, parameters: Mapping[str, Any]) -> None:
    """Lock the request for a job, so that no other transaction creates the same job, until the transaction ends."""
    name = f"{transaction.club_id} {kind} {json.dumps(parameters, sort_keys=True)}"
    transaction.execute(_LOCK_REQUEST, {"name": name})


def find_same_active(transaction: Transaction, kind: str, parameters: Mapping[str, Any]) -> StoredJob | None:
    """Find a job of the same request that has not ended."""
    query = _JOBS.where(
        _JOB.club_id == transaction.club_id,
        _JOB.kind == kind,
        _JOB.parameters == parameters,
        _JOB.ended_at.is_(None),
        _JOB.state != JobState.RECEIVING,
    )
    row = transaction.execute(query.order_by(_JOB.id).limit(1)).one_or_none()
    return None if row is None else _load(row)


def change(transaction: Transaction, job: StoredJob, state: JobState, **also: Any) -> StoredJob:
    """
    Change the state of a locked job.

    Raises:
        Busy: the job is no longer in the state in which it was read.
    """
    statement = (
        update(_JOB)
        .where(_JOB.club_id == transaction.club_id, _JOB.id == job.id, _JOB.state == job.state)
        .values(state=state, **({"ended_at": transaction.now} if state in ENDED else {}), **also)
    )
    if transaction.execute(statement).rowcount != 1:
        raise Busy(f"job {job.id} was changed by another request; retry the request")
    return get(transaction, job.id)


def get_progress(transaction: Transaction, job_id: UUID) -> Progress:
    """Sum up the results of the processed chunks of a job."""
    query = _PROGRESS.where(_CHUNK.club_id == transaction.club_id, _CHUNK.job_id == job_id)
    return _load_progress(transaction.execute(query).one())


def list_page(
    transaction: Transaction, kind: str, state: JobState | None = None, *, after: UUID | None = None, limit: int
) -> list[ListedJob]:
    """
    List the jobs of a kind after `after`, newest first, with their progress.

    An import that could not be received has no parameters and was never queued: it is omitted.
    """
    query = _listed(transaction, kind, state)
    if after is not None:
        query = query.where(_JOB.id < after)
    page = query.order_by(_JOB.id.desc()).limit(limit).subquery()
    progress = _PROGRESS.where(_CHUNK.club_id == transaction.club_id, _CHUNK.job_id == page.c.id).lateral()
    listed = select(page, progress).join(progress, true()).order_by(page.c.id.desc())
    return [ListedJob(_load(row), _load_progress(row)) for row in transaction.execute(listed)]


def count(transaction: Transaction, kind: str, state: JobState | None, limit: int) -> int:
    """Count the jobs that `list_page` lists, up to a limit."""
    return count_rows(transaction, _listed(transaction, kind, state), limit)


def _listed(transaction: Transaction, kind: str, state: JobState | None) -> Select[Any]:
    query = _JOBS.where(
        _JOB.club_id == transaction.club_id,
        _JOB.kind == kind,
        _JOB.state != JobState.RECEIVING,
        _JOB.parameters != {},
    )
    return query if state is None else query.where(_JOB.state == state)


def list_with_parameter(transaction: Transaction, kind: str, name: str, value: str, *, limit: int) -> list[StoredJob]:
    """List the jobs of a kind whose request has a parameter with a value, newest first."""
    query = _query(transaction, None, kind).where(_JOB.parameters[name].astext == value)
    return [_load(row) for row in transaction.execute(query.order_by(_JOB.id.desc()).limit(limit))]


def list_under_way(transaction: Transaction, *, limit: int) -> list[ListedJob]:
    """List the jobs of the club that have not ended, newest first, with their progress."""
    own = _JOBS.where(_JOB.club_id == transaction.club_id, _JOB.ended_at.is_(None), _JOB.state != JobState.RECEIVING)
    page = own.order_by(_JOB.created_at.desc(), _JOB.id.desc()).limit(limit).subquery()
    progress = _PROGRESS.where(_CHUNK.club_id == transaction.club_id, _CHUNK.job_id == page.c.id).lateral()
    listed = select(page, progress).join(progress, true()).order_by(page.c.created_at.desc(), page.c.id.desc())
    return [ListedJob(_load(row), _load_progress(row)) for row in transaction.execute(listed)]


def list_unfinished(connection: Connection) -> list[UnfinishedJob]:
    """
    List the jobs of all clubs that have not ended, the oldest first.

    Args:
        connection: from `Database.outside_clubs`.
    """
    return [
        UnfinishedJob(row.club_id, row.id, row.kind, JobState(row.state), row.created_at)
        for row in connection.execute(_UNFINISHED)
    ]


def _query(transaction: Transaction, job_id: UUID | None, kind: str | None) -> Select[Any]:
    query = _JOBS.where(_JOB.club_id == transaction.club_id)
    if job_id is not None:
        query = query.where(_JOB.id == job_id)
    return query if kind is None else query.where(_JOB.kind == kind, _JOB.state != JobState.RECEIVING)


def _the_one(transaction: Transaction, query: Select[Any], job_id: UUID) -> StoredJob:
    row = transaction.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"there is no job {job_id}")
    return _load(row)


def _load_progress(row: Row[Any]) -> Progress:
    return Progress(int(row.done), tuple(row.results or ()), row.dead_lettered)


def _load(row: Row[Any]) -> StoredJob:
    return StoredJob(
        row.id,
        row.kind,
        row.parameters,
        JobState(row.state),
        row.total,
        row.received,
        row.failure,
        row.planned_at is not None,
        row.actor,
        row.request_id,
        row.created_at,
        row.started_at,
        row.ended_at,
        row.traceparent,
    )
