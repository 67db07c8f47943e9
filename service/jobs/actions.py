"""What a club can do to its jobs, whatever kind they are of."""

from uuid import UUID

from service.db import Transaction
from service.errors import JobEnded
from service.jobs.queries import jobs, wake_ups
from service.jobs.queries.jobs import ENDED, JobState, StoredJob


def pause_job(transaction: Transaction, job_id: UUID, kind: str) -> StoredJob:
    """
    Let a job rest until it is resumed: the chunks at work end, and nothing more is begun.

    Raises:
        NotFound: the club has none of this kind with this id.
        JobEnded: it has ended, or is about to.
    """
    job = jobs.lock(transaction, job_id, kind)
    if job.state in (JobState.QUEUED, JobState.RUNNING):
        return jobs.change(transaction, job, JobState.PAUSED)
    if job.state is not JobState.PAUSED:
        raise JobEnded(f"{kind} {job_id} is {job.state.value}; one that is queued or running can be paused")
    return job


def resume_job(transaction: Transaction, job_id: UUID, kind: str) -> StoredJob:
    """
    Let a paused job go on where it was.

    Raises:
        NotFound: the club has none of this kind with this id.
        JobEnded: it has ended, or is about to.
    """
    job = jobs.lock(transaction, job_id, kind)
    if job.state is JobState.PAUSED:
        job = jobs.change(transaction, job, JobState.RUNNING if job.started_at else JobState.QUEUED)
        wake_ups.top_up(transaction, job.id, 1)
    elif job.state not in (JobState.QUEUED, JobState.RUNNING):
        raise JobEnded(f"{kind} {job_id} is {job.state.value}; one that is paused can be resumed")
    return job


def cancel_job(transaction: Transaction, job_id: UUID, kind: str) -> StoredJob:
    """
    Stop a job: what is done stays, the chunks at work end, and nothing more is begun.

    Whoever cancels what has ended changes nothing.

    Raises:
        NotFound: the club has none of this kind with this id.
    """
    job = jobs.lock(transaction, job_id, kind)
    if job.state not in (*ENDED, JobState.CANCELLING):
        job = jobs.change(transaction, job, JobState.CANCELLING)
        wake_ups.top_up(transaction, job.id, 1)
    return job
