from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Big, Key, Small, references


class TableRecord(Base):
    """A table, with what its next round is opened with. Rounds have their own copy."""

    __tablename__ = "tables"
    __table_args__ = (
        Index("tables_name_key", "club_id", "name", unique=True, postgresql_where=text("archived_at IS NULL")),
        Index("tables_archived_name", "club_id", "name", "id", postgresql_where=text("archived_at IS NOT NULL")),
        Index(
            "tables_reference_key", "club_id", "reference", unique=True, postgresql_where=text("reference IS NOT NULL")
        ),
        references("rulesets", "club_id", "ruleset_name", "ruleset_version", to=("club_id", "name", "version")),
    )

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[Key]
    name: Mapped[str]
    ruleset_name: Mapped[str]
    ruleset_version: Mapped[int]
    point_value: Mapped[Big | None]
    unit: Mapped[str | None]
    unit_digits: Mapped[Small | None]
    charge_per: Mapped[str | None]
    charge_amount: Mapped[Big | None]
    minimum_stack: Mapped[Big | None]
    correction_window_minutes: Mapped[int]
    created_at: Mapped[datetime]
    archived_at: Mapped[datetime | None]
    reference: Mapped[str | None]


class ScorekeeperRecord(Base):
    """A device on which a hand is being entered. It is no evidence, and a crash of the database deletes it."""

    __tablename__ = "scorekeepers"
    __table_args__ = (references("tables", "club_id", "table_id", to=("club_id", "id")), {"prefixes": ["UNLOGGED"]})

    club_id: Mapped[Key]
    table_id: Mapped[UUID] = mapped_column(primary_key=True)
    key_id: Mapped[UUID] = mapped_column(primary_key=True)
    """The key or the link that has written the entry."""
    device_id: Mapped[UUID] = mapped_column(primary_key=True)
    label: Mapped[str]
    hand: Mapped[Small]
    shown_since: Mapped[datetime]
    expires_at: Mapped[datetime]
