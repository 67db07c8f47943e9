from uuid import UUID

from schemas.recomputations import RecomputationView
from service.database import Transaction
from service.usecases.job_states import pause_job
from service.usecases.read_recomputation import KIND, view_recomputation


def pause_recomputation(transaction: Transaction, recomputation_id: UUID) -> RecomputationView:
    """
    Let a recomputation rest until it is resumed: the chunks at work end, and nothing more is begun.

    Raises:
        NotFound: the club has none with this id.
        JobEnded: it has ended, or is about to.
    """
    return view_recomputation(transaction, pause_job(transaction, recomputation_id, KIND))
