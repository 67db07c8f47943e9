from uuid import UUID

from schemas.disputes import DisputeCase
from service.database import Transaction
from service.repository import disputes
from service.usecases.view_dispute import view_case


def get_dispute(transaction: Transaction, dispute_id: UUID) -> DisputeCase:
    """
    Show a dispute, what followed it, and what is unusual about its round.

    Raises:
        NotFound: the club has no such dispute.
    """
    return view_case(transaction, disputes.get(transaction, dispute_id))
