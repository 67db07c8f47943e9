"""Work on a job: plan its chunks, claim one, renew its lease, record its result, end the job."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from service.db import Database, Transaction
from service.errors import Busy, DatabaseError, ServiceError
from service.jobs.kind import Kind
from service.jobs.queries import chunks, jobs, wake_ups, workers
from service.jobs.queries.chunks import Chunk, Standing
from service.jobs.queries.jobs import ENDED, JobState, StoredJob
from service.logs import get_log, show_exception

LEASE: Final = timedelta(seconds=10)
"""How long a chunk stays claimed of which nothing is heard."""
_RENEWED_EVERY: Final = LEASE.total_seconds() / 4

_log = get_log(__name__)


@contextmanager
def kept_lease(database: Database, club_id: UUID, chunk: Chunk) -> Iterator[None]:
    """
    Keep a chunk claimed until the block ends, however long it takes.

    Renewed on a connection of its own, for nothing that the block writes is seen before it commits. A lease that cannot
    be renewed is not the block's trouble: should another claim the chunk, the block's end is refused.
    """
    is_over = threading.Event()

    def renew() -> None:
        while not is_over.wait(_RENEWED_EVERY):
            try:
                with database.transaction(club_id) as transaction:
                    if not chunks.renew(transaction, chunk, LEASE):
                        return
            except ServiceError as error:
                _log.warning("lease_not_renewed", job=str(chunk.job_id), chunk=chunk.number, error=str(error))

    renewing = threading.Thread(target=renew, name="lease", daemon=True)
    renewing.start()
    try:
        yield
    finally:
        is_over.set()
        renewing.join()


def end_if_over(transaction: Transaction, job: StoredJob, kind: Kind) -> bool:
    """
    End a job of which nothing is left to do, or which is being cancelled and on which nobody is at work.

    The job must be locked: two workers that do its last two chunks at once would each see the other's still open.

    Returns:
        Whether it has ended, now or before.
    """
    if job.state in ENDED:
        return True
    standing, failure = chunks.get_standing(transaction, job.id), None
    if job.state is JobState.CANCELLING and not standing.claimed:
        chunks.drop_open(transaction, job.id)
        state = JobState.CANCELLED
    elif job.is_planned and standing.is_over:
        # A paused or cancelled job whose last chunk is done is done too.
        failure = _find_failure(transaction, job, kind, standing)
        state = JobState.FAILED if failure else JobState.SUCCEEDED
    else:
        return False
    job = jobs.change(transaction, job, state, failure=failure)
    wake_ups.remove_all(transaction, job.id)
    kind.end(transaction, job)
    _log.info("job_ended", job=str(job.id), kind=job.kind, state=job.state.value)
    return True


def _find_failure(transaction: Transaction, job: StoredJob, kind: Kind, standing: Standing) -> str | None:
    """Say why a job with nothing left to do has failed; None where everything that it received is accounted for."""
    accounted = chunks.count_accounted(transaction, job.id)
    if standing.set_aside:
        return f"{standing.set_aside} of its chunks could not be processed; report this to the operator of the service"
    if accounted == job.received:
        return None
    _log.error("job_unaccounted", job=str(job.id), kind=job.kind, received=job.received, accounted=accounted)
    received = "an unknown number" if job.received is None else job.received
    return (
        f"{received} {kind.unit} were received and {accounted} are accounted for;"
        " start it again, and report this to the operator of the service"
    )


MOST_FAILURES: Final = 5
"""How often processing a chunk fails by an error of its own before it is split, or given up."""
SPLIT_AFTER: Final = 3
"""How often a chunk is interrupted before it is split, so that what can be processed is."""
MOST_LOSSES: Final = 10
"""How often the smallest chunk there can be, such as one line, loses its worker before it is given up."""
TURN: Final = 10.0
"""Seconds after which a worker lets another job have its turn."""


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
        plan = self.kinds[job.kind].plan(transaction, locked)
        planned = chunks.add_all(transaction, job.id, plan.parts)
        total = planned if locked.total is None else locked.total
        _log.info("job_planned", job=str(job.id), kind=job.kind, total=total)
        started_at = locked.started_at or transaction.now
        known = {"total": total, "received": plan.received, "planned_at": transaction.now, "started_at": started_at}
        return jobs.change(transaction, locked, JobState.RUNNING, **known)

    def _do_next(self, club_id: UUID, job_id: UUID) -> bool:
        """Claim a chunk and do it; false where there is none to claim."""
        with self.database.transaction(club_id) as transaction:
            job = jobs.share(transaction, job_id)
            if job.state is not JobState.RUNNING:
                return False
            chunk = chunks.claim(transaction, job_id, worker=self.name, lease=LEASE)
            if chunk is None:
                return False
        is_troubled = chunk.interruptions >= SPLIT_AFTER or chunk.failures >= MOST_FAILURES
        if not (is_troubled and self._split_or_give_up(club_id, chunk)):
            self._do(club_id, job, chunk)
        return True

    def _do(self, club_id: UUID, job: StoredJob, chunk: Chunk) -> None:
        try:
            with (
                kept_lease(self.database, club_id, chunk),
                self.database.transaction(club_id, actor=job.actor, request_id=job.request_id) as transaction,
            ):
                done = self.kinds[job.kind].work(transaction, job, chunk)
                if not chunks.end(transaction, chunk, done):
                    raise Overtaken
        except Overtaken:
            _log.warning("chunk_overtaken", job=str(job.id), chunk=chunk.number, attempt=chunk.attempt)
        except DatabaseError as error:
            with suppress(ServiceError):
                # Where nothing can be written now either, the lease ends by itself.
                self._release(club_id, chunk, error)
            raise
        except Busy as error:
            self._release(club_id, chunk, error)
        except Exception as error:
            _log.error(
                "chunk_failed",
                job=str(job.id),
                chunk=chunk.number,
                attempt=chunk.attempt,
                exception=show_exception(error),
            )
            reason, failures = show_exception(error).splitlines()[-1], chunk.failures + 1
            if failures >= MOST_FAILURES:
                self._split_or_give_up(club_id, replace(chunk, failures=failures, error=reason))
                return
            with self.database.transaction(club_id) as transaction:
                chunks.put_back(transaction, chunk, reason, timedelta(seconds=2**chunk.failures))

    def _release(self, club_id: UUID, chunk: Chunk, error: ServiceError) -> None:
        """Release a chunk for whose interruption it is not to blame."""
        _log.warning("chunk_interrupted", job=str(chunk.job_id), chunk=chunk.number, error=str(error))
        with self.database.transaction(club_id) as transaction:
            chunks.release(transaction, chunk, str(error))

    def _split_or_give_up(self, club_id: UUID, chunk: Chunk) -> bool:
        """Split a chunk, or give up one that cannot be split; false where it is to be processed once more."""
        shown = {"job": str(chunk.job_id), "chunk": chunk.number}
        try:
            with self.database.transaction(club_id) as transaction:
                job = jobs.lock(transaction, chunk.job_id)
                parts = self.kinds[job.kind].split(transaction, job, chunk)
                if parts:
                    if not chunks.split(transaction, chunk, parts):
                        raise Overtaken
                    _log.warning("chunk_split", **shown, parts=len(parts), interruptions=chunk.interruptions)
                    return True
                if chunk.losses < MOST_LOSSES and chunk.failures < MOST_FAILURES:
                    return False
                lost = f"its worker stopped {chunk.losses} times while processing it"
                reason = (chunk.error if chunk.failures >= MOST_FAILURES else None) or lost
                done = self.kinds[job.kind].give_up(transaction, job, chunk)
                is_ended = (
                    chunks.set_aside(transaction, chunk, reason)
                    if done is None
                    else chunks.end(transaction, chunk, done, reason)
                )
                if not is_ended:
                    raise Overtaken
                _log.error("chunk_given_up", **shown, reason=reason)
        except Overtaken:
            _log.warning("chunk_overtaken", **shown, attempt=chunk.attempt)
        return True

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
