"""Change the state of settlements: confirmed by players, disputed, and final."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, insert, select, text

from evidence.events import FinalReason, SettlementConfirmed, SettlementFinalized
from scoring.hand import Seat
from service.db import Transaction
from service.ledger.queries.events import INSERT_IN_ROUND, EventKind, event_parameters, record_event
from service.rounds.models import ConfirmationRecord
from service.rounds.queries import rounds
from service.rounds.queries.stored_round import StoredRound

_CLUBS: Final = text("SELECT club_id FROM clubs_with_settlements_due(:now) AS due (club_id)")
# A locked round is being changed, and may no longer be due afterwards.
_FINALIZE: Final = text("""
    WITH due AS (
        SELECT round_id FROM round_heads WHERE club_id = :club_id AND provisional_until <= :now
        ORDER BY provisional_until LIMIT :limit FOR UPDATE SKIP LOCKED
    )
    UPDATE round_heads AS head
    SET version = version + 1, settlement_state = 'final', provisional_until = NULL, final_revision = revision
    FROM due WHERE head.club_id = :club_id AND head.round_id = due.round_id
    RETURNING head.round_id, head.version, head.revision, head.last_event
""")


def confirm(transaction: Transaction, before: StoredRound, seat: Seat) -> StoredRound:
    """
    Insert a player's confirmation of a settlement; the last one makes the settlement final.

    Args:
        transaction: in which the round was locked.
        before: the round as it was locked, with a provisional settlement.
        seat: the seat of the player, who has not confirmed the settlement before.
    """
    transaction.execute(
        insert(ConfirmationRecord).values(
            club_id=transaction.club_id,
            round_id=before.id,
            revision=before.revision,
            seat=seat,
            confirmed_at=transaction.now,
        )
    )
    # A confirmation does not extend the correction window.
    after = rounds.advance(transaction, before, keeps_window=True)
    event = confirmed_event(before.id, before.revision, seat)
    last = record_event(transaction, EventKind.SETTLEMENT_CONFIRMED, event, round_id=after.id, sequence=after.version)
    after = replace(after, last_event=last)
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
    final = replace(before.finality, final_revision=before.revision)
    after = rounds.advance(transaction, before, finality=final)
    event = finalized_event(after.id, after.revision, because)
    last = record_event(transaction, EventKind.SETTLEMENT_FINALIZED, event, round_id=after.id, sequence=after.version)
    return replace(after, last_event=last)


def count_opened_dispute(transaction: Transaction, before: StoredRound) -> StoredRound:
    """
    Count a new dispute of a locked round that has ended; its settlement is disputed until all disputes have ended.

    The caller records the event with the new version of the round.

    Raises:
        Busy: another transaction has changed the round since it was read.
    """
    more = replace(before.finality, open_disputes=before.finality.open_disputes + 1)
    return rounds.advance(transaction, before, finality=more)


def count_ended_dispute(transaction: Transaction, before: StoredRound) -> StoredRound:
    """
    Count a resolved or withdrawn dispute of a locked round.

    After the last one, a settlement that was final and was not corrected is final again; any other is provisional for a
    whole correction window from now. The caller records the event with the new version of the round.

    Raises:
        Busy: another transaction has changed the round since it was read.
    """
    fewer = replace(before.finality, open_disputes=before.finality.open_disputes - 1)
    return rounds.advance(transaction, before, finality=fewer)


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
    parameters = {"club_id": transaction.club_id, "now": transaction.now, "limit": most}
    finalized = transaction.execute(_FINALIZE, parameters).all()
    events = [
        event_parameters(
            transaction,
            EventKind.SETTLEMENT_FINALIZED,
            finalized_event(each.round_id, each.revision, FinalReason.WINDOW),
            round_id=each.round_id,
            sequence=each.version,
            previous=each.last_event,
        )
        for each in finalized
    ]
    if events:
        transaction.execute(INSERT_IN_ROUND, events)
    return len(events)


def finalized_event(round_id: UUID, revision: int, because: FinalReason) -> bytes:
    """Return the encoded event payload of a settlement that became final."""
    return SettlementFinalized(round=round_id, revision=revision, because=because).encode()


def confirmed_event(round_id: UUID, revision: int, seat: Seat) -> bytes:
    """Return the encoded event payload of a confirmation."""
    return SettlementConfirmed(round=round_id, revision=revision, seat=seat).encode()
