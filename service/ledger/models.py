from datetime import datetime
from uuid import UUID

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from service.db.base import Base, Big, Key, Small, references


class PaymentClaimRecord(Base):
    """A claim of a player to have paid. Its ID is that of its event."""

    __tablename__ = "payment_claims"
    __table_args__ = (
        UniqueConstraint("club_id", "reference", name="payment_claims_reference_key"),
        references("events", "club_id", "id"),
        references("tables", "club_id", "table_id", to=("club_id", "id")),
        references("rounds", "club_id", "table_id", "round_id", to=("club_id", "table_id", "id")),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    claimed_at: Mapped[datetime]
    payer: Mapped[str]
    payee: Mapped[str | None]
    unit: Mapped[str]
    unit_digits: Mapped[Small]
    amount: Mapped[Big]
    paid_at: Mapped[datetime]
    table_id: Mapped[UUID | None]
    round_id: Mapped[UUID | None]
    reference: Mapped[str]


class PaymentClaimOutcomeRecord(Base):
    """How a claim ended. Its ID is that of its event: of a confirmed claim, the payment."""

    __tablename__ = "payment_claim_outcomes"
    __table_args__ = (
        UniqueConstraint("club_id", "id", name="payment_claim_outcomes_id_key"),
        references("payment_claims", "club_id", "claim_id", to=("club_id", "id")),
        references("events", "club_id", "id"),
    )

    club_id: Mapped[Key]
    claim_id: Mapped[Key]
    id: Mapped[UUID]
    outcome: Mapped[str]
    ended_at: Mapped[datetime]
