"""The entries and notes that payments, charges and their reversals must have, from their events."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from evidence.events import (
    ChargeRecorded,
    ChargeReversed,
    PaymentRecorded,
    PaymentReversed,
    PlayerErased,
    digest_note,
)
from service.ledger.queries.payments import entry_of, reversal_of
from service.replays.comparing import Key, Row

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
        records["entry_notes"][(event_id,)] = {"note": _of_note("note", note), "salt": _of_note("salt", note)}


def erase_notes(records: Records, event: PlayerErased) -> None:
    """
    Remove the notes that were erased.

    Raises:
        KeyError: no earlier event has one of them.
    """
    for entry_id in event.notes:
        del records["entry_notes"][(entry_id,)]


def _reverse(records: Records, recorded: UUID) -> dict[str, Any]:
    entry = records["entries"][(recorded,)]
    return reversal_of(recorded, {name: value for name, value in entry.items() if name != "posted_at"})


def _of_note(column: str, digest: bytes) -> Callable[[Row], Any]:
    """Return what a column of a note must be: the stored value, if note and salt have the digest of the event."""

    def right(row: Row) -> Any:
        is_right = digest_note(row["note"] or "", bytes(row["salt"] or b"")) == digest
        return row[column] if is_right else f"one of the HMAC-SHA-256 {digest.hex()}"

    return right
