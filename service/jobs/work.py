"""Work on a job: plan its chunks, send messages about them, process one, end the job."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from service.database_errors import DatabaseError
from service.db import Database, Transaction
from service.errors import Busy, NotFound, ServiceError
from service.jobs.kind import Kind
from service.jobs.queries import chunks, jobs
from service.jobs.queries.chunks import Chunk, ChunkCounts
from service.jobs.queries.jobs import ENDED, JobState, StoredJob
from service.logs import format_exception, get_log
from service.trace_context import tracing

MOST_FAILURES: Final = 5
"""Number of failures after which a chunk is split or dead-lettered."""
SPLIT_AFTER: Final = 3
"""Number of interruptions and lost workers after which a chunk is split."""
MOST_LOSSES: Final = 10
"""Number of lost workers after which a chunk that cannot be split, for example one line, is dead-lettered."""
LONGEST_RECEIVED: Final = timedelta(days=1)
"""After this, who was sending what a job is to work on is not coming back."""

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class Worker:
    """
    A worker of jobs.

    Attributes:
        database: the database of the jobs.
        kinds: the kinds of jobs, by name.
        send: sends a message about a chunk, by the IDs of the club and the job and its number; it never fails.
    """

    database: Database
    kinds: Mapping[str, Kind]
    send: Callable[[UUID, UUID, int], None]

    def look_at(self, club_id: UUID, job_id: UUID) -> None:
        """
        Plan a job, end it if all its chunks have ended, or send the messages about its chunks that are due.

        A superfluous call changes nothing.

        Raises:
            DatabaseError: the database cannot be reached.
        """
        with self.database.transaction(club_id) as transaction:
            job = jobs.try_lock(transaction, job_id)
            if job is None or job.kind not in self.kinds:
                return
            with transaction.in_trace(job.traceparent):
                if self._is_over(transaction, job):
                    return
                if job.state is JobState.QUEUED:
                    job = self._plan(transaction, job)
            due = chunks.take_due(transaction, job_id) if job.state is JobState.RUNNING else []
        for number in due:
            self.send(club_id, job_id, number)

    def work_on(self, club_id: UUID, job_id: UUID, number: int) -> None:
        """
        Process a chunk of a job, if it is still to be processed; then look at the job.

        Raises:
            DatabaseError: the database cannot be reached; the chunk is retried later.
        """
        begun = self._begin(club_id, job_id, number)
        if begun is not None:
            job, chunk = begun
            keeps_failing = chunk.interruptions + chunk.lost_workers >= SPLIT_AFTER or chunk.failures >= MOST_FAILURES
            with tracing(job.traceparent):
                if not (keeps_failing and self._split_or_give_up(club_id, chunk)):
                    self._process(club_id, job, chunk)
        self.look_at(club_id, job_id)

    def _is_over(self, transaction: Transaction, job: StoredJob) -> bool:
        if job.state is JobState.RECEIVING:
            if job.created_at < transaction.now - LONGEST_RECEIVED:
                self.kinds[job.kind].end(transaction, jobs.change(transaction, job, JobState.CANCELLED))
            return True
        return end_if_over(transaction, job, self.kinds[job.kind])

    def _plan(self, transaction: Transaction, job: StoredJob) -> StoredJob:
        """Insert the chunks of a locked job."""
        plan = self.kinds[job.kind].plan(transaction, job)
        planned = chunks.add_all(transaction, job.id, plan.parts)
        total = planned if job.total is None else job.total
        _log.info("job_planned", job=str(job.id), kind=job.kind, total=total)
        started_at = job.started_at or transaction.now
        known = {"total": total, "received": plan.received, "planned_at": transaction.now, "started_at": started_at}
        return jobs.change(transaction, job, JobState.RUNNING, **known)

    def _begin(self, club_id: UUID, job_id: UUID, number: int) -> tuple[StoredJob, Chunk] | None:
        """Count an attempt of a chunk; return None if there is nothing to do."""
        with self.database.transaction(club_id) as transaction:
            try:
                job = jobs.lock_shared(transaction, job_id)
            except NotFound:
                # The broker can still have messages of a database that was restored.
                return None
            if job.kind not in self.kinds or job.state is not JobState.RUNNING:
                return None
            chunk = chunks.begin(transaction, job_id, number)
        return None if chunk is None else (job, chunk)

    def _process(self, club_id: UUID, job: StoredJob, chunk: Chunk) -> None:
        try:
            with self.database.transaction(club_id, actor=job.actor, request_id=job.request_id) as transaction:
                if not chunks.lock(transaction, chunk):
                    return
                chunks.end(transaction, chunk, self.kinds[job.kind].work(transaction, job, chunk))
        except (DatabaseError, Busy) as error:
            _log.warning("chunk_interrupted", job=str(job.id), chunk=chunk.number, error=str(error))
            # If this fails too, the attempt counts as one whose worker was lost.
            with suppress(ServiceError), self.database.transaction(club_id) as transaction:
                chunks.record_interruption(transaction, chunk, str(error))
        except Exception as error:
            trace = format_exception(error)
            _log.error("chunk_failed", job=str(job.id), chunk=chunk.number, attempt=chunk.attempts, exception=trace)
            failed = replace(chunk, failures=chunk.failures + 1, error=trace.splitlines()[-1])
            with self.database.transaction(club_id) as transaction:
                chunks.record_failure(transaction, failed)
            if failed.failures >= MOST_FAILURES:
                self._split_or_give_up(club_id, failed)

    def _split_or_give_up(self, club_id: UUID, chunk: Chunk) -> bool:
        """Split or dead-letter a chunk; return False if it is to be processed once more."""
        shown = {"job": str(chunk.job_id), "chunk": chunk.number}
        with self.database.transaction(club_id) as transaction:
            job = jobs.lock(transaction, chunk.job_id)
            if not chunks.lock(transaction, chunk):
                return True
            parts = self.kinds[job.kind].split(transaction, job, chunk)
            if parts:
                chunks.split(transaction, chunk, parts)
                _log.warning("chunk_split", **shown, parts=len(parts), attempts=chunk.attempts)
                return True
            if chunk.lost_workers < MOST_LOSSES and chunk.failures < MOST_FAILURES:
                return False
            lost = f"its worker stopped {chunk.lost_workers} times while processing it"
            reason = (chunk.error if chunk.failures >= MOST_FAILURES else None) or lost
            done = self.kinds[job.kind].give_up(transaction, job, chunk)
            if done is None:
                chunks.dead_letter(transaction, chunk, reason)
            else:
                chunks.end(transaction, chunk, done, reason)
            _log.error("chunk_given_up", **shown, reason=reason)
        return True


def end_if_over(transaction: Transaction, job: StoredJob, kind: Kind) -> bool:
    """
    End a job whose chunks have all ended, or a job that is being cancelled and has no chunk in progress.

    The job must be locked: two workers that end the last two chunks at once would each see the other's as open.

    Returns:
        Whether the job has ended, now or before.
    """
    if job.state in ENDED:
        return True
    if job.state is JobState.CANCELLING:
        chunks.drop_open(transaction, job.id)
    elif not job.is_planned:
        return False
    counts, failure = chunks.count_chunks(transaction, job.id), None
    if counts.open:
        return False
    state = JobState.CANCELLED
    if job.state is not JobState.CANCELLING:
        # A paused job has succeeded if its last chunk was in progress and has ended.
        failure = _find_failure(transaction, job, kind, counts)
        state = JobState.FAILED if failure else JobState.SUCCEEDED
    job = jobs.change(transaction, job, state, failure=failure)
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
