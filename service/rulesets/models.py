from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Json, NumberKey


class RulesetRecord(Base):
    """A version of a ruleset: a custom one, or the copy of a preset that the club has used."""

    __tablename__ = "rulesets"

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[NumberKey]
    content: Mapped[Json]
    digest: Mapped[bytes]
    created_at: Mapped[datetime]
