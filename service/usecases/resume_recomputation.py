from uuid import UUID

from schemas.recomputations import RecomputationView
from service.database import Transaction
from service.usecases.job_states import resume_job
from service.usecases.read_recomputation import KIND, view_recomputation


def resume_recomputation(transaction: Transaction, recomputation_id: UUID) -> RecomputationView:
    """
    Let a paused recomputation go on where it was.

    Raises:
        NotFound: the club has none with this id.
        JobEnded: it has ended, or is about to.
    """
    return view_recomputation(transaction, resume_job(transaction, recomputation_id, KIND))
