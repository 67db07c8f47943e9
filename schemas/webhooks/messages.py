"""The bodies of messages to webhooks, one schema for each kind."""

import re
from collections.abc import Mapping
from typing import Any, Final

from schemas.base import WireSchema
from schemas.disputes import DisputeState
from schemas.fields import MOST_INTEGER, Characters, Choice, Inner, Integer, Text, Time, UuidField
from schemas.game_fields import MOST_HANDS, ReferenceField
from schemas.ledger.ledger_lines import LONGEST_REFERENCE
from schemas.pages import MOST_REVISION
from schemas.settlements import IN_FORCE
from schemas.webhooks.endpoints import WebhookKind
from scoring.round_state import RoundStatus

_STATUSES: Final = {status.value: status for status in RoundStatus}
_DECISIONS: Final = {state.value: state for state in (DisputeState.UPHELD, DisputeState.REJECTED)}
_ENDS: Final = {state: state for state in ("cancelled", "failed", "succeeded")}


class HandNumberField(Integer):
    """The number of a hand in its round."""

    default_description = "Number of the hand in its round."

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_HANDS, required=True, **options)


class _RevisionField(Integer):
    default_description = "Number of the revision of the settlement."

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_REVISION, required=True, **options)


class AboutRoundSchema(WireSchema):
    """What every message about a round contains."""

    round_id = UuidField(required=True, description="ID of the round.")
    table_id = UuidField(required=True, description="ID of the table.")
    reference = ReferenceField(required=True)


class HandRecordedDataSchema(AboutRoundSchema):
    """A hand that was recorded."""

    hand_id = UuidField(required=True, description="ID of the hand.")
    number = HandNumberField()


class HandWithdrawnDataSchema(AboutRoundSchema):
    """A hand that was undone."""

    hand_id = UuidField(required=True, description="ID of the hand.")
    number = HandNumberField()
    revision = _RevisionField(description="Number of the revision without the hand.")


class RoundSettlementDataSchema(AboutRoundSchema):
    """A round that ended, or whose settlement was revised or became final."""

    revision = _RevisionField()
    status = Choice(_STATUSES, required=True, description="Whether hands can still be played in the round.")
    state = Choice(IN_FORCE, required=True, description="State of the settlement after the change.")


class DisputeOpenedDataSchema(AboutRoundSchema):
    """A dispute that was opened."""

    dispute_id = UuidField(required=True, description="ID of the dispute.")
    revision = _RevisionField(description="Number of the disputed revision.")
    number = HandNumberField(
        allow_none=True, description="Number of the disputed hand. Null if the dispute is about the whole round."
    )


class DisputeResolvedDataSchema(AboutRoundSchema):
    """A dispute that was upheld or rejected."""

    dispute_id = UuidField(required=True, description="ID of the dispute.")
    state = Choice(_DECISIONS, required=True, description="How the dispute was decided.")
    correction = _RevisionField(
        allow_none=True, description="Number of the revision that corrects what was disputed. Null if there is none."
    )


class DisputeWithdrawnDataSchema(AboutRoundSchema):
    """A dispute that was withdrawn."""

    dispute_id = UuidField(required=True, description="ID of the dispute.")


class _PostedDataSchema(WireSchema):
    reference = Text(
        longest=LONGEST_REFERENCE,
        characters=Characters.ID,
        required=True,
        description="What identifies the payment or charge: its reference, or the `Idempotency-Key` of the request.",
    )


class PaymentRecordedDataSchema(_PostedDataSchema):
    """A payment that was recorded."""

    payment_id = UuidField(required=True, description="ID of the payment, an entry of the journal.")


class PaymentReversedDataSchema(PaymentRecordedDataSchema):
    """A payment that was taken back."""

    reversal_id = UuidField(required=True, description="ID of the reversal, an entry of the journal.")


class PaymentClaimDataSchema(_PostedDataSchema):
    """A payment that a player claims to have made."""

    payment_claim_id = UuidField(required=True, description="ID of the claim.")


