"""Chunks: each is processed once, whatever becomes of messages and workers."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from service.audit_trail.queries.events import EventKind, record_event
from service.db import Database, Transaction
from service.imports import queries as imports
from service.imports.queries import Piece
from service.jobs import work
from service.jobs.actions import cancel_job, pause_job, resume_job
from service.jobs.kind import Kind
from service.jobs.queries import chunks, jobs
from service.jobs.queries.chunks import MOST_MESSAGES, Chunk, Done, Part, Plan
from service.jobs.queries.jobs import JobState, StoredJob
from service.jobs.work import MOST_FAILURES, MOST_LOSSES, SPLIT_AFTER, Worker
from service.periodic import look_at_jobs
from service.worker import KINDS
from tests.support.database.insert_records import add_club
from tests.support.database.postgres import Logins
from tests.support.process_jobs import plan_job, work_on_job
from tests.support.race import at_once

NAME = "record-events"


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
        jobs.add(transaction, job_id, NAME, {})
    return job_id


def add_planned(database: Database, club: UUID, *parts: Part) -> UUID:
    job_id = add_job(database, club)
    with database.transaction(club) as transaction:
        chunks.add_all(transaction, job_id, parts)
        job = jobs.lock(transaction, job_id)
        jobs.change(transaction, job, JobState.RUNNING, planned_at=transaction.now, received=2)
    return job_id


def work_on(database: Database, club: UUID, job_id: UUID, kind: Kind) -> None:
    work_on_job(database, club, job_id, {NAME: kind})


def hasten(database: Database, club: UUID, job_id: UUID) -> None:
    """End every delay before the next attempt."""
    with database.transaction(club) as transaction:
        transaction.connection.exec_driver_sql(
            "UPDATE job_chunks SET send_at = now() - interval '1 hour' WHERE state = 'open'"
        )


def begin(transaction: Transaction, job_id: UUID) -> Chunk | None:
    """Receive a message about the first chunk that is due, and begin an attempt."""
    [number, *_] = chunks.take_due(transaction, job_id) or [0]
    return chunks.begin(transaction, job_id, number)


def die(database: Database, job_id: UUID, club: UUID, times: int) -> None:
    """Begin attempts of the first open chunk that lose their workers, without the delays between."""
    for _ in range(times):
        hasten(database, club, job_id)
        with database.transaction(club) as transaction:
            assert begin(transaction, job_id) is not None


def seconds_to_next(transaction: Transaction) -> int:
    query = "SELECT round(extract(epoch FROM send_at - clock_timestamp())) FROM job_chunks"
    return int(transaction.connection.exec_driver_sql(query).scalar_one())


def recorded_events(database: Database, club: UUID) -> list[int]:
    with database.reading(club) as transaction:
        recorded = transaction.connection.exec_driver_sql("SELECT content FROM events WHERE kind = 'player.named'")
        return sorted(int(content) for (content,) in recorded)


def state_of(database: Database, club: UUID, job_id: UUID) -> JobState:
    with database.reading(club) as transaction:
        return jobs.get(transaction, job_id).state


def counts_of(database: Database, club: UUID) -> list[tuple[int, ...]]:
    with database.reading(club) as transaction:
        query = "SELECT attempts, failures, interruptions FROM job_chunks ORDER BY number"
        return [tuple(row) for row in transaction.connection.exec_driver_sql(query)]


def test_workers_at_once_process_every_chunk_once(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    kinds: Mapping[str, Kind] = {NAME: RecordEvents(parts=40)}
    messages: list[tuple[UUID, UUID, int]] = []
    worker = Worker(database, kinds, send=lambda *message: messages.append(message))

    def receive() -> None:
        worker.look_at(club, job_id)
        while messages:
            message = messages.pop(0)
            worker.work_on(*message)
            # It is delivered twice.
            worker.work_on(*message)

    at_once(*[receive] * 4)
    receive()
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    assert recorded_events(database, club) == list(range(1, 41))
    assert counts_of(database, club) == [(1, 0, 0)] * 40


def test_a_chunk_in_progress_is_locked(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(1, {}), Part(1, {}))
    with database.transaction(club) as one:
        first = begin(one, job_id)
    assert first is not None
    assert first.number == 1
    hasten(database, club, job_id)
    with database.transaction(club) as one, database.transaction(club) as other:
        assert chunks.lock(one, first)
        assert not chunks.lock(other, first)
        assert chunks.take_due(other, job_id) == [2]
        assert chunks.begin(other, job_id, 1) is None


def test_a_message_begins_one_attempt(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(1, {}))
    with database.transaction(club) as transaction:
        assert chunks.begin(transaction, job_id, 1) is None, "no message was sent"
        assert chunks.take_due(transaction, job_id) == [1]
        assert chunks.take_due(transaction, job_id) == [], "it is sent again later"
        assert chunks.begin(transaction, job_id, 1) is not None
        assert chunks.begin(transaction, job_id, 1) is None, "it was delivered twice"
        assert chunks.begin(transaction, job_id, 7) is None, "there is no such chunk"


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_wrong_clock_delays_no_job(database: Database, club: UUID, hours: int) -> None:
    job_id, now = uuid7(), datetime.now(UTC) + timedelta(hours=hours)
    with database.transaction(club) as transaction:
        wrong = replace(transaction, now=now)
        jobs.add(wrong, job_id, NAME, {})
    sent: list[int] = []
    worker = Worker(database, {NAME: RecordEvents(parts=1)}, send=lambda _club, _job, number: sent.append(number))
    with database.transaction(club) as transaction:
        wrong = replace(transaction, now=now)
        chunks.add_all(wrong, job_id, [Part(1, {"number": 1})])
        jobs.change(wrong, jobs.lock(wrong, job_id), JobState.RUNNING, planned_at=now, started_at=now, received=1)
    worker.look_at(club, job_id)
    assert sent == [1]
    worker.work_on(club, job_id, 1)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED


def test_a_job_leaves_room_for_messages_of_others(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    kinds: Mapping[str, Kind] = {NAME: RecordEvents(parts=3 * MOST_MESSAGES)}
    sent: list[int] = []
    worker = Worker(database, kinds, send=lambda _club, _job, number: sent.append(number))
    worker.look_at(club, job_id)
    assert sent == list(range(1, MOST_MESSAGES + 1))
    worker.look_at(club, job_id)
    assert len(sent) == MOST_MESSAGES
    worker.work_on(club, job_id, 1)
    assert sent[MOST_MESSAGES:] == [MOST_MESSAGES + 1]


def test_the_pause_between_messages_that_nobody_receives_grows(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(1, {}))
    for pause in (30, 60, 120, 240, 480, 960, 1920, 1920):
        with database.transaction(club) as transaction:
            assert chunks.take_due(transaction, job_id) == [1]
            assert seconds_to_next(transaction) == pause
        hasten(database, club, job_id)


def test_thousands_of_chunks_are_inserted_without_a_gap(database: Database, club: UUID) -> None:
    job_id, parts = add_job(database, club), 3500
    with database.transaction(club) as transaction:
        total = chunks.add_all(
            transaction, job_id, RecordEvents(parts).plan(transaction, jobs.get(transaction, job_id)).parts
        )
        inserted = transaction.connection.exec_driver_sql("SELECT number, part FROM job_chunks ORDER BY number").all()
    assert total == 10 * parts
    assert [tuple(row) for row in inserted] == [(number, {"number": number}) for number in range(1, parts + 1)]


def test_a_failing_chunk_is_dead_lettered_and_others_are_processed(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    for _ in range(MOST_FAILURES):
        work_on(database, club, job_id, RecordEvents(parts=3, failing=[2]))
        hasten(database, club, job_id)
    with database.reading(club) as transaction:
        progress = jobs.get_progress(transaction, job_id)
        job = jobs.get(transaction, job_id)
        [error] = transaction.connection.exec_driver_sql("SELECT error FROM job_chunks WHERE error IS NOT NULL")
    assert (progress.done, progress.dead_lettered, job.state) == (20, 1, JobState.FAILED)
    assert error[0] == "ZeroDivisionError: chunk 2"
    assert recorded_events(database, club) == [1, 3]


def test_a_chunk_that_loses_its_workers_is_split(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(20, {"number": 0, "and": [1, 2]}))
    die(database, job_id, club, SPLIT_AFTER)
    hasten(database, club, job_id)
    work_on(database, club, job_id, RecordEvents(parts=2))
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    assert recorded_events(database, club) == [1, 2]


@pytest.mark.parametrize(
    ("lost", "state", "events"),
    [(MOST_LOSSES - 1, JobState.SUCCEEDED, [1, 2]), (MOST_LOSSES, JobState.FAILED, [2])],
)
def test_the_smallest_chunk_is_dead_lettered_after_ten_lost_workers(
    database: Database, club: UUID, lost: int, state: JobState, events: list[int]
) -> None:
    job_id = add_planned(database, club, Part(10, {"number": 1}), Part(10, {"number": 2}))
    die(database, job_id, club, lost)
    hasten(database, club, job_id)
    work_on(database, club, job_id, RecordEvents(parts=2))
    assert state_of(database, club, job_id) is state
    assert recorded_events(database, club) == events


def test_the_delay_of_a_chunk_grows_with_each_lost_worker(database: Database, club: UUID) -> None:
    job_id = add_planned(database, club, Part(10, {"number": 1}))
    for delay in (1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300):
        die(database, job_id, club, 1)
        with database.transaction(club) as transaction:
            assert seconds_to_next(transaction) == delay
            assert chunks.take_due(transaction, job_id) == []


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

    kind = Delayed(parts=2)
    while state_of(database, club, job_id) is JobState.RUNNING:
        work_on(database, club, job_id, kind)
        hasten(database, club, job_id)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    assert counts_of(database, club) == [(Delayed.delays + 1, 0, Delayed.delays), (1, 0, 0)]


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_paused_or_cancelled_job_ends_its_chunk_in_progress_only(
    database: Database, club: UUID, *, is_cancelled: bool
) -> None:
    job_id = add_job(database, club)
    change = cancel_job if is_cancelled else pause_job

    class Interrupted(RecordEvents):
        def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
            if chunk.number == 2:
                with database.transaction(club) as another:
                    change(another, job.id, NAME)
            return Done(1, {})

    work_on(database, club, job_id, Interrupted(parts=5))
    with database.reading(club) as transaction:
        assert jobs.get_progress(transaction, job_id).done == 20
    assert state_of(database, club, job_id) is (JobState.CANCELLED if is_cancelled else JobState.PAUSED)


def test_a_resumed_job_sends_its_messages_again(database: Database, club: UUID) -> None:
    job_id, kind = add_job(database, club), RecordEvents(parts=3)
    plan_job(database, club, job_id, {NAME: kind})
    sent: list[int] = []
    worker = Worker(database, {NAME: kind}, send=lambda _club, _job, number: sent.append(number))
    with database.transaction(club) as transaction:
        pause_job(transaction, job_id, NAME)
    worker.work_on(club, job_id, 1)
    assert (sent, recorded_events(database, club)) == ([], [])
    with database.transaction(club) as transaction:
        resume_job(transaction, job_id, NAME)
    worker.look_at(club, job_id)
    assert sent == [1, 2, 3]


def test_jobs_of_every_club_are_looked_at(database: Database, logins: Logins) -> None:
    clubs = [add_club(logins.owner, name) for name in ("home", "away")]
    expected = {(club, add_job(database, club), 1) for club in clubs}
    sent: list[tuple[UUID, UUID, int]] = []
    worker = Worker(database, {NAME: RecordEvents(parts=1)}, send=lambda *message: sent.append(message))
    look_at_jobs(worker)
    look_at_jobs(worker)
    assert len(sent) == len(clubs)
    assert set(sent) == expected


def test_a_job_whose_last_worker_was_lost_is_ended(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    with database.transaction(club) as transaction:
        job = jobs.lock(transaction, job_id)
        jobs.change(transaction, job, JobState.RUNNING, planned_at=transaction.now, received=0)
    look_at_jobs(Worker(database, {NAME: RecordEvents(parts=0)}, send=lambda *_: None))
    assert state_of(database, club, job_id) is JobState.SUCCEEDED


def test_incomplete_imports_of_lost_web_processes_are_deleted(
    database: Database, club: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = uuid7()
    with database.transaction(club) as transaction:
        jobs.add(transaction, job_id, "import", {}, state=JobState.RECEIVING)
        imports.add_piece(transaction, job_id, Piece(1, 1, 1, b"{}\n"))
    worker = Worker(database, KINDS, send=lambda *_: None)
    look_at_jobs(worker)
    assert state_of(database, club, job_id) is JobState.RECEIVING
    monkeypatch.setattr(work, "LONGEST_RECEIVED", timedelta(0))
    look_at_jobs(worker)
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
    die(database, job_id, club, SPLIT_AFTER)
    hasten(database, club, job_id)
    with database.transaction(club) as transaction:
        chunk = begin(transaction, job_id)
        assert chunk is not None
        chunks.split(transaction, chunk, KINDS["import"].split(transaction, job, chunk))
    die(database, job_id, club, MOST_LOSSES)
    hasten(database, club, job_id)
    work_on_job(database, club, job_id)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    with database.reading(club) as transaction:
        rows = [imports.find_results_after(transaction, job_id, line) for line in (0, 1)]
    results = [json.loads(result[1]) for result in rows if result is not None]
    assert [(result["line"], result["status"], result["problem"]["code"]) for result in results] == [
        (1, "refused", "internal-error"),
        (3, "refused", "request-invalid"),
    ]
    assert "line 1 could not be stored" in results[0]["problem"]["detail"]


def test_a_job_of_an_unknown_kind_is_left_to_newer_workers(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    look_at_jobs(Worker(database, KINDS, send=lambda *_: None))
    assert state_of(database, club, job_id) is JobState.QUEUED
