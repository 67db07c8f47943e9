from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from service.models.base import Base


class LinkSecretRecord(Base):
    """A secret with which a club's links are signed. Only the newest counts."""

    __tablename__ = "link_secrets"

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    secret: Mapped[bytes]
    made_at: Mapped[datetime]
