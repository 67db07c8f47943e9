"""First answers, kept under the keys by which clients send a request again."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import insert, select, text

from service.database import Transaction
from service.models import KeptAnswerRecord


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


def find(transaction: Transaction, key: str) -> KeptAnswer | None:
    """Find the first answer to a request with this key."""
    record = KeptAnswerRecord
    query = select(record.fingerprint, record.status, record.location, record.body).where(
        record.club_id == transaction.club_id, record.key == key
    )
    found = transaction.execute(query).one_or_none()
    if found is None:
        return None
    return KeptAnswer(found.fingerprint, found.status, found.location, found.body)


def add(transaction: Transaction, key: str, answer: KeptAnswer) -> None:
    """Keep the first answer, beside the work that it speaks of."""
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
