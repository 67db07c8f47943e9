from datetime import datetime, time
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, TextList, references


class ClubRecord(Base):
    """A club. Its records are invisible to other clubs."""

    __tablename__ = "clubs"

    id: Mapped[Key]
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]
    time_zone: Mapped[str] = mapped_column(server_default="UTC")
    evening_begins: Mapped[time] = mapped_column(server_default="06:00")
    second_auditor: Mapped[bool] = mapped_column(server_default="false")


class ApiKeyRecord(Base):
    """An API key of a club: its scopes and the hash of its secret. An erased name is None."""

    __tablename__ = "api_keys"
    __table_args__ = (
        references("api_keys", "club_id", "created_by", to=("club_id", "id")),
        references("api_keys", "club_id", "replaces", to=("club_id", "id")),
    )

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[Key]
    name: Mapped[str | None]
    name_salt: Mapped[bytes | None]
    prefix: Mapped[str]
    secret_sha256: Mapped[bytes] = mapped_column(unique=True)
    scopes: Mapped[TextList]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    player: Mapped[str | None]
    created_by: Mapped[UUID | None]
    replaces: Mapped[UUID | None]
