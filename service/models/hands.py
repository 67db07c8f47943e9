from datetime import datetime
from uuid import UUID

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from service.models.base import Base, Json, Key, Small, SmallList, leads_to


class SubmissionRecord(Base):
    """The exact bytes in which a hand or a document was received."""

    __tablename__ = "submissions"

    club_id: Mapped[Key]
    id: Mapped[Key]
    kind: Mapped[str]
    content: Mapped[bytes]
    sha256: Mapped[bytes]
    received_at: Mapped[datetime]


class HandRecord(Base):
    """
    What happened in a hand, and no result.

    `seats` rise; `fantasyland` and the 13 bytes a board in `boards` follow their order.
    """

    __tablename__ = "hands"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "number", "id", name="hands_number_key"),
        leads_to("rounds", "club_id", "round_id", to=("club_id", "id")),
        leads_to("submissions", "club_id", "submission_id", to=("club_id", "id")),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    round_id: Mapped[UUID]
    number: Mapped[int]
    button: Mapped[Small]
    played_at: Mapped[datetime | None]
    recorded_at: Mapped[datetime]
    submission_id: Mapped[UUID]
    digest: Mapped[bytes]
    content: Mapped[Json]
    seats: Mapped[SmallList]
    fantasyland: Mapped[SmallList]
    boards: Mapped[bytes]
