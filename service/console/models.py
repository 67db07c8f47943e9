from datetime import datetime
from uuid import UUID

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, references


class ConsoleSessionRecord(Base):
    """A session of the console, a link that begins one, or a link that signs a phone in. It ends with its key."""

    __tablename__ = "console_sessions"
    __table_args__ = (
        references("api_keys", "club_id", "key_id", to=("club_id", "id")),
        Index("console_sessions_by_end", "club_id", "expires_at"),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    key_id: Mapped[UUID]
    kind: Mapped[str]
    secret_sha256: Mapped[bytes] = mapped_column(unique=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
