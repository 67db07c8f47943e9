"""Jobs: what is asked of workers, and how far each is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, Select, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import aggregate_order_by

from service.db import Transaction
from service.errors import Busy, NotFound
from service.jobs.models import ChunkRecord, JobRecord


class JobState(StrEnum):
    """How a job stands."""

    RECEIVING = "receiving"
    """What it is to work on is still being received; nobody knows of it yet."""
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
    A job as it stands.

    Attributes:
        kind: what knows how to plan it and how to do a chunk of it.
        asked: what was asked for, as the kind understands it.
        total: how much there is to do, in the kind's own units; None until that is known.
        received: how many lines (an import) or rounds (a recomputation) it must account for; None until that is known.
        failure: why it failed; None where it did not.
        is_planned: whether its chunks have been made.
        actor: the key that asked for it; what its workers record is recorded in its name.
        request_id: the request that asked for it.
    """

    id: UUID
    kind: str
    asked: Mapping[str, Any]
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


@dataclass(frozen=True, slots=True)
class JobUnderWay:
    """What is known of a job to who looks for work in all clubs."""

    club_id: UUID
    id: UUID
    kind: str
    state: JobState
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """
    How far a job is.

    Attributes:
        done: in the kind's own units, those of chunks set aside not among them.
        results: what each chunk that is done came to, in order.
        set_aside: how many chunks were given up.
    """

    done: int
    results: tuple[Mapping[str, Any], ...]
    set_aside: int


_JOB: Final = JobRecord
_CHUNK: Final = ChunkRecord
_COLUMNS: Final[tuple[Any, ...]] = (
    _JOB.id,
    _JOB.kind,
    _JOB.asked,
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
)
_JOBS: Final[Select[Any]] = select(*_COLUMNS)
_LOCK_ASKING: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 2))")
_UNDER_WAY: Final = text("SELECT club_id, id, kind, state, created_at FROM jobs_under_way()")


def add(
    transaction: Transaction, job_id: UUID, kind: str, asked: Mapping[str, Any], *, state: JobState = JobState.QUEUED
) -> StoredJob:
    """Add a job; nobody works on it before it is announced."""
    statement = insert(_JOB).values(
        club_id=transaction.club_id,
        id=job_id,
        kind=kind,
        asked=asked,
        state=state,
        actor=transaction.actor,
        request_id=transaction.request_id,
        created_at=transaction.now,
    )
    transaction.execute(statement)
    return get(transaction, job_id)


def get(transaction: Transaction, job_id: UUID, kind: str | None = None) -> StoredJob:
    """
    Read a job.

    Raises:
        NotFound: the club has none with this id, or it is of another kind.
    """
    return _the_one(transaction, _query(transaction, job_id, kind), job_id)


def lock(transaction: Transaction, job_id: UUID, kind: str | None = None) -> StoredJob:
    """
    Read a job and keep everybody else from changing its state, or claiming a chunk, until the transaction ends.

    Raises:
        NotFound: the club has none with this id, or it is of another kind.
        Busy: somebody else has held it for too long.
    """
    return _the_one(transaction, _query(transaction, job_id, kind).with_for_update(), job_id)


def try_lock(transaction: Transaction, job_id: UUID) -> StoredJob | None:
    """Lock a job, or give None where somebody else holds it at this moment."""
    found = transaction.execute(_query(transaction, job_id, None).with_for_update(skip_locked=True)).one_or_none()
    return None if found is None else _load(found)


def share(transaction: Transaction, job_id: UUID) -> StoredJob:
    """Read a job, and keep its state from being changed until the transaction ends; others may do so beside."""
    return _the_one(transaction, _query(transaction, job_id, None).with_for_update(read=True), job_id)


def lock_asking(transaction: Transaction, kind: str, asked: Mapping[str, Any]) -> None:
    """Keep everybody else from asking for the same until the transaction ends."""
    name = f"{transaction.club_id} {kind} {json.dumps(asked, sort_keys=True)}"
    transaction.execute(_LOCK_ASKING, {"name": name})


def find_same_under_way(transaction: Transaction, kind: str, asked: Mapping[str, Any]) -> StoredJob | None:
    """Find a job that was asked for in the same words and has not ended."""
    query = _JOBS.where(
        _JOB.club_id == transaction.club_id,
        _JOB.kind == kind,
        _JOB.asked == asked,
        _JOB.ended_at.is_(None),
        _JOB.state != JobState.RECEIVING,
    )
    found = transaction.execute(query.order_by(_JOB.id).limit(1)).one_or_none()
    return None if found is None else _load(found)


def change(transaction: Transaction, job: StoredJob, state: JobState, **also: Any) -> StoredJob:
    """
    Bring a job to another state; it must be locked.

    Raises:
        Busy: it is no longer in the state it was read in.
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
    """Add up what the chunks of a job came to so far."""
    is_done = _CHUNK.state == "done"
    query = select(
        func.coalesce(func.sum(_CHUNK.size).filter(is_done), 0).label("done"),
        func.array_agg(aggregate_order_by(_CHUNK.result, _CHUNK.number)).filter(is_done).label("results"),
        func.count().filter(_CHUNK.state == "set_aside").label("set_aside"),
    ).where(_CHUNK.club_id == transaction.club_id, _CHUNK.job_id == job_id)
    found = transaction.execute(query).one()
    return Progress(int(found.done), tuple(found.results or ()), found.set_aside)


def list_under_way(connection: Connection) -> list[JobUnderWay]:
    """
    List the jobs of all clubs that have not ended, the oldest first.

    Args:
        connection: from `Database.outside_clubs`.
    """
    return [
        JobUnderWay(found.club_id, found.id, found.kind, JobState(found.state), found.created_at)
        for found in connection.execute(_UNDER_WAY)
    ]


def _query(transaction: Transaction, job_id: UUID, kind: str | None) -> Select[Any]:
    query = _JOBS.where(_JOB.club_id == transaction.club_id, _JOB.id == job_id)
    return query if kind is None else query.where(_JOB.kind == kind, _JOB.state != JobState.RECEIVING)


def _the_one(transaction: Transaction, query: Select[Any], job_id: UUID) -> StoredJob:
    found = transaction.execute(query).one_or_none()
    if found is None:
        raise NotFound(f"there is no job {job_id}")
    return _load(found)


def _load(found: Row[Any]) -> StoredJob:
    return StoredJob(
        found.id,
        found.kind,
        found.asked,
        JobState(found.state),
        found.total,
        found.received,
        found.failure,
        found.planned_at is not None,
        found.actor,
        found.request_id,
        found.created_at,
        found.started_at,
        found.ended_at,
    )
