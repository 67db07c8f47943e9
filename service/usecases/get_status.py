from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.database import Database
from service.repository import clubs, jobs, trees, workers
from service.repository.jobs import JobState, JobUnderWay
from service.repository.workers import LivingWorker
from service.usecases.list_clubs import list_clubs


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
class SigningStatus:
    """
    How far what happened in all clubs is signed.

    Attributes:
        waiting: how many events have no place in their club's tree yet.
        unsigned: how many have one, and no checkpoint stands for them yet.
        signed_at: when the newest checkpoint was made; None where there is none.
    """

    waiting: int
    unsigned: int
    signed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Status:
    """
    Which workers live, and what there is for them to do.

    Attributes:
        signing: how far they are with what they sign.
        oldest_waiting: since when the oldest job waits that nobody has begun; None where none does.
    """

    workers: list[LivingWorker]
    jobs: list[JobStatus]
    oldest_waiting: datetime | None
    signing: SigningStatus


def get_status(database: Database) -> Status:
    """Look at the workers, at the jobs of all clubs that have not ended, and at what was signed."""
    with database.outside_clubs() as connection:
        living = workers.list_living(connection)
        under_way = jobs.list_under_way(connection)
    found = [_look_at(database, job) for job in under_way]
    waiting = [job.created_at for job in found if job.state == JobState.QUEUED]
    return Status(living, found, min(waiting, default=None), _look_at_trees(database))


def _look_at(database: Database, found: JobUnderWay) -> JobStatus:
    with database.reading(found.club_id) as transaction:
        job = jobs.get(transaction, found.id)
        progress = jobs.get_progress(transaction, found.id)
        club = clubs.get(transaction)
    return JobStatus(
        job.id, club.name, job.kind, job.state.value, progress.done, job.total, progress.set_aside, job.created_at
    )


def _look_at_trees(database: Database) -> SigningStatus:
    waiting, unsigned, signed_at = 0, 0, list[datetime]()
    for club in list_clubs(database):
        with database.reading(club.id) as transaction:
            head = trees.get_head(transaction)
            waiting += trees.count_waiting(transaction)
        unsigned += head.size - head.signed_size
        signed_at += [head.signed_at] if head.signed_at else []
    return SigningStatus(waiting, unsigned, max(signed_at, default=None))
