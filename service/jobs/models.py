from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, Integer, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import TRACEPARENT, Base, Big, Json, Key, NumberKey, references


class JobRecord(Base):
    """A job, with its state and progress."""

    __tablename__ = "jobs"
    __table_args__ = (
        Index("jobs_kind", "club_id", "kind", "id"),
        Index("jobs_unfinished", "created_at", postgresql_where=text("ended_at IS NULL")),
        Index("jobs_ended", "club_id", "ended_at", postgresql_where=text("ended_at IS NOT NULL")),
    )

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[Key]
    kind: Mapped[str]
    parameters: Mapped[Json]
    state: Mapped[str]
    total: Mapped[Big | None]
    received: Mapped[Big | None]
    failure: Mapped[str | None]
    actor: Mapped[UUID | None]
    request_id: Mapped[str | None]
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    planned_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    traceparent: Mapped[str | None] = mapped_column(server_default=text(TRACEPARENT))


class ChunkRecord(Base):
    """A part of a job that is processed in one transaction, which locks it."""

    __tablename__ = "job_chunks"
    __table_args__ = (
        references("jobs", "club_id", "job_id", to=("club_id", "id")),
        Index("job_chunks_open", "club_id", "job_id", "number", postgresql_where=text("state = 'open'")),
    )

    club_id: Mapped[Key]
    job_id: Mapped[Key]
    number: Mapped[NumberKey]
    size: Mapped[Big]
    part: Mapped[Json]
    state: Mapped[str] = mapped_column(server_default="open")
    attempts: Mapped[int] = mapped_column(Integer, server_default="0")
    failures: Mapped[int] = mapped_column(Integer, server_default="0")
    interruptions: Mapped[int] = mapped_column(Integer, server_default="0")
    messages: Mapped[int] = mapped_column(Integer, server_default="0")
    send_at: Mapped[datetime] = mapped_column(server_default=text("clock_timestamp()"))
    result: Mapped[Json | None]
    accounted: Mapped[Big | None]
    error: Mapped[str | None]
    ended_at: Mapped[datetime | None]
