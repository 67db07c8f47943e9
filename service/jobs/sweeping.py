"""
What nobody asks for by itself is done: settlements become final in time, events join the trees of their clubs.

And what was left lying is taken up again: messages that were lost, chunks whose worker died, jobs that nobody ended.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from schemas.evidence import SigningKey
from service.database import Database
from service.errors import Busy
from service.jobs.ending import end_if_over
from service.jobs.kind import Kind
from service.jobs.work import call_workers
from service.logs import get_log
from service.repository import jobs, settlement_states, trees, workers
from service.repository.jobs import JobState, JobUnderWay
from service.usecases.finalize_settlements import finalize_settlements
from service.usecases.make_checkpoint import PAUSE, join_events

LONGEST_RECEIVED: Final = timedelta(days=1)
"""After this, who was sending what a job is to work on is not coming back."""

_log = get_log(__name__)


def sweep(
    database: Database,
    kinds: Mapping[str, Kind],
    announce: Callable[[UUID], None],
    signing_key: SigningKey | None = None,
) -> None:
    """
    Look once at all clubs' jobs under way, settlements due and events that wait; several may do so at once, and often.

    Raises:
        DatabaseError: the database does not answer.
    """
    with database.outside_clubs() as connection:
        workers.purge_heard_messages(connection)
        under_way = jobs.list_under_way(connection)
        slots = sum(worker.concurrency for worker in workers.list_living(connection))
        growing = trees.list_clubs_due(connection, datetime.now(UTC), PAUSE)
        due = settlement_states.list_clubs_due(connection, datetime.now(UTC))
    for job in under_way:
        if job.kind in kinds:
            try:
                _look_at(database, kinds[job.kind], job, slots)
            except Busy:
                _log.info("job_busy", job=str(job.id))
    for club_id in {job.club_id for job in under_way}:
        announce(club_id)
    for club_id in due:
        finalized = finalize_settlements(database, club_id)
        if finalized:
            _log.info("settlements_finalized", club=str(club_id), settlements=finalized)
    for club_id in growing:
        try:
            join_events(database, club_id, signing_key)
        except Busy:
            _log.info("tree_busy", club=str(club_id))


def _look_at(database: Database, kind: Kind, found: JobUnderWay, slots: int) -> None:
    with database.transaction(found.club_id) as transaction:
        job = jobs.try_lock(transaction, found.id)
        if job is None:
            return
        if job.state is JobState.RECEIVING:
            if job.created_at < transaction.now - LONGEST_RECEIVED:
                kind.end(transaction, jobs.change(transaction, job, JobState.CANCELLED))
        elif not end_if_over(transaction, job, kind):
            call_workers(transaction, job, slots)
