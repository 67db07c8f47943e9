from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base


class PlayerRecord(Base):
    """The display name of a player. Names are stored only here, so that they can be changed and erased."""

    __tablename__ = "players"
    __table_args__ = (UniqueConstraint("club_id", "id", name="players_id_key"),)

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    player: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[UUID]
    display_name: Mapped[str]
    salt: Mapped[bytes]
    named_at: Mapped[datetime]


class AliasRecord(Base):
    """An ID that is joined to a player: both are of one person. `id` is that of the event."""

    __tablename__ = "aliases"
    __table_args__ = (
        UniqueConstraint("club_id", "id", name="aliases_id_key"),
        Index("aliases_of_player", "club_id", "player"),
    )

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    alias: Mapped[str] = mapped_column(primary_key=True)
    player: Mapped[str]
    id: Mapped[UUID]
    joined_at: Mapped[datetime]
