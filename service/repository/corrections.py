"""Corrections: what was asked for, and which later rounds had taken over what they change."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import and_, insert, select

from scoring.hand import Seat
from scoring.ruleset import Points
from service.database import Transaction
from service.models import CorrectionRecord, RoundHeadRecord, RoundRecord, RoundSeatRecord
from service.repository.stored_round import StoredRound


@dataclass(frozen=True, slots=True)
class StackCarriedOver:
    """A player who opened a round with what an earlier one had left him."""

    round_id: UUID
    seat: Seat
    player: str
    opening_stack: Points


def add(transaction: Transaction, made: StoredRound, digest: bytes, submission_id: UUID, dispute: UUID | None) -> None:
    """Keep what was asked for in the correction that made a round's newest revision."""
    transaction.execute(
        insert(CorrectionRecord).values(
            club_id=transaction.club_id,
            round_id=made.id,
            revision=made.revision,
            digest=digest,
            submission_id=submission_id,
            dispute=dispute,
        )
    )


def find_newest(transaction: Transaction, round_id: UUID, digest: bytes) -> int | None:
    """Find the newest revision of a round that the same correction made."""
    record = CorrectionRecord
    same = (record.club_id == transaction.club_id, record.round_id == round_id, record.digest == digest)
    newest = select(record.revision).where(*same).order_by(record.revision.desc()).limit(1)
    found: int | None = transaction.execute(newest).scalar_one_or_none()
    return found


def list_carried_over(transaction: Transaction, before: StoredRound) -> list[StackCarriedOver]:
    """List who opened the round after this one at its table with what this one had left him."""
    after, seat, head = RoundRecord, RoundSeatRecord, RoundHeadRecord
    following = (
        select(after.id)
        .where(after.club_id == transaction.club_id, after.table_id == before.table_id, after.id > before.id)
        .order_by(after.id)
        .limit(1)
    )
    query = (
        select(seat.round_id, seat.seat, seat.player, seat.opening_stack)
        .join(head, and_(head.club_id == seat.club_id, head.round_id == seat.round_id, head.revision == seat.revision))
        .where(seat.club_id == transaction.club_id, seat.round_id == following.scalar_subquery(), seat.carried_over)
        .order_by(seat.seat)
    )
    return [
        StackCarriedOver(found.round_id, found.seat, found.player, found.opening_stack)
        for found in transaction.execute(query)
    ]
