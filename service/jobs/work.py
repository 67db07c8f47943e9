"""One worker at one job: heard of it, plans it where nobody has, does chunks while there are any, and ends it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from service.database import Database, Transaction
from service.errors import DatabaseError
from service.jobs.ending import end_if_over
from service.jobs.kind import Kind
from service.jobs.lease import LEASE, kept_lease
from service.logs import get_log, show_exception
from service.repository import chunks, jobs, wake_ups, workers
from service.repository.chunks import Chunk
from service.repository.jobs import JobState, StoredJob

MOST_ATTEMPTS: Final = 5
"""How often a chunk is begun before it is set aside."""
TURN: Final = 10.0
"""Seconds after which a worker lets another job have its turn."""

_log = get_log(__name__)


class Overtaken(Exception):
    """The chunk is no longer this worker's; nothing of what it did is kept."""


@dataclass(frozen=True, slots=True)
class Worker:
    """
    Who works.

    Attributes:
        name: what a claim says of who has it.
        database: whose jobs.
        kinds: what can be done, by name.
        announce: sends what a club's outbox holds.
        is_stopping: whether to begin nothing more.
    """

    name: str
    database: Database
    kinds: Mapping[str, Kind]
    announce: Callable[[UUID], None]
    is_stopping: Callable[[], bool] = lambda: False

    def work_on(self, club_id: UUID, job_id: UUID) -> None:
        """
        Work on a job for a turn, or until nothing of it is left that nobody has.

        Whoever is called once too often finds nothing to do, and changes nothing.

        Raises:
            DatabaseError: the database does not answer; what was under way is done again later.
        """
        slots = self._slots()
        if not self._begin(club_id, job_id, slots):
            return
        self.announce(club_id)
        turn_ends = time.monotonic() + TURN
        while not self.is_stopping() and time.monotonic() < turn_ends:
            if not self._do_next(club_id, job_id):
                break
        with self.database.transaction(club_id) as transaction:
            job = jobs.lock(transaction, job_id)
            if not end_if_over(transaction, job, self.kinds[job.kind]):
                call_workers(transaction, job, slots)
        self.announce(club_id)

    def _begin(self, club_id: UUID, job_id: UUID, slots: int) -> bool:
        """Hear of a job, and plan it where that has not been done; false where there is nothing to do."""
        with self.database.transaction(club_id) as transaction:
            wake_ups.hear(transaction, job_id)
            job = jobs.get(transaction, job_id)
            if job.kind not in self.kinds or job.state not in (JobState.QUEUED, JobState.RUNNING, JobState.CANCELLING):
                return False
            if job.state is not JobState.CANCELLING and not job.is_planned:
                planned = self._plan(transaction, job)
                if planned is None:
                    return False
                job = planned
            call_workers(transaction, job, slots)
        return True

    def _plan(self, transaction: Transaction, job: StoredJob) -> StoredJob | None:
        """Make a job's chunks; None where another is about to, who calls workers when they are there."""
        locked = jobs.try_lock(transaction, job.id)
        if locked is None or locked.state not in (JobState.QUEUED, JobState.RUNNING):
            return None
        if locked.is_planned:
            return locked
        total = chunks.add_all(transaction, job.id, self.kinds[job.kind].plan(transaction, locked))
        _log.info("job_planned", job=str(job.id), kind=job.kind, total=total)
        started_at = locked.started_at or transaction.now
        return jobs.change(
            transaction, locked, JobState.RUNNING, total=total, planned_at=transaction.now, started_at=started_at
        )

    def _do_next(self, club_id: UUID, job_id: UUID) -> bool:
        """Claim a chunk and do it; false where there is none to claim."""
        with self.database.transaction(club_id) as transaction:
            job = jobs.share(transaction, job_id)
            if job.state is not JobState.RUNNING:
                return False
            chunk = chunks.claim(transaction, job_id, worker=self.name, lease=LEASE)
            if chunk is None:
                return False
            if chunk.attempt > MOST_ATTEMPTS:
                self._set_aside(transaction, job, chunk, chunk.error or f"its worker died, {MOST_ATTEMPTS} times")
                return True
        self._do(club_id, job, chunk)
        return True

    def _do(self, club_id: UUID, job: StoredJob, chunk: Chunk) -> None:
        try:
            with (
                kept_lease(self.database, club_id, chunk),
                self.database.transaction(club_id, actor=job.actor, request_id=job.request_id) as transaction,
            ):
                result = self.kinds[job.kind].work(transaction, job, chunk)
                if not chunks.end(transaction, chunk, result):
                    raise Overtaken
        except Overtaken:
            _log.warning("chunk_overtaken", job=str(job.id), chunk=chunk.number, attempt=chunk.attempt)
        except DatabaseError:
            # Nothing can be noted now. The lease ends by itself.
            raise
        except Exception as error:
            _log.error(
                "chunk_failed",
                job=str(job.id),
                chunk=chunk.number,
                attempt=chunk.attempt,
                exception=show_exception(error),
            )
            with self.database.transaction(club_id) as transaction:
                reason = show_exception(error).splitlines()[-1]
                if chunk.attempt >= MOST_ATTEMPTS:
                    self._set_aside(transaction, job, chunk, reason)
                else:
                    chunks.put_back(transaction, chunk, reason, timedelta(seconds=2 ** (chunk.attempt - 1)))

    def _set_aside(self, transaction: Transaction, job: StoredJob, chunk: Chunk, reason: str) -> None:
        if chunks.set_aside(transaction, chunk, reason):
            self.kinds[job.kind].set_aside(transaction, job, chunk)
            _log.error("chunk_set_aside", job=str(job.id), chunk=chunk.number, reason=reason)

    def _slots(self) -> int:
        with self.database.outside_clubs() as connection:
            return sum(worker.concurrency for worker in workers.list_living(connection))


def call_workers(transaction: Transaction, job: StoredJob, slots: int) -> None:
    """See that as many messages about a job are under way as there are chunks to claim, and workers to do so."""
    standing = chunks.get_standing(transaction, job.id)
    is_claimable = job.state is JobState.RUNNING and standing.claimable
    is_to_begin = job.state is JobState.QUEUED
    wanted = min(standing.claimable, max(slots, 1)) if is_claimable else int(is_to_begin)
    wake_ups.top_up(transaction, job.id, wanted)
