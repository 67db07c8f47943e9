from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped

from service.db.base import Base, Key, references


class ProposalRecord(Base):
    """A proposed change of a final settlement, as it was requested."""

    __tablename__ = "proposals"
    __table_args__ = (
        UniqueConstraint("club_id", "id", "proposed_by", name="proposals_proposed_by_key"),
        references("events", "club_id", "id"),
        references("api_keys", "club_id", "proposed_by", to=("club_id", "id")),
        references("rounds", "club_id", "table_id", "round_id", to=("club_id", "table_id", "id")),
        references("settlements", "club_id", "round_id", "revision"),
        references("disputes", "club_id", "round_id", "dispute", to=("club_id", "round_id", "id")),
        references("jobs", "club_id", "audit_id", to=("club_id", "id")),
        Index("proposals_of_round", "club_id", "round_id", "id", postgresql_where=text("round_id IS NOT NULL")),
        Index("proposals_of_audit", "club_id", "audit_id", "id", postgresql_where=text("audit_id IS NOT NULL")),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    kind: Mapped[str]
    proposed_by: Mapped[UUID]
    proposed_at: Mapped[datetime]
    digest: Mapped[bytes]
    request_digest: Mapped[bytes]
    received: Mapped[bytes]
    round_id: Mapped[UUID | None]
    table_id: Mapped[UUID | None]
    revision: Mapped[int | None]
    dispute: Mapped[UUID | None]
    upholds: Mapped[bool]
    audit_id: Mapped[UUID | None]


class ProposalEndRecord(Base):
    """How a proposal ended: what it changed when another key confirmed it, or why it was withdrawn."""

    __tablename__ = "proposal_ends"
    __table_args__ = (
        references("proposals", "club_id", "proposal_id", "proposed_by", to=("club_id", "id", "proposed_by")),
        references("api_keys", "club_id", "ended_by", to=("club_id", "id")),
        references("corrections", "club_id", "round_id", "revision"),
        references("jobs", "club_id", "recomputation_id", to=("club_id", "id")),
    )

    club_id: Mapped[Key]
    proposal_id: Mapped[Key]
    proposed_by: Mapped[UUID]
    state: Mapped[str]
    ended_by: Mapped[UUID]
    ended_at: Mapped[datetime]
    reason: Mapped[bytes | None]
    round_id: Mapped[UUID | None]
    revision: Mapped[int | None]
    recomputation_id: Mapped[UUID | None]
