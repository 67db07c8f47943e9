"""
The outbox: messages that are to tell workers of a job, each kept until somebody has heard one.

They are written in the transaction that makes the work and sent after it. What was sent and not heard is sent again,
later and later: a message may have been lost, or everybody may be busy.
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


def top_up(transaction: Transaction, job_id: UUID, wanted: int) -> None:
    """Have as many messages about a job under way as are wanted; those that were missing are due at once."""
    counted = select(func.count()).where(_WAKE_UP.club_id == transaction.club_id, _WAKE_UP.job_id == job_id)
    missing = max(0, wanted - transaction.execute(counted).scalar_one())
    if missing:
        rows = [
            {"club_id": transaction.club_id, "id": uuid7(), "job_id": job_id, "send_from": transaction.now}
            for _ in range(missing)
        ]
        transaction.execute(insert(_WAKE_UP), rows)


def take_due(transaction: Transaction) -> list[WakeUp]:
    """Take the club's messages that are due and that nobody else is sending; each is due again after a while."""
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


def hear(transaction: Transaction, job_id: UUID) -> None:
    """Forget one message about a job, the one sent most often: one has come, whichever it was."""
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
    """Forget every message about a job that has ended."""
    transaction.execute(delete(_WAKE_UP).where(_WAKE_UP.club_id == transaction.club_id, _WAKE_UP.job_id == job_id))
