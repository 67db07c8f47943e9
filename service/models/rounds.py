from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ExcludeConstraint
from sqlalchemy.orm import Mapped

from service.models.base import (
    Base,
    Big,
    Json,
    Key,
    NumberKey,
    PointsList,
    Small,
    SmallKey,
    SmallList,
    TextList,
    leads_to,
)


class RoundRecord(Base):
    """A round as it was opened, with the point value and currency that its table had then."""

    __tablename__ = "rounds"
    __table_args__ = (
        UniqueConstraint("club_id", "table_id", "reference", name="rounds_reference_key"),
        UniqueConstraint("club_id", "table_id", "id", name="rounds_table_id_key"),
        leads_to("tables", "club_id", "table_id", to=("club_id", "id")),
        Index("rounds_digest", "club_id", "table_id", "digest"),
        Index("rounds_opened_at", "club_id", "opened_at"),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    table_id: Mapped[UUID]
    reference: Mapped[str | None]
    digest: Mapped[bytes]
    point_value: Mapped[Big | None]
    currency: Mapped[str | None]
    opened_at: Mapped[datetime]
    correction_window_minutes: Mapped[int]


class RoundSeatRecord(Base):
    """Who sat where in one revision of a round, and with what."""

    __tablename__ = "round_seats"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "revision", "player", name="round_seats_player_key"),
        leads_to("settlements", "club_id", "round_id", "revision"),
        Index("round_seats_of_player", "club_id", "player", "round_id"),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    seat: Mapped[SmallKey]
    player: Mapped[str]
    opening_stack: Mapped[Big]
    carried_over: Mapped[bool]


class ConfirmationRecord(Base):
    """A player's word that a revision's settlement is right."""

    __tablename__ = "confirmations"
    __table_args__ = (leads_to("round_seats", "club_id", "round_id", "revision", "seat"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    seat: Mapped[SmallKey]
    confirmed_at: Mapped[datetime]


class RoundHeadRecord(Base):
    """
    Where a round stands: the one record of it that changes, and that whoever changes the round locks first.

    `seats` rise, and everything beside them follows their order. `opening_stacks` are the round's; those of the stakes'
    scope are in `state` with the rest of what the next hand has to know. `last_event` is the hash of the round's last
    event, for the next one to name.
    """

    __tablename__ = "round_heads"
    __table_args__ = (
        leads_to("rounds", "club_id", "table_id", "round_id", to=("club_id", "table_id", "id")),
        leads_to("settlements", "club_id", "round_id", "revision", "ruleset_name", "ruleset_version"),
        ExcludeConstraint(
            ("club_id", "="),
            ("table_id", "="),
            name="round_heads_one_open",
            using="btree",
            where=text("status = 'open'"),
            deferrable=True,
        ),
        Index("round_heads_status", "club_id", "status", "round_id"),
        Index(
            "round_heads_provisional",
            "club_id",
            "provisional_until",
            postgresql_where=text("provisional_until IS NOT NULL"),
        ),
        Index(
            "round_heads_unsettled",
            "club_id",
            "settlement_state",
            "round_id",
            postgresql_where=text("settlement_state IN ('provisional', 'disputed')"),
        ),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    table_id: Mapped[UUID]
    status: Mapped[str]
    version: Mapped[int]
    revision: Mapped[int]
    ruleset_name: Mapped[str]
    ruleset_version: Mapped[int]
    hands: Mapped[int]
    seats: Mapped[SmallList]
    players: Mapped[TextList]
    opening_stacks: Mapped[PointsList]
    top_ups: Mapped[PointsList]
    stacks: Mapped[PointsList]
    state: Mapped[Json]
    settlement_state: Mapped[str]
    provisional_until: Mapped[datetime | None]
    final_revision: Mapped[int | None]
    open_disputes: Mapped[Small]
    last_event: Mapped[bytes]
