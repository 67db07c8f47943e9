from uuid import UUID

from schemas.jobs import JobView
from service.database import Transaction
from service.errors import JobEnded
from service.repository import jobs, wake_ups
from service.repository.jobs import JobState
from service.usecases.get_import import KIND, view_import


def resume_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Let a paused import go on where it was.

    Raises:
        NotFound: the club has none with this id.
        JobEnded: it has ended, or is about to.
    """
    job = jobs.lock(transaction, import_id, KIND)
    if job.state is JobState.PAUSED:
        job = jobs.change(transaction, job, JobState.RUNNING if job.started_at else JobState.QUEUED)
        wake_ups.top_up(transaction, job.id, 1)
    elif job.state not in (JobState.QUEUED, JobState.RUNNING):
        raise JobEnded(f"import {import_id} is {job.state.value}; one that is paused can be resumed")
    return view_import(transaction, job)
