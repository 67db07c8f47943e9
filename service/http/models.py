from datetime import datetime

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, Small


class StoredResponseRecord(Base):
    """The first response to a request with an idempotency key."""

    __tablename__ = "kept_answers"
    __table_args__ = (Index("kept_answers_age", "club_id", "kept_at"),)

    club_id: Mapped[Key]
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[bytes]
    status: Mapped[Small]
    location: Mapped[str | None]
    body: Mapped[bytes]
    kept_at: Mapped[datetime]
