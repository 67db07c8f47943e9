"""The entries and notes that payments, charges and their reversals must have, from their events."""

from datetime import datetime
from typing import Any
from uuid import UUID

from evidence.events import (
    ChargeRecorded,
    ChargeReversed,
    PaymentRecorded,
    PaymentReversed,
)
from service.ledger.queries.payments import entry_of, reversal_of
from service.replays.comparing import Key
from service.texts.models import TextField
from service.verification.expected_texts import expect_text

Payment = PaymentRecorded | PaymentReversed | ChargeRecorded | ChargeReversed
Records = dict[str, dict[Key, dict[str, Any]]]


def add_payment(records: Records, event: Payment, event_id: UUID, at: datetime) -> None:
    """
    Add the records of an event, whose ID is that of its entry.

    Raises:
        KeyError: it takes back what no earlier event recorded.
    """
    match event:
        case PaymentRecorded():
            entry, note = entry_of(event, at), event.note
        case ChargeRecorded():
            entry, note = entry_of(event, at), event.reason
        case PaymentReversed():
            entry, note = _reverse(records, event.payment), event.reason
        case ChargeReversed():
            entry, note = _reverse(records, event.charge), event.reason
    records["entries"][(event_id,)] = {"posted_at": at, **entry}
    if note is not None:
        records["texts"][(note,)] = dict(expect_text(TextField.NOTE, note, event_id))


def _reverse(records: Records, recorded: UUID) -> dict[str, Any]:
    entry = records["entries"][(recorded,)]
    return reversal_of(recorded, {name: value for name, value in entry.items() if name != "posted_at"})
