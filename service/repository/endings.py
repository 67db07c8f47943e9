"""How players leave a round, and how it ends early."""

from dataclasses import replace
from uuid import UUID

from sqlalchemy import insert, select

from scoring.history import Closing, Departure
from scoring.round import Departed
from service.audit import EventKind, record_event
from service.database import Transaction
from service.metrics.counters import check_balance
from service.models import ClosingRecord, DepartureRecord
from service.repository import rounds, transfers
from service.repository.stored_round import StoredRound


def add_departure(
    transaction: Transaction, before: StoredRound, departed: Departed, departure: Departure, event: bytes
) -> StoredRound:
    """
    Keep that a player left, what was paid because of it, and where the round stands now.

    Args:
        transaction: in which the round was locked.
        before: the round as it was locked.
        departed: what came of it.
        departure: who left and why.
        event: what the audit trail says of it.

    Raises:
        Busy: somebody else has changed the round since it was read.
    """
    record = DepartureRecord
    of_round = {"club_id": transaction.club_id, "round_id": before.id, "revision": before.revision}
    position = len(before.round.gone) + 1
    values = {"position": position, "seat": departure.seat, "after_hand": departure.after_hand}
    transaction.execute(
        insert(record).values(**of_round, **values, reason=departure.reason, recorded_at=transaction.now)
    )
    return _end(transaction, before, departed, EventKind.DEPARTURE_RECORDED, event)


def add_closing(
    transaction: Transaction, before: StoredRound, departed: Departed, closing: Closing, event: bytes
) -> StoredRound:
    """Keep that a round was closed early, as `add_departure` keeps that a player left."""
    transaction.execute(
        insert(ClosingRecord).values(
            club_id=transaction.club_id,
            round_id=before.id,
            revision=before.revision,
            after_hand=closing.after_hand,
            reason=closing.reason,
            recorded_at=transaction.now,
        )
    )
    return _end(transaction, before, departed, EventKind.ROUND_CLOSED, event)


def list_departures(transaction: Transaction, round_id: UUID, revision: int) -> list[Departure]:
    """List who left in a revision of a round, in order."""
    record = DepartureRecord
    query = select(record.seat, record.after_hand, record.reason).where(
        record.club_id == transaction.club_id, record.round_id == round_id, record.revision == revision
    )
    listed = transaction.execute(query.order_by(record.position))
    return [Departure(found.seat, found.after_hand, found.reason) for found in listed]


def find_closing(transaction: Transaction, round_id: UUID, revision: int) -> Closing | None:
    """Find when and why a round ended early in a revision; None where it did not."""
    record = ClosingRecord
    query = select(record.after_hand, record.reason).where(
        record.club_id == transaction.club_id, record.round_id == round_id, record.revision == revision
    )
    found = transaction.execute(query).one_or_none()
    return None if found is None else Closing(found.after_hand, found.reason)


def _end(
    transaction: Transaction, before: StoredRound, departed: Departed, kind: EventKind, event: bytes
) -> StoredRound:
    check_balance(before.id, departed.round)
    transfers.add_payout(transaction, before.id, before.revision, before.round, departed)
    after = rounds.advance(transaction, before, departed.round)
    last_event = record_event(transaction, kind, event, round_id=before.id, sequence=after.version)
    return replace(after, last_event=last_event)
