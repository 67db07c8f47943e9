"""Pause, resume and cancel jobs."""

from uuid import UUID

from service.db import Transaction
from service.errors import JobEnded
from service.jobs.queries import chunks, jobs
from service.jobs.queries.jobs import ENDED, JobState, StoredJob


def pause_job(transaction: Transaction, job_id: UUID, kind: str) -> StoredJob:
    """
    Pause a job: chunks in progress are finished, and no further one is started.

    Raises:
        NotFound: the club has no job of this kind with this ID.
        JobEnded: the job has ended or is being cancelled.
    """
    job = jobs.lock(transaction, job_id, kind)
    if job.state in (JobState.QUEUED, JobState.RUNNING):
        return jobs.change(transaction, job, JobState.PAUSED)
    if job.state is not JobState.PAUSED:
        raise JobEnded(f"{kind} {job_id} is {job.state.value}; expected queued or running, to pause it")
    return job


def resume_job(transaction: Transaction, job_id: UUID, kind: str) -> StoredJob:
    """
    Resume a paused job.

    Raises:
        NotFound: the club has no job of this kind with this ID.
        JobEnded: the job has ended or is being cancelled.
    """
    job = jobs.lock(transaction, job_id, kind)
    if job.state is JobState.PAUSED:
        job = jobs.change(transaction, job, JobState.RUNNING if job.started_at else JobState.QUEUED)
        chunks.send_again(transaction, job.id)
    elif job.state not in (JobState.QUEUED, JobState.RUNNING):
        raise JobEnded(f"{kind} {job_id} is {job.state.value}; expected paused, to resume it")
    return job


def cancel_job(transaction: Transaction, job_id: UUID, kind: str) -> StoredJob:
    """
    Cancel a job: results are retained, chunks in progress are finished, and no further one is started.

    Cancelling a job that has ended changes nothing.

    Raises:
        NotFound: the club has no job of this kind with this ID.
    """
    job = jobs.lock(transaction, job_id, kind)
    if job.state not in (*ENDED, JobState.CANCELLING):
        job = jobs.change(transaction, job, JobState.CANCELLING)
    return job
