"""Settlements: their transfers, adjustments and confirmations, and their state until they are final."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, select, text

from evidence.events import FinalReason, SettlementConfirmed
from schemas.settlements import Adjustment
from scoring.hand import Seat
from scoring.history import Paid
from scoring.settle_up import Payment
from scoring.settlement import LimitedBy, Transfer
from service.audit_trail.queries.events import EventKind
from service.db import Transaction
from service.rounds.models import TRANSFERS, AdjustmentRecord, ConfirmationRecord, SettlementRecord
from service.rounds.queries import rounds
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, write_rounds

_PAID: Final = TRANSFERS.c


def list_paid(transaction: Transaction, round_id: UUID, revision: int) -> list[Paid]:
    """List the payments of a revision, in order."""
    found = _list(transaction, _PAID.round_id == round_id, _PAID.revision == revision)
    return [_paid(each) for each in found]


def list_paid_by_revision(transaction: Transaction, round_id: UUID) -> dict[int, list[Paid]]:
    """List the payments of each revision of a round, in order; revisions without payments are omitted."""
    paid: dict[int, list[Paid]] = defaultdict(list)
    for found in _list(transaction, _PAID.round_id == round_id):
        paid[found.revision].append(_paid(found))
    return paid


def _list(transaction: Transaction, *wanted: ColumnElement[bool]) -> Sequence[Row[Any]]:
    query = select(TRANSFERS).where(_PAID.club_id == transaction.club_id, *wanted)
    in_order = query.order_by(_PAID.revision, _PAID.number, _PAID.late, _PAID.position)
    return transaction.execute(in_order).all()


def _paid(found: Row[Any]) -> Paid:
    return Paid(
        found.number,
        Transfer(
            order=found.position,
            payer=found.payer,
            payee=found.payee,
            due=found.due,
            paid=found.paid,
            limited_by=LimitedBy(found.limited_by) if found.limited_by else None,
            payer_stack=found.payer_stack,
            payee_stack=found.payee_stack,
        ),
    )


def find_adjustment(transaction: Transaction, round_id: UUID, revision: int) -> Adjustment | None:
    """Find the adjustment of a revision; None if no settlement was final before it."""
    return list_adjustments_by_revision(transaction, round_id, revision).get(revision)


def list_adjustments_by_revision(
    transaction: Transaction, round_id: UUID, revision: int | None = None
) -> dict[int, Adjustment]:
    """List the adjustments of each revision of a round, or of one, that corrected a final settlement."""
    made, paid = SettlementRecord, AdjustmentRecord
    adjusting = select(made.revision, made.adjusts_revision).where(
        made.club_id == transaction.club_id, made.round_id == round_id, made.adjusts_revision.is_not(None)
    )
    query = select(paid.revision, paid.payer, paid.payee, paid.points).where(
        paid.club_id == transaction.club_id, paid.round_id == round_id
    )
    if revision is not None:
        adjusting, query = adjusting.where(made.revision == revision), query.where(paid.revision == revision)
    payments: dict[int, list[Payment]] = defaultdict(list)
    for each in transaction.execute(query.order_by(paid.position)):
        payments[each.revision].append(Payment(each.payer, each.payee, each.points))
    return {
        found.revision: Adjustment(found.adjusts_revision, tuple(payments[found.revision]))
        for found in transaction.execute(adjusting)
    }


_CLUBS: Final = text("SELECT club_id FROM clubs_with_settlements_due(:now) AS due (club_id)")


def confirm(transaction: Transaction, before: StoredRound, seat: Seat) -> StoredRound:
    """
    Insert a player's confirmation of a settlement; the last one makes the settlement final.

    Args:
        transaction: in which the round was locked.
        before: the round as it was locked, with a provisional settlement.
        seat: the seat of the player, who has not confirmed the settlement before.
    """
    change = RoundChange(transaction, before)
    change.insert(ConfirmationRecord, {"seat": seat, "confirmed_at": transaction.now})
    event = SettlementConfirmed(round=before.id, revision=before.revision, seat=seat)
    change.add_event(event.kind, event.encode())
    # A confirmation does not extend the correction window.
    after = change.finish(keeps_window=True)
    write_rounds(transaction, change)
    if len(list_confirmed(transaction, before.id, before.revision)) < len(before.round.seats):
        return after
    return finalize(transaction, after, FinalReason.CONFIRMED)


def list_confirmed(transaction: Transaction, round_id: UUID, revision: int) -> list[Seat]:
    """List the seats whose players have confirmed a revision's settlement."""
    return list_confirmed_by_revision(transaction, round_id, revision)[revision]


def list_confirmed_by_revision(
    transaction: Transaction, round_id: UUID, revision: int | None = None
) -> dict[int, list[Seat]]:
    """List the seats whose players have confirmed the settlement of each revision, or of one."""
    record = ConfirmationRecord
    query = select(record.revision, record.seat).where(
        record.club_id == transaction.club_id, record.round_id == round_id
    )
    if revision is not None:
        query = query.where(record.revision == revision)
    confirmed: dict[int, list[Seat]] = defaultdict(list)
    for found in transaction.execute(query.order_by(record.seat)):
        confirmed[found.revision].append(found.seat)
    return confirmed


def finalize(transaction: Transaction, before: StoredRound, because: FinalReason) -> StoredRound:
    """
    Finalize the provisional settlement of a locked round, and record the event.

    Raises:
        Busy: another transaction has changed the round since it was read.
    """
    change = RoundChange(transaction, before)
    change.finalize(because)
    after = change.finish()
    write_rounds(transaction, change)
    return after


def open_dispute(transaction: Transaction, before: StoredRound, kind: EventKind, event: bytes) -> StoredRound:
    """
    Count a new dispute of a locked round that has ended; its settlement is disputed until all disputes have ended.

    Raises:
        Busy: another transaction has changed the round since it was read.
    """
    return change_disputes(transaction, before, kind, event, opened=1)


def end_dispute(transaction: Transaction, before: StoredRound, kind: EventKind, event: bytes) -> StoredRound:
    """
    Count a resolved or withdrawn dispute of a locked round.

    After the last one, a settlement that was final and was not corrected is final again; any other is provisional for a
    whole correction window from now.

    Raises:
        Busy: another transaction has changed the round since it was read.
    """
    return change_disputes(transaction, before, kind, event, opened=-1)


def change_disputes(
    transaction: Transaction, before: StoredRound, kind: EventKind, event: bytes, *, opened: int = 0
) -> StoredRound:
    """
    Record an event of a dispute of a locked round, and how many more disputes of the round are open.

    Raises:
        Busy: another transaction has changed the round since it was read.
    """
    change = RoundChange(transaction, before)
    change.add_event(kind, event)
    finality = replace(before.finality, open_disputes=before.finality.open_disputes + opened)
    after = change.finish(finality=finality)
    write_rounds(transaction, change)
    return after


def list_clubs_due(connection: Connection, now: datetime) -> Sequence[UUID]:
    """List the clubs with provisional settlements whose correction window has passed."""
    return connection.execute(_CLUBS, {"now": now}).scalars().all()


def finalize_due(transaction: Transaction, most: int) -> int:
    """
    Finalize settlements whose correction window has passed, oldest first, and return their number.

    Locked rounds are skipped until the next call, so that several processes can call it at once.

    Args:
        transaction: the club's transaction.
        most: the most settlements to finalize.
    """
    changes = [RoundChange(transaction, due) for due in rounds.lock_due(transaction, most)]
    for change in changes:
        change.finalize(FinalReason.WINDOW)
        change.finish()
    write_rounds(transaction, *changes)
    return len(changes)
