"""What players pay each other because a settlement that was final was corrected."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import insert, select

from schemas.settlements import Adjustment
from scoring.settle_up import Payment
from service.database import Transaction
from service.models import AdjustmentRecord, SettlementRecord
from service.repository.stored_round import StoredRound


def add(transaction: Transaction, made: StoredRound, payments: Sequence[Payment]) -> None:
    """Keep the payments that a round's newest revision makes necessary; the revision says which one it adjusts."""
    if payments:
        of_revision = {"club_id": transaction.club_id, "round_id": made.id, "revision": made.revision}
        records = [
            {**of_revision, "position": position, "payer": paid.payer, "payee": paid.payee, "points": paid.amount}
            for position, paid in enumerate(payments, start=1)
        ]
        transaction.execute(insert(AdjustmentRecord), records)


def find(transaction: Transaction, round_id: UUID, revision: int) -> Adjustment | None:
    """Find what is paid because of a revision; None where no settlement had been final before it."""
    made, paid = SettlementRecord, AdjustmentRecord
    of_revision = (made.club_id == transaction.club_id, made.round_id == round_id, made.revision == revision)
    adjusts = transaction.execute(select(made.adjusts_revision).where(*of_revision)).scalar_one()
    if adjusts is None:
        return None
    query = select(paid.payer, paid.payee, paid.points).where(
        paid.club_id == transaction.club_id, paid.round_id == round_id, paid.revision == revision
    )
    payments = transaction.execute(query.order_by(paid.position))
    return Adjustment(adjusts, tuple(Payment(each.payer, each.payee, each.points) for each in payments))
