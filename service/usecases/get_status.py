from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.database import Database
from service.repository import clubs, jobs, workers
from service.repository.jobs import JobState, JobUnderWay
from service.repository.workers import LivingWorker


@dataclass(frozen=True, slots=True)
class JobStatus:
    """
    A job under way, of whichever club.

    Attributes:
        set_aside: how many of its chunks were given up.
    """

    id: UUID
    club: str
    kind: str
    state: str
    done: int
    total: int | None
    set_aside: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Status:
    """
    Which workers live, and what there is for them to do.

    Attributes:
        oldest_waiting: since when the oldest job waits that nobody has begun; None where none does.
    """

    workers: list[LivingWorker]
    jobs: list[JobStatus]
    oldest_waiting: datetime | None


def get_status(database: Database) -> Status:
    """Look at the workers, and at the jobs of all clubs that have not ended."""
    with database.outside_clubs() as connection:
        living = workers.list_living(connection)
        under_way = jobs.list_under_way(connection)
    found = [_look_at(database, job) for job in under_way]
    waiting = [job.created_at for job in found if job.state == JobState.QUEUED]
    return Status(living, found, min(waiting, default=None))


def _look_at(database: Database, found: JobUnderWay) -> JobStatus:
    with database.reading(found.club_id) as transaction:
        job = jobs.get(transaction, found.id)
        progress = jobs.get_progress(transaction, found.id)
        club = clubs.get(transaction)
    return JobStatus(
        job.id, club.name, job.kind, job.state.value, progress.done, job.total, progress.set_aside, job.created_at
    )
