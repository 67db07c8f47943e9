from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, Numeric, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Big, Key, PointsList, Small


class RoundStatisticsRecord(Base):
    """
    The figures of a player in a round, summed over its hands in the revision in force, and their result.

    They are computed from the records of the round, and computed again after every change. `place` is that among the
    players of the round. `received` and `paid` are points after caps. The columns `from_…` are the points by their
    source; the other points are those of hands in Fantasyland.
    """

    __tablename__ = "round_statistics"
    __table_args__ = (
        Index(
            "round_statistics_of_player",
            "club_id",
            "player",
            "opened_at",
            postgresql_include=[
                "round_id", "table_id", "ruleset_name", "ruleset_version", "hands", "points", "squares", "fouls",
                "fantasyland_hands", "fantasyland_entered", "fantasyland_stayed", "royalties_top", "royalties_middle",
                "royalties_bottom", "scoops", "not_received", "not_paid", "best", "worst", "point_value", "currency",
                "top_ups", "received", "paid", "from_rows", "from_bonuses", "from_royalties", "from_fouls",
            ],
        ),
        Index(
            "round_statistics_of_period",
            "club_id",
            "opened_at",
            postgresql_include=[
                "round_id", "table_id", "player", "place", "point_value", "currency", "top_ups", "received",
                "paid",
            ],
        ),
    )  # as a table  # fmt: skip

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    round_id: Mapped[Key]
    player: Mapped[str] = mapped_column(primary_key=True)
    table_id: Mapped[UUID]
    ruleset_name: Mapped[str]
    ruleset_version: Mapped[int]
    opened_at: Mapped[datetime]
    hands: Mapped[int]
    points: Mapped[Big]
    squares: Mapped[int] = mapped_column(Numeric)
    fouls: Mapped[int]
    fantasyland_entered: Mapped[int]
    fantasyland_stayed: Mapped[int]
    royalties_top: Mapped[Big]
    royalties_middle: Mapped[Big]
    royalties_bottom: Mapped[Big]
    scoops: Mapped[int]
    not_received: Mapped[Big]
    not_paid: Mapped[Big]
    fantasyland_hands: Mapped[int]
    best: Mapped[Big]
    worst: Mapped[Big]
    place: Mapped[Small]
    point_value: Mapped[Big | None]
    currency: Mapped[str | None]
    top_ups: Mapped[Big]
    received: Mapped[Big]
    paid: Mapped[Big]
    from_rows: Mapped[Big]
    from_bonuses: Mapped[Big]
    from_royalties: Mapped[Big]
    from_fouls: Mapped[Big]
    points_by_hand: Mapped[PointsList]


class RoundOpponentRecord(Base):
    """The figures of a player against an opponent in a round, as `RoundStatisticsRecord`; a pair has two of them."""

    __tablename__ = "round_opponents"
    __table_args__ = (
        Index(
            "round_opponents_of_player",
            "club_id",
            "player",
            "opened_at",
            postgresql_include=[
                "opponent", "round_id", "table_id", "ruleset_name", "ruleset_version", "hands", "points", "squares",
                "scoops", "scooped", "paid",
            ],
        ),
    )  # as a table  # fmt: skip

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    round_id: Mapped[Key]
    player: Mapped[str] = mapped_column(primary_key=True)
    opponent: Mapped[str] = mapped_column(primary_key=True)
    table_id: Mapped[UUID]
    ruleset_name: Mapped[str]
    ruleset_version: Mapped[int]
    opened_at: Mapped[datetime]
    hands: Mapped[int]
    points: Mapped[Big]
    squares: Mapped[int] = mapped_column(Numeric)
    scoops: Mapped[int]
    scooped: Mapped[int]
    paid: Mapped[Big]


class UnmeasuredRoundRecord(Base):
    """A change of a round after which its statistics were not computed yet; a trigger inserts it."""

    __tablename__ = "unmeasured_rounds"
    __table_args__ = (Index("unmeasured_rounds_of_round", "club_id", "round_id"),)

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=text("gen_random_uuid()"))
    round_id: Mapped[UUID]
