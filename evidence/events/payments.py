"""What happens to payments and to charges of the house. They belong to no round's chain of events."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from evidence.events.payload import EventKind, EventPayload


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRecorded(EventPayload):
    """
    One player paid another, or the house. The ID of the event is that of the payment.

    Attributes:
        payer, payee: who paid, and who was paid; None for the house.
        unit: the code of the currency, or the ID of the table whose points were paid.
        amount: minor units of the currency, or points.
        paid_at: when it was paid; the time of the event if that is not known.
        table: the table, if its points were paid.
        reference: identifies the payment for the client.
        note: the digest of the note, as `digest_text` returns it; None without one.
    """

    kind = EventKind.PAYMENT_RECORDED

    payer: str | None
    payee: str | None
    unit: str
    amount: int
    paid_at: datetime
    table: UUID | None
    reference: str
    note: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentReversed(EventPayload):
    """
    A payment was taken back. The ID of the event is that of the reversal.

    Attributes:
        payment: the ID of the payment.
        reason: the digest of the reason, as `digest_text` returns it.
    """

    kind = EventKind.PAYMENT_REVERSED

    payment: UUID
    reason: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargeRecorded(EventPayload):
    """
    A player owes the house an amount. The ID of the event is that of the charge.

    Attributes:
        unit: the code of the currency, or the ID of the table whose points are owed.
        amount: minor units of the currency, or points.
        table: the table of the round, or else that of the points.
        round: the round that the charge is for.
        reference: identifies the charge for the client.
        reason: the digest of the reason, as `digest_text` returns it.
    """

    kind = EventKind.CHARGE_RECORDED

    player: str
    unit: str
    amount: int
    table: UUID | None
    round: UUID | None
    reference: str
    reason: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargeReversed(EventPayload):
    """
    A charge was taken back. The ID of the event is that of the reversal.

    Attributes:
        charge: the ID of the charge.
        reason: the digest of the reason, as `digest_text` returns it.
    """

    kind = EventKind.CHARGE_REVERSED

    charge: UUID
    reason: bytes
