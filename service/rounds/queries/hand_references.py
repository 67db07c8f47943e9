"""Find the references of hands, the client's own IDs."""

from typing import Final
from uuid import UUID

from sqlalchemy import select, text

from service.db import Transaction
from service.rounds.models import HandRecord
from service.rounds.queries.hand_filters import is_in_force

_LOCK_REFERENCE: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 6))")


def find(transaction: Transaction, reference: str) -> tuple[UUID, int] | None:
    """
    Lock a reference of hands until the transaction ends, and find the round and the number of the hand with it.

    A hand that is not in force, because it was undone or a correction removed it, has freed its reference.
    """
    transaction.execute(_LOCK_REFERENCE, {"name": f"{transaction.club_id} {reference}"})
    record = HandRecord
    query = select(record.round_id, record.number).where(
        record.club_id == transaction.club_id, record.reference == reference, is_in_force()
    )
    row = transaction.execute(query.limit(1)).one_or_none()
    return None if row is None else (row.round_id, row.number)


def get(transaction: Transaction, hand_id: UUID) -> str | None:
    """Return the reference of the record of a hand, in force or not; None if it has none."""
    record = HandRecord
    query = select(record.reference).where(record.club_id == transaction.club_id, record.id == hand_id)
    reference: str | None = transaction.execute(query).scalar_one()
    return reference
