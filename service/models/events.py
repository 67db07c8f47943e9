from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped

from service.models.base import Base, Key, leads_to


class EventRecord(Base):
    """
    One change: who made it, when, and its content, byte for byte.

    The event is the heading and the content, one after the other, and these bytes are what its hash is of. The other
    columns say of the heading what is searched for.
    """

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "sequence", name="events_sequence_key"),
        leads_to("rounds", "club_id", "round_id", to=("club_id", "id")),
        Index(
            "events_of_tables_and_rules",
            "club_id",
            "kind",
            postgresql_where=text("kind IN ('table.created', 'ruleset.added')"),
        ),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    round_id: Mapped[UUID | None]
    sequence: Mapped[int | None]
    kind: Mapped[str]
    actor: Mapped[UUID | None]
    request_id: Mapped[str | None]
    at: Mapped[datetime]
    heading: Mapped[bytes]
    content: Mapped[bytes]
    hash: Mapped[bytes]


class WaitingEventRecord(Base):
    """An event that has no place in its club's tree yet; the only record of it, so it is taken away when it has."""

    __tablename__ = "waiting_events"

    club_id: Mapped[Key]
    event_id: Mapped[Key]
