from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, Small, references


class ScorekeeperRecord(Base):
    """A device on which a hand is being entered. It is no evidence, and a crash of the database deletes it."""

    __tablename__ = "scorekeepers"
    __table_args__ = (references("tables", "club_id", "table_id", to=("club_id", "id")), {"prefixes": ["UNLOGGED"]})

    club_id: Mapped[Key]
    table_id: Mapped[UUID] = mapped_column(primary_key=True)
    device_id: Mapped[UUID] = mapped_column(primary_key=True)
    label: Mapped[str]
    hand: Mapped[Small]
    expires_at: Mapped[datetime]
