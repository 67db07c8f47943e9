from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped

from service.db.base import Base, Key, NumberKey, Small, references


class DisputeRecord(Base):
    """
    A dispute of a settlement: the claim, and the hand, seat and row that it is about.

    The claim is its digest. The author is a player, or `author_name` is the digest of the name of their key.
    """

    __tablename__ = "disputes"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "id", name="disputes_round_id_key"),
        references("rounds", "club_id", "table_id", "round_id", to=("club_id", "table_id", "id")),
        references("settlements", "club_id", "round_id", "revision"),
        references("round_seats", "club_id", "round_id", "revision", "seat"),
        references(
            "hand_scores", "club_id", "round_id", "revision", "hand", to=("club_id", "round_id", "revision", "number")
        ),
        Index("disputes_of_table", "club_id", "table_id", "id"),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    round_id: Mapped[UUID]
    table_id: Mapped[UUID]
    revision: Mapped[int]
    hand: Mapped[int | None]
    seat: Mapped[Small | None]
    board_row: Mapped[str | None]
    claim: Mapped[bytes]
    author: Mapped[str | None]
    author_name: Mapped[bytes | None]
    opened_at: Mapped[datetime]


class DisputeEntryRecord(Base):
    """A comment on a dispute or a transition of it; one entry per version. Comment and author are as in the dispute."""

    __tablename__ = "dispute_entries"
    __table_args__ = (
        references("disputes", "club_id", "round_id", "dispute_id", to=("club_id", "round_id", "id")),
        references(
            "corrections",
            "club_id",
            "round_id",
            "correction",
            "dispute_id",
            to=("club_id", "round_id", "revision", "dispute"),
        ),
        Index(
            "dispute_entries_one_end",
            "club_id",
            "dispute_id",
            unique=True,
            postgresql_where=text("kind IN ('upheld', 'rejected', 'withdrawn')"),
        ),
    )

    club_id: Mapped[Key]
    dispute_id: Mapped[Key]
    version: Mapped[NumberKey]
    round_id: Mapped[UUID]
    kind: Mapped[str]
    author: Mapped[str | None]
    author_name: Mapped[bytes | None]
    comment: Mapped[bytes | None]
    correction: Mapped[int | None]
    recorded_at: Mapped[datetime]


class DisputeHeadRecord(Base):
    """The current state of a dispute: the only record of it that changes."""

    __tablename__ = "dispute_heads"
    __table_args__ = (
        references("disputes", "club_id", "dispute_id", to=("club_id", "id")),
        Index("dispute_heads_state", "club_id", "state", "dispute_id"),
    )

    club_id: Mapped[Key]
    dispute_id: Mapped[Key]
    state: Mapped[str]
    version: Mapped[int]
