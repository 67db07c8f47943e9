"""The records that payments, charges, their reversals and claims must have, from their events."""

from datetime import datetime
from typing import Any
from uuid import UUID

from evidence.events import (
    ChargeRecorded,
    ChargeReversed,
    PaymentClaimDeclined,
    PaymentClaimed,
    PaymentClaimWithdrawn,
    PaymentRecorded,
    PaymentReversed,
)
from schemas.ledger.claims import ClaimState
from service.ledger.queries.claims import claim_row, outcome_row
from service.ledger.queries.payments import entry_of, reversal_of
from service.replays.comparing import Key
from service.texts.models import TextField
from service.verification.expected_texts import expect_text

Payment = PaymentRecorded | PaymentReversed | ChargeRecorded | ChargeReversed
Claim = PaymentClaimed | PaymentClaimDeclined | PaymentClaimWithdrawn
Records = dict[str, dict[Key, dict[str, Any]]]


def add_payment(records: Records, event: Payment, event_id: UUID, at: datetime) -> None:
    """
    Add the records of an event, whose ID is that of its entry.

    Raises:
        KeyError: it takes back what no earlier event recorded, or confirms what no earlier event claimed.
    """
    match event:
        case PaymentRecorded():
            entry, note = entry_of(event, at), event.note
            if event.claim is not None:
                _end(records, event.claim, ClaimState.CONFIRMED, event_id, at)
        case ChargeRecorded():
            entry, note = entry_of(event, at), event.reason
        case PaymentReversed():
            entry, note = _reverse(records, event.payment), event.reason
        case ChargeReversed():
            entry, note = _reverse(records, event.charge), event.reason
    records["entries"][(event_id,)] = {"posted_at": at, **entry}
    if note is not None:
        records["texts"][(note,)] = dict(expect_text(TextField.NOTE, note, event_id))


def add_claim(records: Records, event: Claim, event_id: UUID, at: datetime) -> None:
    """
    Add the records of an event of a claim, whose ID is that of a claim or of its outcome.

    Raises:
        KeyError: it ends what no earlier event claimed.
    """
    match event:
        case PaymentClaimed():
            records["payment_claims"][(event_id,)] = claim_row(event, at)
        case PaymentClaimDeclined():
            _end(records, event.claim, ClaimState.DECLINED, event_id, at)
            records["texts"][(event.reason,)] = dict(expect_text(TextField.NOTE, event.reason, event.claim))
        case PaymentClaimWithdrawn():
            _end(records, event.claim, ClaimState.WITHDRAWN, event_id, at)


def _end(records: Records, claim: UUID, state: ClaimState, event_id: UUID, at: datetime) -> None:
    if (claim,) not in records["payment_claims"]:
        raise KeyError(claim)
    records["payment_claim_outcomes"][(claim,)] = outcome_row(state, event_id, at)


def _reverse(records: Records, recorded: UUID) -> dict[str, Any]:
    entry = records["entries"][(recorded,)]
    return reversal_of(recorded, {name: value for name, value in entry.items() if name != "posted_at"})
