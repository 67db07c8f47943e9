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
from service.jobs.models import WakeUpRecord

_WAKE_UP: Final = WakeUpRecord
_FIRST_PAUSE: Final = 10
_MOST_DOUBLINGS: Final = 6


@dataclass(frozen=True, slots=True)
class WakeUp:
    """A message that is due."""

    id: UUID
    job_id: UUID


def ensure(transaction: Transaction, job_id: UUID, wanted: int) -> None:
    """Insert messages about a job until there are as many as wanted; new ones are due at once."""
    counted = select(func.count()).where(_WAKE_UP.club_id == transaction.club_id, _WAKE_UP.job_id == job_id)
    missing = max(0, wanted - transaction.execute(counted).scalar_one())
    if missing:
        rows = [
            {"club_id": transaction.club_id, "id": uuid7(), "job_id": job_id, "send_from": transaction.now}
            for _ in range(missing)
        ]
        transaction.execute(insert(_WAKE_UP), rows)


def claim_due(transaction: Transaction) -> list[WakeUp]:
    """Claim the club's due messages, except those that others are sending; each is due again after a pause."""
    due = (
        select(_WAKE_UP.id)
        .where(_WAKE_UP.club_id == transaction.club_id, _WAKE_UP.send_from <= func.clock_timestamp())
        .with_for_update(skip_locked=True)
    )
    doublings = func.power(2, func.least(_WAKE_UP.sends, _MOST_DOUBLINGS))
    statement = (
        update(_WAKE_UP)
        .where(_WAKE_UP.club_id == transaction.club_id, _WAKE_UP.id.in_(due))
        .values(
            sends=_WAKE_UP.sends + 1,
            send_from=func.clock_timestamp() + timedelta(seconds=_FIRST_PAUSE) * doublings,
        )
        .returning(_WAKE_UP.id, _WAKE_UP.job_id)
    )
    return [WakeUp(found.id, found.job_id) for found in transaction.execute(statement)]


def acknowledge(transaction: Transaction, job_id: UUID) -> None:
    """Delete one message about a job, the one that was sent most often, because one was received."""
    one = (
        select(_WAKE_UP.id)
        .where(_WAKE_UP.club_id == transaction.club_id, _WAKE_UP.job_id == job_id)
        .order_by(_WAKE_UP.sends.desc(), _WAKE_UP.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    transaction.execute(delete(_WAKE_UP).where(_WAKE_UP.club_id == transaction.club_id, _WAKE_UP.id == one))


def remove_all(transaction: Transaction, job_id: UUID) -> None:
    """Delete all messages about a job that has ended."""
    transaction.execute(delete(_WAKE_UP).where(_WAKE_UP.club_id == transaction.club_id, _WAKE_UP.job_id == job_id))
