"""Confirm, dispute and finalize settlements."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, select, text

from evidence.events import FinalReason, SettlementConfirmed
from scoring.hand import Seat
from service.audit_trail.queries.events import EventKind
from service.db import Transaction
from service.rounds.models import ConfirmationRecord
from service.rounds.queries import rounds
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import RoundChange, write_rounds

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


def list_confirmed(transaction: Transaction, round_id: UUID, revision: int) -> Sequence[Seat]:
    """List the seats whose players have confirmed a revision's settlement."""
    record = ConfirmationRecord
    query = select(record.seat).where(
        record.club_id == transaction.club_id, record.round_id == round_id, record.revision == revision
    )
    return transaction.execute(query.order_by(record.seat)).scalars().all()


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
