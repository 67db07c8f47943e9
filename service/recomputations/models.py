from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, references


class AuditedRoundRecord(Base):
    """A round in which an audit found a difference: the revision that was replayed, and the hash of its results."""

    __tablename__ = "audited_rounds"
    __table_args__ = (references("jobs", "club_id", "job_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    job_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[int]
    digest: Mapped[bytes]


class DifferenceRecord(Base):
    """A finding of a recomputation: a difference between a stored and an expected value, or what was done about it."""

    __tablename__ = "differences"
    __table_args__ = (references("jobs", "club_id", "job_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    job_id: Mapped[Key]
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    round_id: Mapped[UUID | None]
    hand: Mapped[int | None]
    kind: Mapped[str]
    column_name: Mapped[str | None]
    stored: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    expected: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    detail: Mapped[str | None]
