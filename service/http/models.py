from datetime import datetime

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, Small


class IdempotentResponseRecord(Base):
    """The first response to a request with an idempotency key."""

    __tablename__ = "idempotent_responses"
    __table_args__ = (Index("idempotent_responses_stored_at", "club_id", "stored_at"),)

    club_id: Mapped[Key]
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[bytes]
    status: Mapped[Small]
    location: Mapped[str | None]
    body: Mapped[bytes]
    stored_at: Mapped[datetime]
