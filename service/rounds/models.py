"""Records of rounds: seats, hands, scores, settlements, departures, closings."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ARRAY, Boolean, ColumnElement, Index, UniqueConstraint, column, func, table, text
from sqlalchemy.dialects.postgresql import JSONB, ExcludeConstraint
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import UserDefinedType

from service.db.base import (
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
    references,
)


class Transfers(UserDefinedType[list[Mapping[str, Any]]]):
    """Transfers in order, which are read as JSON: each by the names of `TRANSFER_FIELDS`."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """Return the name of the type."""
        return "transfer[]"

    def column_expression(self, colexpr: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return the expression that selects a column."""
        return func.to_jsonb(colexpr)


# As PostgreSQL shows it, because `alembic check` compares the text.
_played = text("(\nCASE\n    WHEN played_at IS NULL THEN recorded_at\n    ELSE played_at\nEND)")


class RoundRecord(Base):
    """
    A round as it was opened, with the point value, unit and standing charge of its table at that time.

    `table_sequence` numbers the rounds of a table in the order of recording, from 1 without gaps. `opened_at` is when
    the round was played, which may be long before it was received, at `recorded_at`.
    """

    __tablename__ = "rounds"
    __table_args__ = (
        UniqueConstraint("club_id", "table_id", "reference", name="rounds_reference_key"),
        UniqueConstraint("club_id", "table_id", "id", name="rounds_table_id_key"),
        UniqueConstraint("club_id", "table_id", "table_sequence", name="rounds_table_sequence_key"),
        references("tables", "club_id", "table_id", to=("club_id", "id")),
        # The beginnings of references are found in every collation.
        Index(
            "rounds_reference",
            "club_id",
            "reference",
            postgresql_ops={"reference": "text_pattern_ops"},
            postgresql_where=text("reference IS NOT NULL"),
        ),
        Index("rounds_digest", "club_id", "table_id", "digest"),
        Index("rounds_opened_at", "club_id", "opened_at", "id"),
        Index("rounds_opened_at_table", "club_id", "table_id", "opened_at", "id"),
        Index("rounds_at_table", "club_id", "table_id", "table_sequence", postgresql_where=text("NOT imported")),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    table_id: Mapped[UUID]
    table_sequence: Mapped[int]
    imported: Mapped[bool]
    reference: Mapped[str | None]
    digest: Mapped[bytes]
    point_value: Mapped[Big | None]
    unit: Mapped[str | None]
    unit_digits: Mapped[Small | None]
    charge_per: Mapped[str | None]
    charge_amount: Mapped[Big | None]
    opened_at: Mapped[datetime]
    recorded_at: Mapped[datetime]
    correction_window_minutes: Mapped[int]


class RoundSeatRecord(Base):
    """A seat in one revision of a round: its player and opening stack."""

    __tablename__ = "round_seats"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "revision", "player", name="round_seats_player_key"),
        references("settlements", "club_id", "round_id", "revision"),
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
    """A player's confirmation of a revision's settlement."""

    __tablename__ = "confirmations"
    __table_args__ = (references("round_seats", "club_id", "round_id", "revision", "seat"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    seat: Mapped[SmallKey]
    confirmed_at: Mapped[datetime]


class RoundHeadRecord(Base):
    """
    The current state of a round: the only record of it that changes. Every change locks it first.

    `seats` are ascending, and the other lists are in their order. `opening_stacks` are those of the round; those of the
    scope are in `state`, with everything else that the next hand depends on. `last_event` is the hash of the round's
    last event, which the next event contains.
    """

    __tablename__ = "round_heads"
    __table_args__ = (
        references("rounds", "club_id", "table_id", "round_id", to=("club_id", "table_id", "id")),
        references("settlements", "club_id", "round_id", "revision", "ruleset_name", "ruleset_version"),
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


class SubmissionRecord(Base):
    """The request body of a hand, document or correction; or, where it has a text of a person, its digest as a text."""

    __tablename__ = "submissions"

    club_id: Mapped[Key]
    id: Mapped[Key]
    kind: Mapped[str]
    content: Mapped[bytes | None]
    sha256: Mapped[bytes | None]
    text: Mapped[bytes | None]
    received_at: Mapped[datetime]


class HandRecord(Base):
    """
    A hand as played, without its result.

    `seats` are ascending; `fantasyland` and `boards`, with 13 bytes per board, are in their order.
    """

    __tablename__ = "hands"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "number", "id", name="hands_number_key"),
        references("rounds", "club_id", "round_id", to=("club_id", "id")),
        references("submissions", "club_id", "submission_id", to=("club_id", "id")),
        Index("hands_played", "club_id", _played),
        Index("hands_reference", "club_id", "reference", postgresql_where=text("reference IS NOT NULL")),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    round_id: Mapped[UUID]
    number: Mapped[int]
    button: Mapped[Small]
    played_at: Mapped[datetime | None]
    recorded_at: Mapped[datetime]
    submission_id: Mapped[UUID]
    digest: Mapped[bytes]
    content: Mapped[Json]
    seats: Mapped[SmallList]
    fantasyland: Mapped[SmallList]
    boards: Mapped[bytes]
    reference: Mapped[str | None]


class DepartureRecord(Base):
    """A player who left after a hand; `position` numbers the departures of the round. The reason is its digest."""

    __tablename__ = "departures"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "revision", "seat", name="departures_seat_key"),
        references("round_seats", "club_id", "round_id", "revision", "seat"),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    position: Mapped[SmallKey]
    seat: Mapped[Small]
    after_hand: Mapped[int]
    reason: Mapped[bytes | None]
    recorded_at: Mapped[datetime]


class ClosingRecord(Base):
    """The closing of a round before it was complete. The reason is its digest."""

    __tablename__ = "closings"
    __table_args__ = (references("settlements", "club_id", "round_id", "revision"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    after_hand: Mapped[int]
    reason: Mapped[bytes | None]
    recorded_at: Mapped[datetime]


class SettlementRecord(Base):
    """
    A revision of a round: the first as it is played; later ones after undos, corrections and recomputations.

    The reason is its digest.
    """

    __tablename__ = "settlements"
    __table_args__ = (
        UniqueConstraint(
            "club_id", "round_id", "revision", "ruleset_name", "ruleset_version", name="settlements_ruleset_key"
        ),
        references("rounds", "club_id", "round_id", to=("club_id", "id")),
        references("rulesets", "club_id", "ruleset_name", "ruleset_version", to=("club_id", "name", "version")),
        references("settlements", "club_id", "round_id", "adjusts_revision", to=("club_id", "round_id", "revision")),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    ruleset_name: Mapped[str]
    ruleset_version: Mapped[int]
    reason: Mapped[bytes | None]
    created_at: Mapped[datetime]
    adjusts_revision: Mapped[int | None]


class AdjustmentRecord(Base):
    """Points that one player pays another after the correction of a final settlement."""

    __tablename__ = "adjustments"
    __table_args__ = (references("settlements", "club_id", "round_id", "revision"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    position: Mapped[SmallKey]
    payer: Mapped[str]
    payee: Mapped[str]
    points: Mapped[Big]


class CorrectionRecord(Base):
    """The correction that made a revision; `digest` identifies a repeated request, with the salt of the submission."""

    __tablename__ = "corrections"
    __table_args__ = (
        references("settlements", "club_id", "round_id", "revision"),
        references("submissions", "club_id", "submission_id", to=("club_id", "id")),
        references("disputes", "club_id", "round_id", "dispute", to=("club_id", "round_id", "id")),
        UniqueConstraint("club_id", "round_id", "revision", "dispute", name="corrections_dispute_key"),
    )

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    digest: Mapped[bytes]
    submission_id: Mapped[UUID]
    dispute: Mapped[UUID | None]


class HandScoreRecord(Base):
    """
    The result of a hand in one revision.

    Points, fouls, royalties, cards earned and stays are in the order of the hand's seats; top-ups and stacks in that of
    all seats of the round; exchanges and scoops in paying order. Royalties that are neither of the top nor of the
    middle row are those of the bottom row; points that are not for rows, bonuses or fouls are royalties. `irregular` is
    null unless the hand was accepted as played; then it lists why the hand does not follow the hands before it, and is
    empty if it does.
    """

    __tablename__ = "hand_scores"
    __table_args__ = (
        references("hands", "club_id", "round_id", "number", "hand_id", to=("club_id", "round_id", "number", "id")),
        references("settlements", "club_id", "round_id", "revision", "ruleset_name", "ruleset_version"),
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
    royalties_top: Mapped[PointsList]
    royalties_middle: Mapped[PointsList]
    from_rows: Mapped[PointsList]
    from_bonuses: Mapped[PointsList]
    from_fouls: Mapped[PointsList]
    earned: Mapped[SmallList]
    stays: Mapped[SmallList]
    exchanges: Mapped[PointsList]
    scoops: Mapped[SmallList]
    top_ups: Mapped[PointsList]
    stacks_before: Mapped[PointsList]
    stacks: Mapped[PointsList]
    transfers: Mapped[list[Mapping[str, Any]]] = mapped_column(Transfers)
    irregular: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB)


class PayoutRecord(Base):
    """The payout after the last hand under scope `round`, when a departure or closing ended the round."""

    __tablename__ = "payouts"
    __table_args__ = (references("hand_scores", "club_id", "round_id", "revision", "number"),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    revision: Mapped[NumberKey]
    number: Mapped[int]
    stacks_before: Mapped[PointsList]
    stacks: Mapped[PointsList]
    transfers: Mapped[list[Mapping[str, Any]]] = mapped_column(Transfers)


_PLACE: Final = ("club_id", "round_id", "revision", "number", "late", "position")
TRANSFER_FIELDS: Final = ("payer", "payee", "due", "paid", "limited_by", "payer_stack", "payee_stack")
"""The columns of the type `transfer`."""
TRANSFERS: Final = table("transfers", *map(column, (*_PLACE, *TRANSFER_FIELDS)))
"""The view of all transfers, one in each row; those of payouts are `late`."""


def list_columns(record: type[Base], alias: str) -> str:
    """Return the columns of a table for a SELECT by an alias, as SQLAlchemy would select them."""
    return ", ".join(
        f"to_jsonb({alias}.{each.name}) AS {each.name}" if isinstance(each.type, Transfers) else f"{alias}.{each.name}"
        for each in record.__table__.columns
    )