class ChargeRecordedDataSchema(_PostedDataSchema):
    """A charge that was recorded."""

    charge_id = UuidField(required=True, description="ID of the charge, an entry of the journal.")


class ChargeReversedDataSchema(ChargeRecordedDataSchema):
    """A charge that was taken back."""

    reversal_id = UuidField(required=True, description="ID of the reversal, an entry of the journal.")


class ImportEndedDataSchema(WireSchema):
    """An import that ended. No messages are sent about the rounds that it stored."""

    import_id = UuidField(required=True, description="ID of the import.")
    state = Choice(_ENDS, required=True, description="How the import ended.")
    lines = Integer(
        least=0,
        most=MOST_INTEGER,
        required=True,
        allow_none=True,
        description="Number of lines received, without blank ones. Null if they were not counted.",
    )


class WebhookTestDataSchema(WireSchema):
    """A message that `test_webhook` sends."""

    webhook_id = UuidField(required=True, description="ID of the webhook.")


_DATA: Final[Mapping[WebhookKind, tuple[type[WireSchema], str]]] = {
    WebhookKind.HAND_RECORDED: (HandRecordedDataSchema, "A hand was recorded."),
    WebhookKind.HAND_WITHDRAWN: (HandWithdrawnDataSchema, "The last hand of a round was undone."),
    WebhookKind.ROUND_COMPLETED: (RoundSettlementDataSchema, "A round is complete, or was closed."),
    WebhookKind.SETTLEMENT_FINALIZED: (RoundSettlementDataSchema, "The settlement of a round became final."),
    WebhookKind.ROUND_CORRECTED: (
        RoundSettlementDataSchema,
        "A round that had ended has another revision: it was corrected or recomputed, or its last hand was undone.",
    ),
    WebhookKind.DISPUTE_OPENED: (DisputeOpenedDataSchema, "A dispute was opened."),
    WebhookKind.DISPUTE_RESOLVED: (DisputeResolvedDataSchema, "A dispute was upheld or rejected."),
    WebhookKind.DISPUTE_WITHDRAWN: (DisputeWithdrawnDataSchema, "A dispute was withdrawn."),
    WebhookKind.PAYMENT_RECORDED: (PaymentRecordedDataSchema, "A payment was recorded."),
    WebhookKind.PAYMENT_REVERSED: (PaymentReversedDataSchema, "A payment was taken back."),
    WebhookKind.PAYMENT_CLAIMED: (PaymentClaimDataSchema, "A player claims to have paid."),
    WebhookKind.PAYMENT_CLAIM_DECLINED: (PaymentClaimDataSchema, "A payment that a player claims was declined."),
    WebhookKind.PAYMENT_CLAIM_WITHDRAWN: (PaymentClaimDataSchema, "A player has withdrawn the claim of a payment."),
    WebhookKind.CHARGE_RECORDED: (ChargeRecordedDataSchema, "A charge of the house was recorded."),
    WebhookKind.CHARGE_REVERSED: (ChargeReversedDataSchema, "A charge of the house was taken back."),
    WebhookKind.IMPORT_ENDED: (ImportEndedDataSchema, "An import succeeded, failed or was cancelled."),
    WebhookKind.TEST: (WebhookTestDataSchema, "A test message was requested."),
}


class _MessageSchema(WireSchema):
    """A message: its kind, its time, and what it is about."""

    timestamp = Time(required=True, description="Time of the change.")


def _message(kind: WebhookKind, about: type[WireSchema], described: str) -> type[WireSchema]:
    """Return the schema of a kind of message, for example `HandRecordedMessage` of `hand.recorded`."""
    name = "".join(part.title() for part in re.split("[.-]", kind.value))
    fields = {
        "type": Choice({kind.value: kind}, required=True, description="Kind of the message."),
        "data": Inner(about, required=True, description="What the message is about."),
    }
    return type(f"{name}MessageSchema", (_MessageSchema,), {"__doc__": described, "__module__": __name__, **fields})


MESSAGES: Final[Mapping[str, type[WireSchema]]] = {
    kind.value: _message(kind, about, described) for kind, (about, described) in _DATA.items()
}
"""The schema of each kind of message."""
