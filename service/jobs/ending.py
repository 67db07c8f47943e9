from service.database import Transaction
from service.jobs.kind import Kind
from service.logs import get_log
from service.repository import chunks, jobs, wake_ups
from service.repository.jobs import ENDED, JobState, StoredJob

_log = get_log(__name__)


def end_if_over(transaction: Transaction, job: StoredJob, kind: Kind) -> bool:
    """
    End a job of which nothing is left to do, or which is being cancelled and on which nobody is at work.

    The job must be locked: two workers that do its last two chunks at once would each see the other's still open.

    Returns:
        Whether it has ended, now or before.
    """
    if job.state in ENDED:
        return True
    standing = chunks.get_standing(transaction, job.id)
    if job.state is JobState.CANCELLING and not standing.claimed:
        chunks.drop_open(transaction, job.id)
        state = JobState.CANCELLED
    elif job.is_planned and standing.is_over:
        # A paused or cancelled job whose last chunk is done is done too.
        state = JobState.FAILED if standing.set_aside else JobState.SUCCEEDED
    else:
        return False
    job = jobs.change(transaction, job, state)
    wake_ups.remove_all(transaction, job.id)
    kind.end(transaction, job)
    _log.info("job_ended", job=str(job.id), kind=job.kind, state=job.state.value)
    return True
