from uuid import UUID

from schemas.jobs import JobView
from service.database import Transaction
from service.usecases.get_import import KIND, view_import
from service.usecases.job_states import resume_job


def resume_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Let a paused import go on where it was.

    Raises:
        NotFound: the club has none with this id.
        JobEnded: it has ended, or is about to.
    """
    return view_import(transaction, resume_job(transaction, import_id, KIND))
