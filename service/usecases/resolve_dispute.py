from uuid import UUID

from schemas.disputes import StepRequest
from service.database import Transaction
from service.usecases.step_dispute import step_dispute
from service.usecases.view_dispute import ChangedDispute


def resolve_dispute(transaction: Transaction, dispute_id: UUID, request: StepRequest) -> ChangedDispute:
    """
    End a dispute: it is upheld or rejected.

    Raises:
        NotFound: the club has no such dispute.
        DisputeChanged: it is no longer as the sender has read it.
        DisputeRefused: it has ended, or is not as far.
    """
    return step_dispute(transaction, dispute_id, request)
