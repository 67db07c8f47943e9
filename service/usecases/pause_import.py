from uuid import UUID

from schemas.jobs import JobView
from service.database import Transaction
from service.errors import JobEnded
from service.repository import jobs
from service.repository.jobs import JobState
from service.usecases.get_import import KIND, view_import


def pause_import(transaction: Transaction, import_id: UUID) -> JobView:
    """
    Let an import rest until it is resumed: the chunks at work end, and nothing more is begun.

    Raises:
        NotFound: the club has none with this id.
        JobEnded: it has ended, or is about to.
    """
    job = jobs.lock(transaction, import_id, KIND)
    if job.state in (JobState.QUEUED, JobState.RUNNING):
        job = jobs.change(transaction, job, JobState.PAUSED)
    elif job.state is not JobState.PAUSED:
        raise JobEnded(f"import {import_id} is {job.state.value}; one that is queued or running can be paused")
    return view_import(transaction, job)
