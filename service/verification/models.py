from datetime import datetime
from uuid import UUID

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Big, Key, NumberKey, references


class VerificationRecord(Base):
    """The result of the last `ofc-server verify` for a club."""

    __tablename__ = "verifications"
    __table_args__ = (references("clubs", "club_id", to=("id",)),)

    club_id: Mapped[Key]
    ended_at: Mapped[datetime]
    events: Mapped[Big]
    findings: Mapped[Big]
    complete: Mapped[bool]


class VerificationFindingRecord(Base):
    """A finding of the last `ofc-server verify` for a club, in words; the next verification replaces it."""

    __tablename__ = "verification_findings"
    __table_args__ = (
        references("verifications", "club_id"),
        Index("verification_findings_of_round", "club_id", "round_id"),
    )

    club_id: Mapped[Key]
    position: Mapped[NumberKey]
    digest: Mapped[bytes]
    kind: Mapped[str]
    place: Mapped[str]
    sentence: Mapped[str]
    round_id: Mapped[UUID | None]
    hand: Mapped[int | None]


class AcknowledgedFindingRecord(Base):
    """A finding that somebody has acknowledged, also for later verifications. `id` is that of the event."""

    __tablename__ = "acknowledged_findings"
    __table_args__ = (references("events", "club_id", "id"),)

    club_id: Mapped[Key]
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    id: Mapped[UUID]
    acknowledged_at: Mapped[datetime]
