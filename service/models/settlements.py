from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Boolean, Index, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from service.models.base import Base, Big, Key, NumberKey, PointsList, Small, SmallKey, SmallList, leads_to


class SettlementRecord(Base):
    """One play of a round from its records: the first as it happens, a later one where they were corrected."""

    __tablename__ = "settlements"
    __table_args__ = (
        UniqueConstraint(
            "club_id", "round_id", "revision", "ruleset_name", "ruleset_version", name="settlements_ruleset_key"
        ),
        leads_to("rounds", "club_id", "round_id", to=("club_id", "id")),
        leads_to("rulesets", "club_id", "ruleset_name", "ruleset_version", to=("club_id", "name", "version")),
        leads_to("settlements", "club_id", "round_id", "adjusts_revision", to=("club_id", "round_id", "revision")),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    ruleset_name: Mapped[str]
    ruleset_version: Mapped[int]
    reason: Mapped[str | None]
    created_at: Mapped[datetime]
    adjusts_revision: Mapped[int | None]


class AdjustmentRecord(Base):
    """Points that one player pays another because a final settlement was corrected."""

    __tablename__ = "adjustments"
    __table_args__ = (leads_to("settlements", "club_id", "round_id", "revision"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    position: Mapped[SmallKey]
    payer: Mapped[str]
    payee: Mapped[str]
    points: Mapped[Big]


class CorrectionRecord(Base):
    """What was asked for in the correction that made a revision, so that the same asked for again is known."""

    __tablename__ = "corrections"
    __table_args__ = (
        leads_to("settlements", "club_id", "round_id", "revision"),
        leads_to("submissions", "club_id", "submission_id", to=("club_id", "id")),
        leads_to("disputes", "club_id", "round_id", "dispute", to=("club_id", "round_id", "id")),
        UniqueConstraint("club_id", "round_id", "revision", "dispute", name="corrections_dispute_key"),
        Index("corrections_digest", "club_id", "round_id", "digest"),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    digest: Mapped[bytes]
    submission_id: Mapped[UUID]
    dispute: Mapped[UUID | None]


class HandScoreRecord(Base):
    """
    What a hand came to in one revision.

    Points, fouls, royalties, cards earned and stays follow the hand's seats; top-ups and stacks all seats of the round;
    exchanges the paying order. `irregular` is why the hand could not have followed, where it stands nevertheless.
    """

    __tablename__ = "hand_scores"
    __table_args__ = (
        leads_to("hands", "club_id", "round_id", "number", "hand_id", to=("club_id", "round_id", "number", "id")),
        leads_to("settlements", "club_id", "round_id", "revision", "ruleset_name", "ruleset_version"),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    number: Mapped[NumberKey]
    hand_id: Mapped[UUID]
    ruleset_name: Mapped[str]
    ruleset_version: Mapped[int]
    scorer_version: Mapped[int]
    points: Mapped[PointsList]
    fouls: Mapped[list[bool]] = mapped_column(ARRAY(Boolean))
    royalties: Mapped[PointsList]
    earned: Mapped[SmallList]
    stays: Mapped[SmallList]
    exchanges: Mapped[PointsList]
    top_ups: Mapped[PointsList]
    stacks_before: Mapped[PointsList]
    stacks: Mapped[PointsList]
    transfer_count: Mapped[Small]
    irregular: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB)


class PayoutRecord(Base):
    """What scope `round` had added up, paid after the last hand by the departure or closing that ended the round."""

    __tablename__ = "payouts"
    __table_args__ = (leads_to("hand_scores", "club_id", "round_id", "revision", "number"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    number: Mapped[int]
    stacks_before: Mapped[PointsList]
    stacks: Mapped[PointsList]
    transfer_count: Mapped[Small]


class TransferRecord(Base):
    """Points paid by one player to another; `late` ones not with the hand but in the payout after it."""

    __tablename__ = "transfers"
    __table_args__ = (leads_to("hand_scores", "club_id", "round_id", "revision", "number"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    number: Mapped[NumberKey]
    late: Mapped[bool] = mapped_column(primary_key=True)
    position: Mapped[SmallKey]
    payer: Mapped[Small]
    payee: Mapped[Small]
    due: Mapped[Big]
    paid: Mapped[Big]
    limited_by: Mapped[str | None]
    payer_stack: Mapped[Big]
    payee_stack: Mapped[Big]
