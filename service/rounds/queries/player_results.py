"""The results of the players of rounds that have ended: the table `round_statistics`, and how the writer fills it."""

from collections.abc import Collection
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import ARRAY, Index, Integer, Numeric, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db import Statement, Transaction
from service.db.base import Base, Big, Key, PointsList, Small, TextList, references

_OF_PLAYER = (
    *("round_id", "table_id", "ruleset_name", "ruleset_version", "hands", "points", "squares", "fouls"),
    *("fantasyland_hands", "fantasyland_entered", "fantasyland_stayed", "royalties_top", "royalties_middle"),
    *("royalties_bottom", "scoops", "not_received", "not_paid", "best", "worst", "point_value", "unit"),
    *("unit_digits", "top_ups", "received", "paid", "from_rows", "from_bonuses", "from_royalties", "from_fouls"),
)
_OF_PERIOD = (
    *("round_id", "table_id", "player", "place", "point_value", "unit", "unit_digits", "top_ups", "received", "paid"),
)


class RoundStatisticsRecord(Base):
    """
    The results of a player in an ended round, summed over its hands in the revision in force.

    They follow from the records of the round, as the view `computed_statistics` has them, and are stored in the
    transaction that ends or corrects the round. The view `player_rounds` has open rounds too. `place` is that among the
    players of the round. `received` and `paid` are points after caps. The columns `from_…` are the points by what they
    are for; the other points are those of hands in Fantasyland. The columns `…_against` have a value for each opponent
    with whom the player was dealt in.
    """

    __tablename__ = "round_statistics"
    __table_args__ = (
        references("rounds", "club_id", "round_id", to=("club_id", "id")),
        Index("round_statistics_of_player", "club_id", "player", "opened_at", postgresql_include=[*_OF_PLAYER]),
        Index("round_statistics_of_period", "club_id", "opened_at", postgresql_include=[*_OF_PERIOD]),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    player: Mapped[str] = mapped_column(primary_key=True)
    table_id: Mapped[UUID]
    ruleset_name: Mapped[str]
    ruleset_version: Mapped[int]
    opened_at: Mapped[datetime]
    point_value: Mapped[Big | None]
    unit: Mapped[str | None]
    unit_digits: Mapped[Small | None]
    place: Mapped[Small]
    top_ups: Mapped[Big]
    received: Mapped[Big]
    not_received: Mapped[Big]
    paid: Mapped[Big]
    not_paid: Mapped[Big]
    hands: Mapped[int]
    points: Mapped[Big]
    squares: Mapped[int] = mapped_column(Numeric)
    best: Mapped[Big]
    worst: Mapped[Big]
    points_by_hand: Mapped[PointsList]
    fouls: Mapped[int]
    scoops: Mapped[int]
    fantasyland_hands: Mapped[int]
    fantasyland_entered: Mapped[int]
    fantasyland_stayed: Mapped[int]
    royalties_top: Mapped[Big]
    royalties_middle: Mapped[Big]
    royalties_bottom: Mapped[Big]
    from_rows: Mapped[Big]
    from_bonuses: Mapped[Big]
    from_royalties: Mapped[Big]
    from_fouls: Mapped[Big]
    opponents: Mapped[TextList]
    hands_against: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    points_against: Mapped[PointsList]
    squares_against: Mapped[list[int]] = mapped_column(ARRAY(Numeric))
    scoops_against: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    scooped_against: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    paid_against: Mapped[PointsList]


COLUMNS: Final = tuple(column.name for column in RoundStatisticsRecord.__table__.columns)
"""The columns of `round_statistics`, which the view `computed_statistics` has too."""
_INSERT: Final = f"""
    INSERT INTO round_statistics ({", ".join(COLUMNS)})
    SELECT {", ".join(COLUMNS)} FROM computed_statistics WHERE club_id = :club_id AND
"""
_INSERT_ALL: Final = Statement(text(f"{_INSERT} round_id = ANY (:round_ids)"))
# PostgreSQL would not use a general plan for a list, and plan the view each time.
_INSERT_ONE: Final = Statement(text(f"{_INSERT} round_id = :round_id"))
_REMOVE: Final = Statement(
    text("DELETE FROM round_statistics WHERE club_id = :club_id AND round_id = ANY (:round_ids)")
)


def store_ended(transaction: Transaction, round_ids: Collection[UUID]) -> None:
    """Store the results of the players of rounds that have ended, as they follow from the records."""
    if len(round_ids) == 1:
        transaction.write(_INSERT_ONE, {"club_id": transaction.club_id, "round_id": next(iter(round_ids))})
    elif round_ids:
        transaction.write(_INSERT_ALL, {"club_id": transaction.club_id, "round_ids": [*round_ids]})


def remove_stored(transaction: Transaction, round_ids: Collection[UUID]) -> None:
    """Remove the stored results of rounds that have changed after their end."""
    if round_ids:
        transaction.write(_REMOVE, {"club_id": transaction.club_id, "round_ids": [*round_ids]})
