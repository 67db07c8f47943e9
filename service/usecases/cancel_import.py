from uuid import UUID

from schemas.jobs import JobView
from service.database import Transaction
from service.repository import jobs, wake_ups
from service.repository.jobs import ENDED, JobState
from service.usecases.get_import import KIND, view_import


def cancel_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Stop an import: what is stored stays, the chunks at work end, and nothing more is begun.

    Whoever cancels what has ended changes nothing.

    Raises:
        NotFound: the club has none with this id.
    """
    job = jobs.lock(transaction, import_id, KIND)
    if job.state not in (*ENDED, JobState.CANCELLING):
        job = jobs.change(transaction, job, JobState.CANCELLING)
        wake_ups.top_up(transaction, job.id, 1)
    return view_import(transaction, job)
