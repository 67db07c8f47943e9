from datetime import datetime
from uuid import UUID

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from service.models.base import Base, Key, leads_to


class EventRecord(Base):
    """One change: who made it, when, and its content, byte for byte."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "sequence", name="events_sequence_key"),
        leads_to("rounds", "club_id", "round_id", to=("club_id", "id")),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    round_id: Mapped[UUID | None]
    sequence: Mapped[int | None]
    kind: Mapped[str]
    actor: Mapped[UUID | None]
    request_id: Mapped[str | None]
    at: Mapped[datetime]
    content: Mapped[bytes]
