"""Claims of players that they have paid, which count once they are confirmed."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from evidence.events import PaymentClaimed
from schemas.base import Dumped, Sentence, WireSchema, show
from schemas.fields import Characters, Choice, Inner, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import PlayerField, ReasonField, ReferenceField, UnitDigitsField
from schemas.ledger.ledger_lines import LONGEST_REFERENCE
from schemas.ledger.payments import MOST_WARNINGS, AmountField
from schemas.ledger.units import UnitField
from schemas.money import Unit
from schemas.pages import PageQuerySchema, PageSchema
from schemas.problems import FieldErrorSchema, dump_mistakes
from scoring.errors import Mistake


class ClaimState(StrEnum):
    """Whether a claim of a payment is confirmed."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    """There is a payment."""
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


_STATES: Final = {state.value: state for state in ClaimState}
_PAYER: Final = "The operator's ID of the player who claims to have paid."
_PAYEE: Final = "The operator's ID of the player who is said to be paid. Null for the house."


@dataclass(frozen=True, slots=True)
class PaymentClaimRequest:
    """A payment that its payer claims to have made."""

    payer: str
    payee: str | None
    unit: str
    amount: int
    paid_at: datetime | None = None
    round: UUID | None = None
    reference: str | None = None


class PaymentClaimRequestSchema(WireSchema):
    """A payment that its payer claims to have made, to another player or to the house."""

    payer = PlayerField(required=True, description=_PAYER)
    payee = PlayerField(required=True, allow_none=True, description=_PAYEE)
    unit = UnitField(required=True)
    amount = AmountField()
    paid_at = Time(load_default=None, allow_none=True, description="Time when it was paid. Now if omitted.")
    round = UuidField(load_default=None, allow_none=True, description="ID of the round that was paid, if it was one.")
    reference = ReferenceField(
        load_default=None,
        description="The client's ID of the claim, which identifies it and the payment that confirms it: the same"
        " content under the same reference is recorded once. The `Idempotency-Key` of the request if omitted; one of"
        " the two is required.",
    )

    @validates_schema(skip_on_field_errors=False)
    def _check_players(self, read: dict[str, Any], **_: Any) -> None:
        if {"payer", "payee"} <= read.keys() and read["payer"] == read["payee"]:
            detail = f"is {show(read['payee'])}, as the payer is; expected another player, or null for the house"
            raise ValidationError(Sentence("payee-not-other", detail), "payee")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> PaymentClaimRequest:
        return PaymentClaimRequest(**read)


class PaymentClaimDeclineRequestSchema(WireSchema):
    """Why a claim is declined."""

    reason = ReasonField(required=True, description="Why, in one line. It can be erased with either player.")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> str:
        reason: str = read["reason"]
        return reason


class PaymentClaimQuerySchema(PageQuerySchema):
    """Filters of a list of claims."""

    state = Choice(_STATES, description="List only claims in this state.")
    player = PlayerField(description="List only claims by this player or to this player.")


class PaymentClaimSchema(WireSchema):
    """A claim of a player to have paid. It is no payment, and in no balance, until it is confirmed."""

    id = UuidField(required=True, description="ID of the claim, which is that of its event.")
    claimed_at = Time(required=True, description="Time when it was claimed.")
    payer = PlayerField(required=True, description=_PAYER)
    payee = PlayerField(required=True, allow_none=True, description=_PAYEE)
    unit = UnitField(required=True)
    unit_digits = UnitDigitsField(required=True, allow_none=False)
    amount = AmountField()
    paid_at = Time(required=True, description="Time when it was paid.")
    table = UuidField(
        required=True,
        allow_none=True,
        description="ID of the table of the round, or of the points, or of the link that recorded the claim. Null if"
        " there is none of these.",
    )
    round = UuidField(
        required=True, allow_none=True, description="ID of the round that was paid. Null if none is named."
    )
    reference = Text(
        longest=LONGEST_REFERENCE,
        characters=Characters.ID,
        required=True,
        description="What identifies it: the reference, or the `Idempotency-Key` of the request.",
    )
    state = Choice(_STATES, required=True, description="Whether it is confirmed.")
    ended_at = Time(required=True, allow_none=True, description="Time when it ended. Null if it is pending.")
    payment = UuidField(
        required=True, allow_none=True, description="ID of the payment. Null if the claim is not confirmed."
    )
    reason = Text(
        required=True, allow_none=True, description="Why it was declined. Null otherwise, and after it was erased."
    )
    warnings = Listing(
        Inner(FieldErrorSchema),
        most=MOST_WARNINGS,
        description="What may be a mistake, in the response to the claim only: the same is claimed already"
        " (`payment-claimed`) or recorded as a payment (`equal-payment`), or it is more than the payer owes in the"
        " unit (`more-than-owed`). Omitted if there is nothing to warn of.",
    )


class PaymentClaimPageSchema(PageSchema):
    """One page of claims, newest first."""

    claims = Listing(
        Inner(PaymentClaimSchema), most=100, required=True, description="The claims of this page, newest first."
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    How a claim ended.

    Attributes:
        event_id: the ID of its event: of a confirmed claim, that of the payment.
        reason: why it was declined; None otherwise, and after it was erased.
    """

    state: ClaimState
    event_id: UUID
    at: datetime
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PaymentClaim:
    """
    A claim of a player to have paid.

    Attributes:
        event: what is claimed.
        outcome: how it ended; None while it is pending.
        table_name: the name of its table, in lists.
    """

    id: UUID
    claimed_at: datetime
    event: PaymentClaimed
    outcome: Outcome | None = None
    table_name: str | None = None

    @property
    def state(self) -> ClaimState:
        """Whether it is confirmed."""
        return ClaimState.PENDING if self.outcome is None else self.outcome.state

    @property
    def unit(self) -> Unit:
        """The unit of its amount."""
        return Unit(self.event.unit, self.event.unit_digits)


def dump_payment_claim(claim: PaymentClaim, warnings: tuple[Mistake, ...] = ()) -> Dumped:
    """Encode a claim, with what may be a mistake in it."""
    event, outcome = claim.event, claim.outcome
    return {
        "id": str(claim.id),
        "claimed_at": show_time(claim.claimed_at),
        "payer": event.payer,
        "payee": event.payee,
        "unit": event.unit,
        "unit_digits": event.unit_digits,
        "amount": event.amount,
        "paid_at": show_time(event.paid_at),
        "table": None if event.table is None else str(event.table),
        "round": None if event.round is None else str(event.round),
        "reference": event.reference,
        "state": claim.state.value,
        "ended_at": None if outcome is None else show_time(outcome.at),
        "payment": str(outcome.event_id) if outcome and outcome.state is ClaimState.CONFIRMED else None,
        "reason": None if outcome is None else outcome.reason,
        **({"warnings": dump_mistakes(warnings)} if warnings else {}),
    }
