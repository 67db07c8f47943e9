from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base


class PlayerRecord(Base):
    """What a player is called. The only place of names: they can be changed and erased here."""

    __tablename__ = "players"
    __table_args__ = (UniqueConstraint("club_id", "id", name="players_id_key"),)

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    player: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[UUID]
    display_name: Mapped[str]
    named_at: Mapped[datetime]
