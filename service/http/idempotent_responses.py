"""First responses, stored for some time under the idempotency keys of their requests."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Index, delete, insert, select, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db import Transaction
from service.db.base import Base, Key, Small


class IdempotentResponseRecord(Base):
    """The first response to a request with an idempotency key."""

    __tablename__ = "idempotent_responses"
    __table_args__ = (
        Index("idempotent_responses_stored_at", "club_id", "stored_at"),
        Index("idempotent_responses_with_texts", "club_id", postgresql_where=text("has_texts")),
    )

    club_id: Mapped[Key]
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[bytes]
    status: Mapped[Small]
    location: Mapped[str | None]
    body: Mapped[bytes]
    has_texts: Mapped[bool]
    stored_at: Mapped[datetime]


@dataclass(frozen=True, slots=True)
class IdempotentResponse:
    """
    The first response to a request.

    Attributes:
        fingerprint: identifies the request; 32 bytes.
        location: path of the created resource, if any.
        has_texts: whether the request or the response has a text of a person, so that it is erased with the text.
    """

    fingerprint: bytes
    status: int
    location: str | None
    body: bytes
    has_texts: bool

    @property
    def is_erased(self) -> bool:
        """Whether the response and what identifies the request were erased, because one of them had an erased text."""
        return self.fingerprint == _ERASED


_ERASED: Final = bytes(32)
"""The fingerprint in place of an erased one, which would let a short text be guessed."""
# The second lock is shared by all requests whose response may be stored, and exclusive for an erasure
# (`service.texts.responses`): a response that was built before an erasure is not stored after it.
_TRY_LOCK: Final = text("""
    SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 1)),
        pg_advisory_xact_lock_shared(hashtextextended(:club, 7))
""")


def try_lock(transaction: Transaction, key: str) -> bool:
    """Lock a key until the transaction ends; return False if another transaction holds it."""
    return bool(transaction.execute(_TRY_LOCK, _lock_names(transaction, key)).scalar_one())


def _lock_names(transaction: Transaction, key: str) -> dict[str, str]:
    return {"name": f"{transaction.club_id} {key}", "club": str(transaction.club_id)}


def find(transaction: Transaction, key: str, since: datetime) -> IdempotentResponse | None:
    """Find the first response to a request with this key; delete it and return None if it was stored before `since`."""
    record = IdempotentResponseRecord
    query = select(record.__table__).where(record.club_id == transaction.club_id, record.key == key)
    row = transaction.execute(query).one_or_none()
    if row is None:
        return None
    if row.stored_at < since:
        transaction.execute(delete(record).where(record.club_id == transaction.club_id, record.key == key))
        return None
    return IdempotentResponse(row.fingerprint, row.status, row.location, row.body, row.has_texts)


def add(transaction: Transaction, key: str, response: IdempotentResponse) -> None:
    """Insert the first response to a request."""
    transaction.execute(
        insert(IdempotentResponseRecord).values(
            club_id=transaction.club_id,
            key=key,
            fingerprint=response.fingerprint,
            status=response.status,
            location=response.location,
            body=response.body,
            has_texts=response.has_texts,
            stored_at=transaction.now,
        )
    )


def remove_before(transaction: Transaction, moment: datetime, most: int) -> int:
    """Delete at most `most` responses that were stored before a moment, and return their number."""
    record = IdempotentResponseRecord
    old = select(record.key).where(record.club_id == transaction.club_id, record.stored_at < moment).limit(most)
    return transaction.execute(
        delete(record).where(record.club_id == transaction.club_id, record.key.in_(old))
    ).rowcount
