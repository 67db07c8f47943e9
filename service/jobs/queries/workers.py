"""
The active workers, the queue in the database, and the outbox: messages about jobs, stored until a worker receives them.

A message is inserted in the transaction that creates the work, and sent after the commit. A message that no worker
received is sent again with growing pauses, because it can be lost, or all workers can be busy.

Workers and the queue belong to no club: their functions need a connection from `Database.outside_clubs`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select, text, update
from uuid_utils.compat import uuid7

from service.db import Transaction
from service.jobs.models import JobMessageRecord

_ADD: Final = text("""
    INSERT INTO shared.workers (id, host, process, concurrency, started_at, seen_at)
    VALUES (:id, :host, :process, :concurrency, now(), now())
    ON CONFLICT (id) DO UPDATE SET seen_at = now()
""")
_REMOVE: Final = text("DELETE FROM shared.workers WHERE id = :id")
_FORGET: Final = text("DELETE FROM shared.workers WHERE seen_at < now() - interval '1 hour'")
_LIVING: Final = text("""
    SELECT id, host, process, concurrency, started_at, seen_at FROM shared.workers
    WHERE seen_at > now() - interval '30 seconds' ORDER BY started_at, id
""")
_PURGE: Final = text("DELETE FROM shared.kombu_message WHERE NOT visible")
_MESSAGE: Final = JobMessageRecord
_FIRST_PAUSE: Final = 10
_MOST_DOUBLINGS: Final = 6


@dataclass(frozen=True, slots=True)
class ActiveWorker:
    """A worker with a heartbeat in the last 30 seconds."""

    id: UUID
    host: str
    process: int
    concurrency: int
    started_at: datetime
    seen_at: datetime


def record_heartbeat(connection: Connection, worker_id: UUID, host: str, process: int, concurrency: int) -> None:
    """Record the heartbeat of a worker, and delete workers without a heartbeat for an hour."""
    connection.execute(_FORGET)
    connection.execute(_ADD, {"id": worker_id, "host": host, "process": process, "concurrency": concurrency})


def remove_worker(connection: Connection, worker_id: UUID) -> None:
    """Delete a worker that has stopped."""
    connection.execute(_REMOVE, {"id": worker_id})


def list_active(connection: Connection) -> list[ActiveWorker]:
    """List the active workers, the oldest first."""
    return [
        ActiveWorker(found.id, found.host, found.process, found.concurrency, found.started_at, found.seen_at)
        for found in connection.execute(_LIVING)
    ]


def purge_consumed_messages(connection: Connection) -> None:
    """Delete the consumed messages of the queue in the database, which kombu never deletes."""
    connection.execute(_PURGE)


@dataclass(frozen=True, slots=True)
class JobMessage:
    """A message that is due."""

    id: UUID
    job_id: UUID


def ensure_messages(transaction: Transaction, job_id: UUID, wanted: int) -> None:
    """Insert messages about a job until there are as many as wanted; new ones are due at once."""
    counted = select(func.count()).where(_MESSAGE.club_id == transaction.club_id, _MESSAGE.job_id == job_id)
    missing = max(0, wanted - transaction.execute(counted).scalar_one())
    if missing:
        rows = [
            {"club_id": transaction.club_id, "id": uuid7(), "job_id": job_id, "send_at": transaction.now}
            for _ in range(missing)
        ]
        transaction.execute(insert(_MESSAGE), rows)


def claim_due_messages(transaction: Transaction) -> list[JobMessage]:
    """Claim the club's due messages, except those that others are sending; each is due again after a pause."""
    due = (
        select(_MESSAGE.id)
        .where(_MESSAGE.club_id == transaction.club_id, _MESSAGE.send_at <= func.clock_timestamp())
        .with_for_update(skip_locked=True)
    )
    doublings = func.power(2, func.least(_MESSAGE.send_count, _MOST_DOUBLINGS))
    statement = (
        update(_MESSAGE)
        .where(_MESSAGE.club_id == transaction.club_id, _MESSAGE.id.in_(due))
        .values(
            send_count=_MESSAGE.send_count + 1,
            send_at=func.clock_timestamp() + timedelta(seconds=_FIRST_PAUSE) * doublings,
        )
        .returning(_MESSAGE.id, _MESSAGE.job_id)
    )
    return [JobMessage(found.id, found.job_id) for found in transaction.execute(statement)]


def acknowledge_message(transaction: Transaction, job_id: UUID) -> None:
    """Delete one message about a job, the one that was sent most often, because one was received."""
    one = (
        select(_MESSAGE.id)
        .where(_MESSAGE.club_id == transaction.club_id, _MESSAGE.job_id == job_id)
        .order_by(_MESSAGE.send_count.desc(), _MESSAGE.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    transaction.execute(delete(_MESSAGE).where(_MESSAGE.club_id == transaction.club_id, _MESSAGE.id == one))


def remove_messages(transaction: Transaction, job_id: UUID) -> None:
    """Delete all messages about a job that has ended."""
    transaction.execute(delete(_MESSAGE).where(_MESSAGE.club_id == transaction.club_id, _MESSAGE.job_id == job_id))
