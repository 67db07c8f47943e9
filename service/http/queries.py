"""First responses, stored for some time under the idempotency keys of their requests."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import delete, insert, select, text

from service.db import Transaction
from service.http.models import KeptAnswerRecord


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """
    An answer as it was first given.

    Attributes:
        fingerprint: of the request; 32 bytes.
        location: where what it made can be found, if anywhere.
    """

    fingerprint: bytes
    status: int
    location: str | None
    body: bytes


_TRY_LOCK: Final = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 1))")


def try_lock(transaction: Transaction, key: str) -> bool:
    """Take a key for this transaction; false where another holds it at this moment."""
    return bool(transaction.execute(_TRY_LOCK, {"name": f"{transaction.club_id} {key}"}).scalar_one())


def find(transaction: Transaction, key: str, since: datetime) -> KeptAnswer | None:
    """Find the first response to a request with this key; one that is older is removed, so that the key is free."""
    record = KeptAnswerRecord
    query = select(record.fingerprint, record.status, record.location, record.body, record.kept_at).where(
        record.club_id == transaction.club_id, record.key == key
    )
    found = transaction.execute(query).one_or_none()
    if found is None:
        return None
    if found.kept_at < since:
        transaction.execute(delete(record).where(record.club_id == transaction.club_id, record.key == key))
        return None
    return KeptAnswer(found.fingerprint, found.status, found.location, found.body)


def add(transaction: Transaction, key: str, answer: KeptAnswer) -> None:
    """Insert the first response, in the transaction of the work."""
    transaction.execute(
        insert(KeptAnswerRecord).values(
            club_id=transaction.club_id,
            key=key,
            fingerprint=answer.fingerprint,
            status=answer.status,
            location=answer.location,
            body=answer.body,
            kept_at=transaction.now,
        )
    )


def remove_before(transaction: Transaction, moment: datetime, most: int) -> int:
    """Remove responses that were stored before a moment, so many at most, and return their number."""
    record = KeptAnswerRecord
    old = select(record.key).where(record.club_id == transaction.club_id, record.kept_at < moment).limit(most)
    return transaction.execute(
        delete(record).where(record.club_id == transaction.club_id, record.key.in_(old))
    ).rowcount
