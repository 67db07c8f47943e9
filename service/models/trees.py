from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from service.models.base import Base, Big, Key, SmallKey, leads_to


class TreeNodeRecord(Base):
    """A full subtree of a club's tree of events: its hash, and where it is a leaf its event."""

    __tablename__ = "tree_nodes"
    __table_args__ = (
        leads_to("events", "club_id", "event_id", to=("club_id", "id")),
        Index(
            "tree_nodes_event_key",
            "club_id",
            "event_id",
            unique=True,
            postgresql_where=text("event_id IS NOT NULL"),
        ),
    )

    club_id: Mapped[Key]
    level: Mapped[SmallKey]
    position: Mapped[Big] = mapped_column(primary_key=True)
    hash: Mapped[bytes]
    event_id: Mapped[UUID | None]


class TreeHeadRecord(Base):
    """How far a club's tree goes, and how much of it was signed when."""

    __tablename__ = "tree_heads"

    club_id: Mapped[Key]
    size: Mapped[Big]
    signed_size: Mapped[Big]
    signed_at: Mapped[datetime | None]


class CheckpointRecord(Base):
    """What was signed of a club's tree at one size: the note, as it is served to whoever has its id."""

    __tablename__ = "checkpoints"
    __table_args__ = (
        UniqueConstraint("club_id", "size", name="checkpoints_size_key"),
        UniqueConstraint("id", name="checkpoints_id_key"),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    size: Mapped[Big]
    root: Mapped[bytes]
    note: Mapped[str]
    created_at: Mapped[datetime]
