"""What happens to payments and to charges of the house. They belong to no round's chain of events."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from evidence.codec import OMITTED
from evidence.events.payload import EventKind, EventPayload


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRecorded(EventPayload):
    """
    One player paid another, or the house. The ID of the event is that of the payment.

    Attributes:
        payer, payee: who paid, and who was paid; None for the house.
        unit: a currency or a unit of the club, by its code, or the ID of the table whose points were paid.
        unit_digits: the number of digits after the decimal point of amounts in the unit.
        amount: in minor units.
        paid_at: when it was paid; the time of the event if that is not known.
        table: the table of the round, or else of the points, or else of the link that recorded the payment.
        reference: identifies the payment for the client.
        note: the digest of the note, as `digest_text` returns it; None without one.
        round: the round that was paid.
        claim: the claim of the payer that it confirms.
    """

    kind = EventKind.PAYMENT_RECORDED

    payer: str | None
    payee: str | None
    unit: str
    unit_digits: int
    amount: int
    paid_at: datetime
    table: UUID | None
    reference: str
    note: bytes | None
    round: UUID | None = field(default=None, metadata=OMITTED)
    claim: UUID | None = field(default=None, metadata=OMITTED)


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
class PaymentClaimed(EventPayload):
    """
    A player claims to have paid, which is no payment yet. The ID of the event is that of the claim.

    Attributes:
        payer, payee: who claims to have paid, and who is said to be paid; None for the house.
        unit: a currency or a unit of the club, by its code, or the ID of the table whose points were paid.
        unit_digits: the number of digits after the decimal point of amounts in the unit.
        amount: in minor units.
        paid_at: when it was paid; the time of the event if that is not known.
        table: the table of the round, or else of the points, or else of the link that recorded the claim.
        reference: identifies the claim for the client, and then the payment that confirms it.
        round: the round that was paid.
    """

    kind = EventKind.PAYMENT_CLAIMED

    payer: str
    payee: str | None
    unit: str
    unit_digits: int
    amount: int
    paid_at: datetime
    table: UUID | None
    reference: str
    round: UUID | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentClaimDeclined(EventPayload):
    """
    The payee or the club did not confirm a claim.

    Attributes:
        claim: the ID of the claim.
        reason: the digest of the reason, as `digest_text` returns it.
    """

    kind = EventKind.PAYMENT_CLAIM_DECLINED

    claim: UUID
    reason: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentClaimWithdrawn(EventPayload):
    """
    A claim was withdrawn.

    Attributes:
        claim: the ID of the claim.
    """

    kind = EventKind.PAYMENT_CLAIM_WITHDRAWN

    claim: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargeRecorded(EventPayload):
    """
    A player owes the house an amount. The ID of the event is that of the charge.

    Attributes:
        unit: a currency or a unit of the club, by its code, or the ID of the table whose points are owed.
        unit_digits: the number of digits after the decimal point of amounts in the unit.
        amount: in minor units.
        table: the table of the round, or else that of the points.
        round: the round that the charge is for.
        reference: identifies the charge for the client.
        reason: the digest of the reason, as `digest_text` returns it.
    """

    kind = EventKind.CHARGE_RECORDED

    player: str
    unit: str
    unit_digits: int
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
