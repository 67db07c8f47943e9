"""How players leave a round, and how it ends early."""

from collections import defaultdict
from dataclasses import replace
from uuid import UUID

from sqlalchemy import insert, select

from scoring.history import Closing, Departure
from scoring.round import Departed
from service.db import Transaction
from service.ledger.queries.events import EventKind, record_event
from service.metrics.counters import check_balance
from service.rounds.models import ClosingRecord, DepartureRecord
from service.rounds.queries import rounds, transfers
from service.rounds.queries.stored_round import StoredRound


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
    return list_departures_by_revision(transaction, round_id, revision)[revision]


def list_departures_by_revision(
    transaction: Transaction, round_id: UUID, revision: int | None = None
) -> dict[int, list[Departure]]:
    """List who left in each revision of a round, or in one of them, in order."""
    record = DepartureRecord
    query = select(record.revision, record.seat, record.after_hand, record.reason).where(
        record.club_id == transaction.club_id, record.round_id == round_id
    )
    if revision is not None:
        query = query.where(record.revision == revision)
    departures: dict[int, list[Departure]] = defaultdict(list)
    for found in transaction.execute(query.order_by(record.position)):
        departures[found.revision].append(Departure(found.seat, found.after_hand, found.reason))
    return departures


def list_closings(transaction: Transaction, round_id: UUID, revision: int | None = None) -> dict[int, Closing]:
    """Read when and why a round ended early, by revision, or in one of them; those in which it did not are left out."""
    record = ClosingRecord
    query = select(record.revision, record.after_hand, record.reason).where(
        record.club_id == transaction.club_id, record.round_id == round_id
    )
    if revision is not None:
        query = query.where(record.revision == revision)
    return {found.revision: Closing(found.after_hand, found.reason) for found in transaction.execute(query)}


def _end(
    transaction: Transaction, before: StoredRound, departed: Departed, kind: EventKind, event: bytes
) -> StoredRound:
    check_balance(before.id, departed.round)
    transfers.add_payout(transaction, before.id, before.revision, before.round, departed)
    after = rounds.advance(transaction, before, departed.round)
    last_event = record_event(transaction, kind, event, round_id=before.id, sequence=after.version)
    return replace(after, last_event=last_event)
