"""Webhooks of clubs, and the outbox of their messages."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import TRACEPARENT, Base, Json, Key, Small, TextList


class WebhookRecord(Base):
    """An endpoint of a club, the kinds of messages that it chose, and the secrets that sign them."""

    __tablename__ = "webhooks"

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[Key]
    url: Mapped[str]
    kinds: Mapped[TextList]
    description: Mapped[str | None]
    state: Mapped[str]
    disabled_because: Mapped[str | None]
    failing_since: Mapped[datetime | None]
    last_failure_at: Mapped[datetime | None]
    secret: Mapped[bytes]
    previous_secret: Mapped[bytes | None]
    previous_until: Mapped[datetime | None]
    created_at: Mapped[datetime]


class DeliveryRecord(Base):
    """A message to an endpoint. Triggers insert it in the transaction of the change that it is about."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        ForeignKeyConstraint(["club_id", "webhook_id"], ["webhooks.club_id", "webhooks.id"], ondelete="CASCADE"),
        Index("webhook_deliveries_of_webhook", "club_id", "webhook_id", "id"),
        Index("webhook_deliveries_due", "club_id", "next_attempt_at", postgresql_where=text("state = 'waiting'")),
        Index(
            "webhook_deliveries_in_order",
            "club_id",
            "webhook_id",
            "round_id",
            "sequence",
            "rank",
            postgresql_where=text("state = 'waiting'"),
        ),
        Index("webhook_deliveries_ended", "club_id", "ended_at", postgresql_where=text("ended_at IS NOT NULL")),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    webhook_id: Mapped[UUID]
    kind: Mapped[str]
    data: Mapped[Json]
    round_id: Mapped[UUID | None]
    sequence: Mapped[int | None]
    rank: Mapped[Small]
    is_redelivery: Mapped[bool]
    is_sending: Mapped[bool] = mapped_column(server_default="false")
    state: Mapped[str]
    attempts: Mapped[int]
    next_attempt_at: Mapped[datetime]
    first_attempt_at: Mapped[datetime | None]
    last_status: Mapped[Small | None]
    last_error: Mapped[str | None]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    traceparent: Mapped[str | None] = mapped_column(server_default=text(TRACEPARENT))
