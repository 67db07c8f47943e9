from datetime import datetime

from sqlalchemy.orm import Mapped

from service.db.base import Base, Big, Key, references


class VerificationRecord(Base):
    """The result of the last `ofc-server verify` for a club."""

    __tablename__ = "verifications"
    __table_args__ = (references("clubs", "club_id", to=("id",)),)

    club_id: Mapped[Key]
    ended_at: Mapped[datetime]
    events: Mapped[Big]
    findings: Mapped[Big]
    complete: Mapped[bool]
