from datetime import datetime
from uuid import UUID

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from service.db.base import Base, Big, Key, Small, references


class EntryNoteRecord(Base):
    """The note of a payment, or the reason of a charge or reversal. They are stored only here, and can be erased."""

    __tablename__ = "entry_notes"
    __table_args__ = (references("entries", "club_id", "entry_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    entry_id: Mapped[Key]
    note: Mapped[str]
    salt: Mapped[bytes]


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


class PaymentClaimReasonRecord(Base):
    """Why a claim was declined, by the ID of its event. Reasons are stored only here, and can be erased."""

    __tablename__ = "payment_claim_reasons"
    __table_args__ = (references("payment_claim_outcomes", "club_id", "event_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    event_id: Mapped[Key]
    reason: Mapped[str]
    salt: Mapped[bytes]
