from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, references


class DifferenceRecord(Base):
    """A difference between a stored and a recomputed value."""

    __tablename__ = "differences"
    __table_args__ = (references("jobs", "club_id", "job_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    job_id: Mapped[Key]
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    round_id: Mapped[UUID | None]
    hand: Mapped[int | None]
    what: Mapped[str]
    stored: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    computed: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    detail: Mapped[str | None]
