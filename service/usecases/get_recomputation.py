from uuid import UUID

from schemas.recomputations import RecomputationView
from service.database import Transaction
from service.repository import jobs
from service.usecases.read_recomputation import KIND, view_recomputation


def get_recomputation(transaction: Transaction, recomputation_id: UUID) -> RecomputationView:
    """
    Show a recomputation as it stands.

    Raises:
        NotFound: the club has none with this id.
    """
    return view_recomputation(transaction, jobs.get(transaction, recomputation_id, KIND))
