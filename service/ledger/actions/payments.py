"""Record payments and charges of the house, and take them back."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from evidence.events import ChargeRecorded, ChargeReversed, PaymentRecorded, PaymentReversed
from evidence.texts import SaltedText
from schemas.base import ComparedMistake, show
from schemas.ledger.journal import EntryKind
from schemas.ledger.payments import ChargeRequest, PaymentRequest, Recorded, Reversal, dump_recorded
from schemas.ledger.units import table_of
from schemas.money import Unit
from scoring.errors import Mistake
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import PaymentConflict
from service.ledger.actions.checks import (
    find_amount_unit,
    find_equal_claim,
    find_equal_payment,
    find_other_table,
    find_other_unit,
    find_same_player,
    find_too_much,
    find_unknown_players,
    find_unknown_round,
    find_unknown_unit,
    lock_reference,
    name_record,
    refuse_mistakes,
)
from service.ledger.queries import payments
from service.ledger.queries.payments import ListedRecord, StoredRecord
from service.players.queries.aliases import read_aliases
from service.rounds.actions.checks import find_time_mistakes

_COMPARED: Final = ("payer", "payee", "player", "unit", "amount", "paid_at", "round")
"""The fields that make a payment or charge another one, besides its note or reason."""


@dataclass(frozen=True, slots=True)
class RecordedPayment:
    """
    A payment or charge, recorded now or when it was first sent.

    Attributes:
        recorded: what is recorded.
        is_replay: whether it was recorded before.
        warnings: what may be a mistake in it.
    """

    recorded: Recorded
    is_replay: bool
    warnings: tuple[Mistake, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedReversal:
    """A reversal, and whether it was recorded before."""

    reversal: Reversal
    is_replay: bool


def record_payment(transaction: Transaction, request: PaymentRequest, key: str | None) -> RecordedPayment:
    """
    Record a payment. The same content under the same reference is the payment that was recorded first.

    A payment of more than is owed is recorded too: the payer is owed the rest then.

    Args:
        transaction: of the club.
        request: the payment.
        key: identifies the payment, if the request has no reference.

    Raises:
        WireError: it has no reference and no key, or names an unknown player, an unknown unit or an impossible time.
        PaymentConflict: another payment or a charge has this reference.
    """
    reference = lock_reference(transaction, request.reference, key)
    unit = find_amount_unit(transaction, request.unit)
    note = None if request.note is None else SaltedText.of(request.note)
    round_ = None if request.round is None else payments.find_round(transaction, request.round)
    event = PaymentRecorded(
        payer=request.payer,
        payee=request.payee,
        unit=request.unit,
        unit_digits=unit.digits if unit else 0,  # an unknown unit is refused below
        amount=request.amount,
        paid_at=request.paid_at or transaction.now,
        # Payments of money belong to a table only if it is known: by the round, or by the link that records them.
        table=round_.table_id if round_ else table_of(request.unit) or transaction.table_id,
        round=request.round,
        reference=reference,
        note=None if note is None else note.digest,
    )
    stored = payments.find_by_reference(transaction, reference)
    if stored is not None:
        _refuse_differences(stored, event, request.paid_at, request.note)
        return replay_payment(transaction, stored)
    payments.refuse_used_reference(transaction, reference)
    aliases = read_aliases(transaction)
    refuse_mistakes(
        *find_unknown_players(transaction, aliases, {"payer": request.payer, "payee": request.payee}),
        *find_same_player(aliases, request.payer, request.payee),
        *find_unknown_unit(transaction, request.unit, unit),
        *find_unknown_round(request.round, round_),
        *find_other_unit(request.unit, round_),
        *find_time_mistakes(transaction.now, [(("paid_at",), request.paid_at)]),
    )
    warnings = (
        *find_equal_payment(transaction, event, request.paid_at),
        *find_equal_claim(transaction, event),
        *find_too_much(transaction, event),
    )
    return RecordedPayment(payments.record(transaction, event, note), is_replay=False, warnings=warnings)


def record_charge(transaction: Transaction, request: ChargeRequest, key: str | None) -> RecordedPayment:
    """
    Record that a player owes the house an amount, as `record_payment` does a payment.

    Raises:
        WireError: it has no reference and no key, or names an unknown player, unit or round.
        PaymentConflict: another charge or a payment has this reference.
    """
    reference = lock_reference(transaction, request.reference, key)
    unit = find_amount_unit(transaction, request.unit)
    reason = SaltedText.of(request.reason)
    round_ = None if request.round is None else payments.find_round(transaction, request.round)
    event = ChargeRecorded(
        player=request.player,
        unit=request.unit,
        unit_digits=unit.digits if unit else 0,  # an unknown unit is refused below
        amount=request.amount,
        table=round_.table_id if round_ else table_of(request.unit),
        round=request.round,
        reference=reference,
        reason=reason.digest,
    )
    stored = payments.find_by_reference(transaction, reference)
    if stored is not None:
        _refuse_differences(stored, event, None, request.reason)
        return replay_payment(transaction, stored)
    payments.refuse_used_reference(transaction, reference)
    refuse_mistakes(
        *find_unknown_players(transaction, read_aliases(transaction), {"player": request.player}),
        *find_unknown_unit(transaction, request.unit, unit),
        *find_unknown_round(request.round, round_),
        *find_other_table(request.unit, None if round_ is None else round_.table_id),
    )
    warnings = tuple(find_equal_payment(transaction, event, None))
    return RecordedPayment(payments.record(transaction, event, reason), is_replay=False, warnings=warnings)


def reverse_payment(transaction: Transaction, payment_id: UUID, reason: str) -> RecordedReversal:
    """
    Take back a payment. A second reversal for the same reason is the first one.

    Raises:
        NotFound: the club has no payment with this ID.
        PaymentConflict: it was reversed for another reason.
    """
    return _reverse(transaction, payment_id, EntryKind.PAYMENT, reason)


def reverse_charge(transaction: Transaction, charge_id: UUID, reason: str) -> RecordedReversal:
    """
    Take back a charge, as `reverse_payment` does a payment.

    Raises:
        NotFound: the club has no charge with this ID.
        PaymentConflict: it was reversed for another reason.
    """
    return _reverse(transaction, charge_id, EntryKind.CHARGE, reason)


def list_payments(
    transaction: Transaction,
    *,
    player: str | None,
    unit: str | None,
    after: UUID | None,
    limit: int,
    oldest_first: bool = False,
) -> Page[ListedRecord]:
    """List payments and charges, of a player and in a unit or all, newest first, or the oldest first."""
    listed = payments.list_page(
        transaction, player=player, unit=unit, after=after, limit=limit + 1, oldest_first=oldest_first
    )
    return cut_page(listed, limit, lambda each: each)


def count_payments(transaction: Transaction, *, player: str | None, unit: str | None, limit: int) -> int:
    """Count payments and charges, of a player and in a unit or all, up to a limit."""
    return payments.count(transaction, player=player, unit=unit, limit=limit)


def find_payment(transaction: Transaction, reference: str) -> ListedRecord | None:
    """Find the payment or charge with a reference."""
    stored = payments.find_by_reference(transaction, reference)
    return None if stored is None else ListedRecord(stored.recorded, stored.note, None, None)


def sum_payments(
    transaction: Transaction, *, player: str | None, unit: str | None
) -> list[tuple[EntryKind, int, Unit]]:
    """Sum up payments and charges that were not taken back, of a player and in a unit or all, by kind and unit."""
    return payments.sum_amounts(transaction, player=player, unit=unit)


def get_payment(transaction: Transaction, entry_id: UUID, kind: EntryKind) -> StoredRecord:
    """
    Return a payment or charge.

    Raises:
        NotFound: the club has none of this kind with this ID.
    """
    return payments.get(transaction, entry_id, kind)


def _reverse(transaction: Transaction, entry_id: UUID, kind: EntryKind, reason: str) -> RecordedReversal:
    payments.lock(transaction, str(entry_id))
    recorded = payments.get(transaction, entry_id, kind).recorded
    stored = payments.find_reversal(transaction, entry_id)
    if stored is not None:
        if stored.reason not in (None, reason):
            raise PaymentConflict(f"{kind.value} {entry_id} was reversed for another reason")
        return RecordedReversal(stored.reversal, is_replay=True)
    note = SaltedText.of(reason)
    event = (
        PaymentReversed(payment=entry_id, reason=note.digest)
        if kind is EntryKind.PAYMENT
        else ChargeReversed(charge=entry_id, reason=note.digest)
    )
    return RecordedReversal(payments.reverse(transaction, recorded, event, note), is_replay=False)


def replay_payment(transaction: Transaction, stored: StoredRecord) -> RecordedPayment:
    """Return what was recorded before, with a warning if it was taken back since and does not count."""
    recorded = stored.recorded
    reversal = payments.find_reversal(transaction, recorded.id)
    if reversal is None:
        return RecordedPayment(recorded, is_replay=True)
    detail = f"the {name_record(recorded)} {recorded.id} was taken back; another one needs another reference"
    return RecordedPayment(recorded, is_replay=True, warnings=(Mistake("payment-reversed", ("reference",), detail),))


def _refuse_differences(
    stored: StoredRecord, event: PaymentRecorded | ChargeRecorded, paid_at: datetime | None, note: str | None
) -> None:
    """
    Compare what has a reference with what was received under it.

    Raises:
        PaymentConflict: with every difference.
    """
    differences = tuple(find_differences(stored, event, paid_at, note))
    if differences:
        detail = f"the {name_record(stored.recorded)} {stored.recorded.id} has the reference {event.reference!r}"
        raise PaymentConflict(
            f"{detail} and other content", (Mistake(PaymentConflict.code, ("reference",), detail), *differences)
        )


def find_differences(
    stored: StoredRecord, event: PaymentRecorded | ChargeRecorded, paid_at: datetime | None, note: str | None
) -> Iterator[Mistake]:
    """List the differences; those of notes without their words, and none from a note that was erased."""
    recorded = stored.recorded.event
    if isinstance(recorded, PaymentRecorded) and isinstance(event, PaymentRecorded):
        # The payment of a claim was paid when the claim says, without a time of its own.
        is_now = recorded.paid_at == stored.recorded.recorded_at or recorded.claim is not None
        if recorded.paid_at == paid_at or (paid_at is None and is_now):
            event = replace(event, paid_at=recorded.paid_at)
        words, digest = "note", recorded.note
    elif isinstance(recorded, ChargeRecorded) and isinstance(event, ChargeRecorded):
        words, digest = "reason", recorded.reason
    else:
        yield Mistake(PaymentConflict.code, ("reference",), f"is that of a {name_record(stored.recorded)}")
        return
    was, now = dump_recorded(stored.recorded), dump_recorded(replace(stored.recorded, event=event))
    for field, value in now.items():
        if value != was[field] and field in _COMPARED:
            detail = f"{show(was[field])} is recorded, {show(value)} was received"
            values = {"recorded": was[field], "received": value}
            yield ComparedMistake(PaymentConflict.code, (field,), detail, values)
    if (digest is None) is not (note is None) or stored.note not in (None, note):
        yield Mistake(PaymentConflict.code, (words,), f"another {words} is recorded")
