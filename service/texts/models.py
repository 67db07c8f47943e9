"""The texts of people, each under the digest that events and records have of it."""

from enum import StrEnum
from uuid import UUID

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key


class TextField(StrEnum):
    """What a text is."""

    NOTE = "note"
    """The note of a payment, or the reason of a charge, of a reversal, or for which a claim was declined."""
    REASON = "reason"
    """The reason of a revision, a departure or a closing."""
    CLAIM = "claim"
    COMMENT = "comment"
    """A comment on a dispute, or the reason of its end."""
    AUTHOR = "author"
    """The name of the key that disputes, comments or decides."""
    METADATA = "metadata"
    SUBMISSION = "submission"
    """A request body that has such a text."""


class TextRecord(Base):
    """
    A text with the salt of its digest. It can be erased: with its record, its round or its player.

    The metadata of a player have no `record_id`.
    """

    __tablename__ = "texts"
    __table_args__ = (
        Index("texts_of_record", "club_id", "record_id", postgresql_where=text("record_id IS NOT NULL")),
        Index("texts_of_round", "club_id", "round_id", postgresql_where=text("round_id IS NOT NULL")),
        Index("texts_of_player", "club_id", "player", postgresql_where=text("player IS NOT NULL")),
        Index(
            "texts_metadata_of_record",
            "club_id",
            "record_id",
            unique=True,
            postgresql_where=text("field = 'metadata' AND record_id IS NOT NULL"),
        ),
        Index(
            "texts_metadata_of_player",
            "club_id",
            "player",
            unique=True,
            postgresql_where=text("field = 'metadata' AND record_id IS NULL"),
        ),
    )

    club_id: Mapped[Key]
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    field: Mapped[str]
    content: Mapped[str]
    salt: Mapped[bytes]
    record_id: Mapped[UUID | None]
    round_id: Mapped[UUID | None]
    player: Mapped[str | None]
