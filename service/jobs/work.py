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
from service.jobs.queries import chunks, jobs, workers
from service.jobs.queries.chunks import Chunk, ChunkCounts
from service.jobs.queries.jobs import ENDED, JobState, StoredJob
from service.logs import format_exception, get_log

LEASE: Final = timedelta(seconds=10)
"""Duration of the claim of a chunk, unless it is renewed."""
_RENEWAL_SECONDS: Final = LEASE.total_seconds() / 4

_log = get_log(__name__)


@contextmanager
def renewed_lease(database: Database, club_id: UUID, chunk: Chunk) -> Iterator[None]:
    """
    Renew the lease of a chunk until the block ends.

    The lease is renewed on a separate connection, because writes of the block are invisible until it commits. If the
    renewal fails, the block continues; if another worker claims the chunk, the block cannot commit.
    """
    has_ended = threading.Event()

    def renew() -> None:
        while not has_ended.wait(_RENEWAL_SECONDS):
            try:
                with database.transaction(club_id) as transaction:
                    if not chunks.renew(transaction, chunk, LEASE):
                        return
            except ServiceError as error:
                _log.warning("lease_renewal_failed", job=str(chunk.job_id), chunk=chunk.number, error=str(error))

    thread = threading.Thread(target=renew, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()


def end_if_over(transaction: Transaction, job: StoredJob, kind: Kind) -> bool:
    """
    End a job whose chunks are all processed, or a job that is being cancelled and has no chunk in progress.

    The job must be locked: two workers that end the last two chunks at once would each see the other's as open.

    Returns:
        Whether the job has ended, now or before.
    """
    if job.state in ENDED:
        return True
    counts, failure = chunks.count_chunks(transaction, job.id), None
    if job.state is JobState.CANCELLING and not counts.claimed:
        chunks.drop_open(transaction, job.id)
        state = JobState.CANCELLED
    elif job.is_planned and counts.is_over:
        # A paused or cancelled job has succeeded if its last chunk was in progress and has ended.
        failure = _find_failure(transaction, job, kind, counts)
        state = JobState.FAILED if failure else JobState.SUCCEEDED
    else:
        return False
    job = jobs.change(transaction, job, state, failure=failure)
    workers.remove_messages(transaction, job.id)
    kind.end(transaction, job)
    _log.info("job_ended", job=str(job.id), kind=job.kind, state=job.state.value)
    return True


def _find_failure(transaction: Transaction, job: StoredJob, kind: Kind, counts: ChunkCounts) -> str | None:
    """Return why a job without open chunks has failed; None if it has accounted for everything that it received."""
    accounted = chunks.count_accounted(transaction, job.id)
    if counts.dead_lettered:
        return (
            f"{counts.dead_lettered} of its chunks could not be processed; report this to the operator of the service"
        )
    if accounted == job.received:
        return None
    _log.error("job_unaccounted", job=str(job.id), kind=job.kind, received=job.received, accounted=accounted)
    received = "an unknown number" if job.received is None else job.received
    return (
        f"{received} {kind.unit} were received and {accounted} are accounted for;"
        " start it again, and report this to the operator of the service"
    )


MOST_FAILURES: Final = 5
"""Number of failures after which a chunk is split or dead-lettered."""
SPLIT_AFTER: Final = 3
"""Number of interruptions after which a chunk is split."""
MOST_LOSSES: Final = 10
"""Number of lost workers after which a chunk that cannot be split, for example one line, is dead-lettered."""
TURN: Final = 10.0
"""Seconds after which a worker changes to another job."""


class LeaseLost(Exception):
    """Another worker has claimed the chunk, or a wipe deleted it; the transaction is rolled back."""


@dataclass(frozen=True, slots=True)
class Worker:
    """
    A worker of jobs.

    Attributes:
        name: the name that claims are recorded with.
        database: the database of the jobs.
        kinds: the kinds of jobs, by name.
        announce: sends the messages in a club's outbox.
        is_stopping: whether to start no further chunk.
    """

    name: str
    database: Database
    kinds: Mapping[str, Kind]
    announce: Callable[[UUID], None]
    is_stopping: Callable[[], bool] = lambda: False

    def work_on(self, club_id: UUID, job_id: UUID) -> None:
        """
        Process chunks of a job for some seconds, or until no chunk is left to claim.

        A superfluous call changes nothing.

        Raises:
            DatabaseError: the database cannot be reached; the chunk in progress is retried later.
        """
        slots = self._slots()
        if not self._begin(club_id, job_id, slots):
            return
        self.announce(club_id)
        turn_ends = time.monotonic() + TURN
        while not self.is_stopping() and time.monotonic() < turn_ends:
            if not self._process_next(club_id, job_id):
                break
        with self.database.transaction(club_id) as transaction:
            job = jobs.lock(transaction, job_id)
            if not end_if_over(transaction, job, self.kinds[job.kind]):
                notify_workers(transaction, job, slots)
        self.announce(club_id)

    def _begin(self, club_id: UUID, job_id: UUID, slots: int) -> bool:
        """Acknowledge the message, and plan the job if it is not planned; return False if there is nothing to do."""
        with self.database.transaction(club_id) as transaction:
            workers.acknowledge_message(transaction, job_id)
            job = jobs.get(transaction, job_id)
            if job.kind not in self.kinds or job.state not in (JobState.QUEUED, JobState.RUNNING, JobState.CANCELLING):
                return False
            if job.state is not JobState.CANCELLING and not job.is_planned:
                planned = self._plan(transaction, job)
                if planned is None:
                    return False
                job = planned
            notify_workers(transaction, job, slots)
        return True

    def _plan(self, transaction: Transaction, job: StoredJob) -> StoredJob | None:
        """Insert the chunks of a job; return None if another worker is planning it."""
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

    def _process_next(self, club_id: UUID, job_id: UUID) -> bool:
        """Claim a chunk and process it; return False if there is none to claim."""
        with self.database.transaction(club_id) as transaction:
            job = jobs.lock_shared(transaction, job_id)
            if job.state is not JobState.RUNNING:
                return False
            chunk = chunks.claim(transaction, job_id, worker=self.name, lease=LEASE)
            if chunk is None:
                return False
        keeps_failing = chunk.interruptions >= SPLIT_AFTER or chunk.failures >= MOST_FAILURES
        if not (keeps_failing and self._split_or_give_up(club_id, chunk)):
            self._process(club_id, job, chunk)
        return True

    def _process(self, club_id: UUID, job: StoredJob, chunk: Chunk) -> None:
        try:
            with (
                renewed_lease(self.database, club_id, chunk),
                self.database.transaction(club_id, actor=job.actor, request_id=job.request_id) as transaction,
            ):
                # A wipe of a test club can delete the job after the claim.
                if not chunks.is_claimed(transaction, chunk):
                    raise LeaseLost
                done = self.kinds[job.kind].work(transaction, job, chunk)
                if not chunks.end(transaction, chunk, done):
                    raise LeaseLost
        except LeaseLost:
            _log.warning("lease_lost", job=str(job.id), chunk=chunk.number, attempt=chunk.attempt)
        except DatabaseError as error:
            with suppress(ServiceError):
                # If this fails too, the lease expires.
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
                exception=format_exception(error),
            )
            reason, failures = format_exception(error).splitlines()[-1], chunk.failures + 1
            if failures >= MOST_FAILURES:
                self._split_or_give_up(club_id, replace(chunk, failures=failures, error=reason))
                return
            with self.database.transaction(club_id) as transaction:
                chunks.requeue(transaction, chunk, reason, timedelta(seconds=2**chunk.failures))

    def _release(self, club_id: UUID, chunk: Chunk, error: ServiceError) -> None:
        """Release a chunk after an interruption, which is no failure of the chunk."""
        _log.warning("chunk_interrupted", job=str(chunk.job_id), chunk=chunk.number, error=str(error))
        with self.database.transaction(club_id) as transaction:
            chunks.release(transaction, chunk, str(error))

    def _split_or_give_up(self, club_id: UUID, chunk: Chunk) -> bool:
        """Split or dead-letter a chunk; return False if it is to be processed once more."""
        shown = {"job": str(chunk.job_id), "chunk": chunk.number}
        try:
            with self.database.transaction(club_id) as transaction:
                job = jobs.lock(transaction, chunk.job_id)
                parts = self.kinds[job.kind].split(transaction, job, chunk)
                if parts:
                    if not chunks.split(transaction, chunk, parts):
                        raise LeaseLost
                    _log.warning("chunk_split", **shown, parts=len(parts), interruptions=chunk.interruptions)
                    return True
                if chunk.lost_workers < MOST_LOSSES and chunk.failures < MOST_FAILURES:
                    return False
                lost = f"its worker stopped {chunk.lost_workers} times while processing it"
                reason = (chunk.error if chunk.failures >= MOST_FAILURES else None) or lost
                done = self.kinds[job.kind].give_up(transaction, job, chunk)
                is_ended = (
                    chunks.dead_letter(transaction, chunk, reason)
                    if done is None
                    else chunks.end(transaction, chunk, done, reason)
                )
                if not is_ended:
                    raise LeaseLost
                _log.error("chunk_given_up", **shown, reason=reason)
        except LeaseLost:
            _log.warning("lease_lost", **shown, attempt=chunk.attempt)
        return True

    def _slots(self) -> int:
        with self.database.outside_clubs() as connection:
            return sum(worker.concurrency for worker in workers.list_active(connection))


def notify_workers(transaction: Transaction, job: StoredJob, slots: int) -> None:
    """Ensure a message in flight for each claimable chunk of a job, up to the number of worker slots."""
    counts = chunks.count_chunks(transaction, job.id)
    is_claimable = job.state is JobState.RUNNING and counts.claimable
    is_to_begin = job.state is JobState.QUEUED
    wanted = min(counts.claimable, max(slots, 1)) if is_claimable else int(is_to_begin)
    workers.ensure_messages(transaction, job.id, wanted)
