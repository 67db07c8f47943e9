from uuid import UUID

from schemas.recomputations import RecomputationView
from service.database import Transaction
from service.usecases.job_states import cancel_job
from service.usecases.read_recomputation import KIND, view_recomputation


def cancel_recomputation(transaction: Transaction, recomputation_id: UUID) -> RecomputationView:
    """
    Stop a recomputation: what is done stays, the chunks at work end, and nothing more is begun.

    Whoever cancels what has ended changes nothing.

    Raises:
        NotFound: the club has none with this id.
    """
    return view_recomputation(transaction, cancel_job(transaction, recomputation_id, KIND))
