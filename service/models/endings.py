from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from service.models.base import Base, Key, NumberKey, Small, SmallKey, leads_to


class DepartureRecord(Base):
    """A player who left after a hand; `position` counts the round's departures."""

    __tablename__ = "departures"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "revision", "seat", name="departures_seat_key"),
        leads_to("round_seats", "club_id", "round_id", "revision", "seat"),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    position: Mapped[SmallKey]
    seat: Mapped[Small]
    after_hand: Mapped[int]
    reason: Mapped[str | None]
    recorded_at: Mapped[datetime]


class ClosingRecord(Base):
    """The end of a round before it was complete."""

    __tablename__ = "closings"
    __table_args__ = (leads_to("settlements", "club_id", "round_id", "revision"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    after_hand: Mapped[int]
    reason: Mapped[str]
    recorded_at: Mapped[datetime]
