"""
The outbox: messages about jobs, each stored until a worker has received it.

A message is inserted in the transaction that creates the work, and sent after the commit. A message that no worker
received is sent again with growing pauses, because it can be lost, or all workers can be busy.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import delete, func, insert, select, update
from uuid_utils.compat import uuid7

from service.db import Transaction
from service.jobs.models import JobMessageRecord

_MESSAGE: Final = JobMessageRecord
_FIRST_PAUSE: Final = 10
_MOST_DOUBLINGS: Final = 6


@dataclass(frozen=True, slots=True)
class JobMessage:
    """A message that is due."""

    id: UUID
    job_id: UUID


def ensure(transaction: Transaction, job_id: UUID, wanted: int) -> None:
    """Insert messages about a job until there are as many as wanted; new ones are due at once."""
    counted = select(func.count()).where(_MESSAGE.club_id == transaction.club_id, _MESSAGE.job_id == job_id)
    missing = max(0, wanted - transaction.execute(counted).scalar_one())
    if missing:
        rows = [
            {"club_id": transaction.club_id, "id": uuid7(), "job_id": job_id, "send_at": transaction.now}
            for _ in range(missing)
        ]
        transaction.execute(insert(_MESSAGE), rows)


def claim_due(transaction: Transaction) -> list[JobMessage]:
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


def acknowledge(transaction: Transaction, job_id: UUID) -> None:
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


def remove_all(transaction: Transaction, job_id: UUID) -> None:
    """Delete all messages about a job that has ended."""
    transaction.execute(delete(_MESSAGE).where(_MESSAGE.club_id == transaction.club_id, _MESSAGE.job_id == job_id))
