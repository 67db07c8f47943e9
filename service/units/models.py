from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Small


class UnitRecord(Base):
    """A unit of amounts that a club has defined. It never changes: records have its code and its digits."""

    __tablename__ = "units"
    __table_args__ = (Index("units_code_key", "club_id", text("lower(code)"), unique=True),)

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    code: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    digits: Mapped[Small]
    defined_at: Mapped[datetime]
