"""Claims of chunks: one worker at a time, with leases."""

import json
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from service import sweeper
from service.db import Database, Transaction
from service.imports import queries as imports
from service.imports.queries import Piece
from service.jobs import work
from service.jobs.queries import chunks, jobs, workers
from service.jobs.queries.chunks import Chunk, Done, Part, Plan
from service.jobs.queries.jobs import JobState, StoredJob
from service.jobs.work import MOST_FAILURES, MOST_LOSSES, SPLIT_AFTER, Worker
from service.ledger.queries.events import EventKind, record_event
from service.sweeper import sweep
from service.worker import KINDS
from tests.support.database.insert_records import add_club
from tests.support.database.postgres import Logins
from tests.support.race import at_once

LEASE = timedelta(seconds=30)


class RecordEvents:
    """A kind of job for these tests: every attempt of a chunk records an event."""

    unit = "events"

    def __init__(self, parts: int, failing: Iterable[int] = ()) -> None:
        self.parts = parts
        self.failing = set(failing)

    def plan(self, _transaction: Transaction, _job: StoredJob) -> Plan:
        return Plan(self.parts, (Part(10, {"number": number}) for number in range(1, self.parts + 1)))

    def work(self, transaction: Transaction, _job: StoredJob, chunk: Chunk) -> Done:
        number = chunk.part.what["number"]
        record_event(transaction, EventKind.PLAYER_NAMED, str(number).encode())
        if number in self.failing:
            raise ZeroDivisionError(f"chunk {number}")
        return Done(1, {"events": 1})

    def split(self, _transaction: Transaction, _job: StoredJob, chunk: Chunk) -> list[Part]:
        """Split one chunk for two events into two chunks."""
        numbers = chunk.part.what.get("and", [])
        return [Part(chunk.part.size // len(numbers), {"number": number}) for number in numbers]

    def give_up(self, _transaction: Transaction, _job: StoredJob, _chunk: Chunk) -> None:
        pass

    def end(self, _transaction: Transaction, _job: StoredJob) -> None:
        pass


@pytest.fixture
def club(logins: Logins) -> UUID:
    return add_club(logins.owner)


def add_job(database: Database, club: UUID) -> UUID:
    job_id = uuid7()
    with database.transaction(club) as transaction:
        jobs.add(transaction, job_id, "record-events", {})
    return job_id


def worker_of(database: Database, kind: RecordEvents, name: str = "one") -> Worker:
    return Worker(name, database, {"record-events": kind}, announce=lambda _club: None)


def recorded_events(database: Database, club: UUID) -> list[int]:
    with database.reading(club) as transaction:
        recorded = transaction.connection.exec_driver_sql("SELECT content FROM events WHERE kind = 'player.named'")
        return sorted(int(content) for (content,) in recorded)


def state_of(database: Database, club: UUID, job_id: UUID) -> JobState:
    with database.reading(club) as transaction:
        return jobs.get(transaction, job_id).state


def test_two_workers_process_every_chunk_once(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    kind = RecordEvents(parts=40)
    at_once(*[partial(worker_of(database, kind, str(number)).work_on, club, job_id) for number in range(4)])
    # Who came while another was planning has left again, and is called by a message.
    worker_of(database, kind).work_on(club, job_id)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    assert recorded_events(database, club) == list(range(1, 41))
    with database.reading(club) as transaction:
        progress = jobs.get_progress(transaction, job_id)
    assert (progress.done, len(progress.results), progress.dead_lettered) == (400, 40, 0)


def test_a_chunk_is_claimed_by_one_worker_at_a_time(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    with database.transaction(club) as transaction:
        chunks.add_all(transaction, job_id, [Part(1, {}), Part(1, {})])
    with database.transaction(club) as one, database.transaction(club) as other:
        first = chunks.claim(one, job_id, worker="one", lease=LEASE)
        second = chunks.claim(other, job_id, worker="other", lease=LEASE)
        assert [found and found.number for found in (first, second)] == [1, 2]
        assert chunks.claim(one, job_id, worker="one", lease=LEASE) is None


def test_thousands_of_chunks_are_inserted_without_a_gap(database: Database, club: UUID) -> None:
    job_id, parts = add_job(database, club), 3500
    with database.transaction(club) as transaction:
        total = chunks.add_all(
            transaction, job_id, RecordEvents(parts).plan(transaction, jobs.get(transaction, job_id)).parts
        )
        inserted = transaction.connection.exec_driver_sql("SELECT number, part FROM job_chunks ORDER BY number").all()
    assert total == 10 * parts
    assert [tuple(row) for row in inserted] == [(number, {"number": number}) for number in range(1, parts + 1)]


def test_a_worker_without_the_lease_cannot_end_a_chunk(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    with database.transaction(club) as transaction:
        chunks.add_all(transaction, job_id, [Part(1, {})])
        slow = chunks.claim(transaction, job_id, worker="slow", lease=timedelta(0))
    assert slow is not None
    with database.transaction(club) as transaction:
        quick = chunks.claim(transaction, job_id, worker="quick", lease=LEASE)
        assert quick is not None
        assert quick.attempt == slow.attempt + 1
    with database.transaction(club) as transaction:
        assert not chunks.renew(transaction, slow, LEASE)
        assert not chunks.end(transaction, slow, Done(0, {}))
        assert not chunks.requeue(transaction, slow, "late", LEASE)
        assert not chunks.dead_letter(transaction, slow, "late")
        assert chunks.end(transaction, quick, Done(0, {}))
        assert not chunks.end(transaction, quick, Done(0, {}))


def test_the_work_of_a_worker_that_lost_its_lease_is_rolled_back(
    database: Database, club: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease expires, and another worker processes the chunk."""
    job_id = add_job(database, club)

    class Slow(RecordEvents):
        def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
            worker_of(database, RecordEvents(parts=1), "quick").work_on(club, job_id)
            return Done(0, {"events": 0})

    monkeypatch.setattr(work, "LEASE", timedelta(0))
    monkeypatch.setattr(work, "_RENEWAL_SECONDS", 60.0)
    worker_of(database, Slow(parts=1), "slow").work_on(club, job_id)
    with database.reading(club) as transaction:
        progress = jobs.get_progress(transaction, job_id)
    assert progress.results == ({"events": 1},)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED


def test_a_lease_is_renewed_while_a_chunk_is_processed(
    database: Database, club: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = add_job(database, club)

    class Long(RecordEvents):
        claimed_by_another: Chunk | None = None

        def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
            transaction.connection.exec_driver_sql("SELECT pg_sleep(6)")
            with database.transaction(club) as another:
                self.claimed_by_another = chunks.claim(another, job_id, worker="another", lease=LEASE)
            return super().work(transaction, job, chunk)

    kind = Long(parts=1)
    monkeypatch.setattr(work, "LEASE", timedelta(seconds=5))
    monkeypatch.setattr(work, "_RENEWAL_SECONDS", 0.2)
    worker_of(database, kind).work_on(club, job_id)
    assert kind.claimed_by_another is None
    assert state_of(database, club, job_id) is JobState.SUCCEEDED


def test_a_failing_chunk_is_dead_lettered_and_others_are_processed(
    database: Database, club: UUID, logins: Logins
) -> None:
    job_id = add_job(database, club)
    worker = worker_of(database, RecordEvents(parts=3, failing=[2]))
    for _ in range(MOST_FAILURES):
        worker.work_on(club, job_id)
        hasten(database, club, job_id)
    with database.reading(club) as transaction:
        progress = jobs.get_progress(transaction, job_id)
        job = jobs.get(transaction, job_id)
        [error] = transaction.connection.exec_driver_sql("SELECT error FROM job_chunks WHERE error IS NOT NULL")
    assert (progress.done, progress.dead_lettered, job.state) == (20, 1, JobState.FAILED)
    assert error[0] == "ZeroDivisionError: chunk 2"
    assert recorded_events(database, club) == [1, 3]


def die(database: Database, job_id: UUID, club: UUID, times: int) -> None:
    """Claim the first open chunk several times with leases that expire immediately, without the delays between."""
    for _ in range(times):
        hasten(database, club, job_id)
        with database.transaction(club) as transaction:
            assert chunks.claim(transaction, job_id, worker="doomed", lease=timedelta(0)) is not None


def add_planned(database: Database, club: UUID, *parts: Part) -> UUID:
    job_id = add_job(database, club)
    with database.transaction(club) as transaction:
        chunks.add_all(transaction, job_id, parts)
        job = jobs.lock(transaction, job_id)
        jobs.change(transaction, job, JobState.RUNNING, planned_at=transaction.now, received=2)
    return job_id


def test_a_chunk_that_loses_its_workers_is_split(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(20, {"number": 0, "and": [1, 2]}))
    die(database, job_id, club, SPLIT_AFTER)
    hasten(database, club, job_id)
    worker_of(database, RecordEvents(parts=2)).work_on(club, job_id)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    assert recorded_events(database, club) == [1, 2]


def test_lost_workers_do_not_count_as_failures(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(10, {"number": 1}), Part(10, {"number": 2}))
    die(database, job_id, club, MOST_LOSSES - 1)
    hasten(database, club, job_id)
    worker_of(database, RecordEvents(parts=2)).work_on(club, job_id)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    assert recorded_events(database, club) == [1, 2]


def test_the_smallest_chunk_is_dead_lettered_after_ten_lost_workers(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(10, {"number": 1}), Part(10, {"number": 2}))
    die(database, job_id, club, MOST_LOSSES + 1)
    hasten(database, club, job_id)
    worker_of(database, RecordEvents(parts=2)).work_on(club, job_id)
    assert state_of(database, club, job_id) is JobState.FAILED
    assert recorded_events(database, club) == [2]


def test_the_delay_of_a_chunk_grows_with_each_lost_worker(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(10, {"number": 1}))

    def standing(seconds: int) -> chunks.ChunkCounts:
        """Return the counts if the lease expired so many seconds ago."""
        with database.transaction(club, rolled_back=True) as transaction:
            transaction.connection.exec_driver_sql(
                f"UPDATE job_chunks SET claimable_from = clock_timestamp() - interval '{seconds} seconds'"
            )
            return chunks.count_chunks(transaction, job_id)

    for rest in (0, 1, 3, 7, 15, 31, 63, 127, 255, 300):
        die(database, job_id, club, 1)
        assert standing(rest).claimable == 1
        if rest:
            assert (standing(rest - 1).claimable, standing(rest - 1).later) == (0, 1)


def test_interruptions_do_not_count_as_failures(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(10, {"number": 1}), Part(10, {"number": 2}))

    class Delayed(RecordEvents):
        delays = MOST_FAILURES + MOST_LOSSES

        def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
            if chunk.number == 1 and self.delays:
                self.delays -= 1
                transaction.connection.exec_driver_sql("SET LOCAL statement_timeout = 1")
                transaction.connection.exec_driver_sql("SELECT pg_sleep(1)")
            return super().work(transaction, job, chunk)

    worker = worker_of(database, Delayed(parts=2))
    while state_of(database, club, job_id) is JobState.RUNNING:
        worker.work_on(club, job_id)
        hasten(database, club, job_id)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    with database.reading(club) as transaction:
        counted = transaction.connection.exec_driver_sql("SELECT failures, interruptions FROM job_chunks").all()
    assert sorted(tuple(row) for row in counted) == [(0, 0), (0, MOST_FAILURES + MOST_LOSSES)]


@pytest.mark.parametrize(
    ("requested", "ended"), [(JobState.PAUSED, JobState.PAUSED), (JobState.CANCELLING, JobState.CANCELLED)]
)
def test_a_paused_job_waits_and_a_cancelled_one_ends(
    database: Database, club: UUID, requested: JobState, ended: JobState
) -> None:
    job_id = add_job(database, club)

    class Interrupted(RecordEvents):
        def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
            if chunk.number == 2:
                with database.transaction(club) as another:
                    jobs.change(another, jobs.lock(another, job.id), requested)
            return Done(1, {})

    worker = worker_of(database, Interrupted(parts=5))
    for _ in range(2):
        worker.work_on(club, job_id)
    with database.reading(club) as transaction:
        assert jobs.get_progress(transaction, job_id).done == 20
    assert state_of(database, club, job_id) is ended


def test_the_sweeper_notifies_workers_of_jobs_of_every_club(database: Database, logins: Logins) -> None:
    clubs = [add_club(logins.owner, name) for name in ("home", "away")]
    found = {add_job(database, club): club for club in clubs}
    called: list[UUID] = []
    sweep(database, {"record-events": RecordEvents(parts=1)}, called.append)
    assert sorted(called) == sorted(clubs)
    for job_id, club in found.items():
        with database.transaction(club) as transaction:
            assert [due.job_id for due in workers.claim_due_messages(transaction)] == [job_id]
            # Sent once, it is not due again for a while.
            assert workers.claim_due_messages(transaction) == []
    sweep(database, {}, called.append)


def test_the_sweeper_ends_a_job_whose_last_worker_was_lost(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    with database.transaction(club) as transaction:
        jobs.change(
            transaction, jobs.lock(transaction, job_id), JobState.RUNNING, planned_at=transaction.now, received=0
        )
    sweep(database, {"record-events": RecordEvents(parts=0)}, lambda _club: None)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED


def test_the_sweeper_deletes_incomplete_imports_of_lost_web_workers(
    database: Database, club: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = uuid7()
    with database.transaction(club) as transaction:
        jobs.add(transaction, job_id, "import", {}, state=JobState.RECEIVING)
        imports.add_piece(transaction, job_id, Piece(1, 1, 1, b"{}\n"))
    sweep(database, KINDS, lambda _club: None)
    assert state_of(database, club, job_id) is JobState.RECEIVING
    monkeypatch.setattr(sweeper, "LONGEST_RECEIVED", timedelta(0))
    sweep(database, KINDS, lambda _club: None)
    assert state_of(database, club, job_id) is JobState.CANCELLED
    with database.reading(club) as transaction:
        assert imports.list_sizes(transaction, job_id) == []


def test_a_line_that_loses_ten_workers_is_rejected_alone(database: Database, club: UUID) -> None:
    job_id = uuid7()
    with database.transaction(club) as transaction:
        job = jobs.add(transaction, job_id, "import", {})
        imports.add_piece(transaction, job_id, Piece(1, 1, 2, b"{}\n\n{}\n"))
        chunks.add_all(transaction, job_id, KINDS["import"].plan(transaction, job).parts)
        jobs.change(transaction, job, JobState.RUNNING, planned_at=transaction.now, received=2)
    die(database, job_id, club, SPLIT_AFTER + 1)
    hasten(database, club, job_id)
    with database.transaction(club) as transaction:
        chunk = chunks.claim(transaction, job_id, worker="one", lease=timedelta(0))
        assert chunk is not None
        chunks.split(transaction, chunk, KINDS["import"].split(transaction, job, chunk))
    die(database, job_id, club, MOST_LOSSES + 1)
    hasten(database, club, job_id)
    Worker("one", database, KINDS, announce=lambda _club: None).work_on(club, job_id)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    with database.reading(club) as transaction:
        first = imports.find_results_after(transaction, job_id, 0)
        second = imports.find_results_after(transaction, job_id, 1)
    assert first is not None
    assert second is not None
    results = [json.loads(content) for _, content in (first, second)]
    assert [(result["line"], result["status"], result["problem"]["code"]) for result in results] == [
        (1, "refused", "internal-error"),
        (3, "refused", "request-invalid"),
    ]
    assert "line 1 could not be stored" in results[0]["problem"]["detail"]


def test_a_job_of_an_unknown_kind_is_left_to_newer_workers(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    Worker("old", database, KINDS, announce=lambda _club: None).work_on(club, job_id)
    sweep(database, KINDS, lambda _club: None)
    assert state_of(database, club, job_id) is JobState.QUEUED


def hasten(database: Database, club: UUID, job_id: UUID) -> None:
    """End every delay before the next attempt."""
    with database.transaction(club) as transaction:
        transaction.connection.exec_driver_sql(
            "UPDATE job_chunks SET claimable_from = now() - interval '1 hour' WHERE state = 'open'"
        )
