"""Chunks are claimed by one worker at a time, and a worker that was overtaken ends nothing."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from service.audit import EventKind, record_event
from service.database import Database, Transaction
from service.jobs import lease, sweeping, work
from service.jobs.kinds import KINDS
from service.jobs.sweeping import sweep
from service.jobs.work import MOST_ATTEMPTS, Worker
from service.repository import chunks, imports, jobs, wake_ups
from service.repository.chunks import Chunk, Part
from service.repository.imports import Piece
from service.repository.jobs import JobState, StoredJob
from tests.postgres import Logins
from tests.service.racing import at_once
from tests.service.records import add_club

LEASE = timedelta(seconds=30)


class RecordEvents:
    """A kind of job for these tests: every chunk records an event, however often it is done."""

    def __init__(self, parts: int, failing: Iterable[int] = ()) -> None:
        self.parts = parts
        self.failing = set(failing)

    def plan(self, _transaction: Transaction, _job: StoredJob) -> Iterator[Part]:
        for number in range(1, self.parts + 1):
            yield Part(10, {"number": number})

    def work(self, transaction: Transaction, _job: StoredJob, chunk: Chunk) -> Mapping[str, Any]:
        number = chunk.part.what["number"]
        record_event(transaction, EventKind.PLAYER_NAMED, str(number).encode())
        if number in self.failing:
            raise ZeroDivisionError(f"chunk {number}")
        return {"events": 1}

    def set_aside(self, _transaction: Transaction, _job: StoredJob, _chunk: Chunk) -> None:
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


def test_two_workers_at_once_do_every_chunk_once(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    kind = RecordEvents(parts=40)
    at_once(*[partial(worker_of(database, kind, str(number)).work_on, club, job_id) for number in range(4)])
    # Who came while another was planning has left again, and is called by a message.
    worker_of(database, kind).work_on(club, job_id)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED
    assert recorded_events(database, club) == list(range(1, 41))
    with database.reading(club) as transaction:
        progress = jobs.get_progress(transaction, job_id)
    assert (progress.done, len(progress.results), progress.set_aside) == (400, 40, 0)


def test_no_chunk_is_claimed_twice_at_once(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    with database.transaction(club) as transaction:
        chunks.add_all(transaction, job_id, [Part(1, {}), Part(1, {})])
    with database.transaction(club) as one, database.transaction(club) as other:
        first = chunks.claim(one, job_id, worker="one", lease=LEASE)
        second = chunks.claim(other, job_id, worker="other", lease=LEASE)
        assert [found and found.number for found in (first, second)] == [1, 2]
        assert chunks.claim(one, job_id, worker="one", lease=LEASE) is None


def test_a_worker_that_was_overtaken_ends_nothing(database: Database, club: UUID) -> None:
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
        assert not chunks.end(transaction, slow, {})
        assert not chunks.put_back(transaction, slow, "late", LEASE)
        assert not chunks.set_aside(transaction, slow, "late")
        assert chunks.end(transaction, quick, {})
        assert not chunks.end(transaction, quick, {})


def test_what_an_overtaken_worker_did_is_undone(
    database: Database, club: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes so long that its lease ends, and another does the chunk meanwhile."""
    job_id = add_job(database, club)

    class Slow(RecordEvents):
        def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Mapping[str, Any]:
            worker_of(database, RecordEvents(parts=1), "quick").work_on(club, job_id)
            return {"events": 0}

    monkeypatch.setattr(work, "LEASE", timedelta(0))
    monkeypatch.setattr(lease, "_RENEWED_EVERY", 60.0)
    worker_of(database, Slow(parts=1), "slow").work_on(club, job_id)
    with database.reading(club) as transaction:
        progress = jobs.get_progress(transaction, job_id)
    assert progress.results == ({"events": 1},)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED


def test_a_lease_is_kept_as_long_as_the_work_takes(
    database: Database, club: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = add_job(database, club)

    class Long(RecordEvents):
        claimed_by_another: Chunk | None = None

        def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Mapping[str, Any]:
            transaction.connection.exec_driver_sql("SELECT pg_sleep(1.5)")
            with database.transaction(club) as another:
                self.claimed_by_another = chunks.claim(another, job_id, worker="another", lease=LEASE)
            return super().work(transaction, job, chunk)

    kind = Long(parts=1)
    for module in (work, lease):
        monkeypatch.setattr(module, "LEASE", timedelta(seconds=1))
    monkeypatch.setattr(lease, "_RENEWED_EVERY", 0.2)
    worker_of(database, kind).work_on(club, job_id)
    assert kind.claimed_by_another is None
    assert state_of(database, club, job_id) is JobState.SUCCEEDED


def test_a_chunk_that_keeps_failing_is_set_aside_and_the_rest_goes_on(
    database: Database, club: UUID, logins: Logins
) -> None:
    job_id = add_job(database, club)
    worker = worker_of(database, RecordEvents(parts=3, failing=[2]))
    for _ in range(MOST_ATTEMPTS):
        worker.work_on(club, job_id)
        hasten(database, club, job_id)
    with database.reading(club) as transaction:
        progress = jobs.get_progress(transaction, job_id)
        job = jobs.get(transaction, job_id)
        [error] = transaction.connection.exec_driver_sql("SELECT error FROM job_chunks WHERE error IS NOT NULL")
    assert (progress.done, progress.set_aside, job.state) == (20, 1, JobState.FAILED)
    assert error[0] == "ZeroDivisionError: chunk 2"
    assert recorded_events(database, club) == [1, 3]


def test_a_chunk_whose_workers_die_is_set_aside_too(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    worker = worker_of(database, RecordEvents(parts=2))
    with database.transaction(club) as transaction:
        job = jobs.lock(transaction, job_id)
        chunks.add_all(transaction, job_id, RecordEvents(parts=2).plan(transaction, job))
        jobs.change(transaction, job, JobState.RUNNING, planned_at=transaction.now)
        for _ in range(MOST_ATTEMPTS):
            claimed = chunks.claim(transaction, job_id, worker="doomed", lease=timedelta(0))
            assert claimed is not None
            assert claimed.number == 1
    worker.work_on(club, job_id)
    assert state_of(database, club, job_id) is JobState.FAILED
    assert recorded_events(database, club) == [2]


@pytest.mark.parametrize(
    ("asked", "ended"), [(JobState.PAUSED, JobState.PAUSED), (JobState.CANCELLING, JobState.CANCELLED)]
)
def test_a_paused_job_rests_and_a_cancelled_one_ends(
    database: Database, club: UUID, asked: JobState, ended: JobState
) -> None:
    job_id = add_job(database, club)

    class Interrupted(RecordEvents):
        def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Mapping[str, Any]:
            if chunk.number == 2:
                with database.transaction(club) as another:
                    jobs.change(another, jobs.lock(another, job.id), asked)
            return {}

    worker = worker_of(database, Interrupted(parts=5))
    for _ in range(2):
        worker.work_on(club, job_id)
    with database.reading(club) as transaction:
        assert jobs.get_progress(transaction, job_id).done == 20
    assert state_of(database, club, job_id) is ended


def test_the_sweep_finds_the_jobs_of_every_club_and_calls_workers_again(database: Database, logins: Logins) -> None:
    clubs = [add_club(logins.owner, name) for name in ("home", "away")]
    found = {add_job(database, club): club for club in clubs}
    called: list[UUID] = []
    sweep(database, {"record-events": RecordEvents(parts=1)}, called.append)
    assert sorted(called) == sorted(clubs)
    for job_id, club in found.items():
        with database.transaction(club) as transaction:
            assert [due.job_id for due in wake_ups.take_due(transaction)] == [job_id]
            # Sent once, it is not due again for a while.
            assert wake_ups.take_due(transaction) == []
    sweep(database, {}, called.append)


def test_a_job_whose_last_worker_died_after_its_last_chunk_is_ended_by_the_sweep(
    database: Database, club: UUID
) -> None:
    job_id = add_job(database, club)
    with database.transaction(club) as transaction:
        jobs.change(transaction, jobs.lock(transaction, job_id), JobState.RUNNING, planned_at=transaction.now)
    sweep(database, {"record-events": RecordEvents(parts=0)}, lambda _club: None)
    assert state_of(database, club, job_id) is JobState.SUCCEEDED


def test_what_was_received_by_a_web_worker_that_died_is_cleared_away(
    database: Database, club: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = uuid7()
    with database.transaction(club) as transaction:
        jobs.add(transaction, job_id, "import", {}, state=JobState.RECEIVING)
        imports.add_piece(transaction, job_id, Piece(1, 1, 1, b"{}\n"))
    sweep(database, KINDS, lambda _club: None)
    assert state_of(database, club, job_id) is JobState.RECEIVING
    monkeypatch.setattr(sweeping, "LONGEST_RECEIVED", timedelta(0))
    sweep(database, KINDS, lambda _club: None)
    assert state_of(database, club, job_id) is JobState.CANCELLED
    with database.reading(club) as transaction:
        assert imports.list_sizes(transaction, job_id) == []


def test_lines_of_a_chunk_that_was_given_up_are_told_as_refused(database: Database, club: UUID) -> None:
    job_id = uuid7()
    with database.transaction(club) as transaction:
        job = jobs.add(transaction, job_id, "import", {})
        imports.add_piece(transaction, job_id, Piece(1, 1, 2, b"{}\n\n{}\n"))
        chunks.add_all(transaction, job_id, KINDS["import"].plan(transaction, job))
        jobs.change(transaction, job, JobState.RUNNING, planned_at=transaction.now)
        for _ in range(MOST_ATTEMPTS):
            chunks.claim(transaction, job_id, worker="doomed", lease=timedelta(0))
    Worker("one", database, KINDS, announce=lambda _club: None).work_on(club, job_id)
    assert state_of(database, club, job_id) is JobState.FAILED
    with database.reading(club) as transaction:
        results = imports.find_results_after(transaction, job_id, 0)
        assert imports.list_sizes(transaction, job_id) == [(1, 2)], "the piece is no longer there to look at"
    assert results is not None
    told = [json.loads(line) for line in results[1].splitlines()]
    assert [(line["line"], line["status"], line["problem"]["code"]) for line in told] == [
        (1, "refused", "internal-error"),
        (3, "refused", "internal-error"),
    ]


def test_a_job_of_a_kind_not_known_here_is_left_to_newer_workers(database: Database, club: UUID) -> None:
    job_id = add_job(database, club)
    Worker("old", database, KINDS, announce=lambda _club: None).work_on(club, job_id)
    sweep(database, KINDS, lambda _club: None)
    assert state_of(database, club, job_id) is JobState.QUEUED


def hasten(database: Database, club: UUID, job_id: UUID) -> None:
    """Let the pause before the next attempt be over."""
    with database.transaction(club) as transaction:
        transaction.connection.exec_driver_sql("UPDATE job_chunks SET claimable_from = now() WHERE state = 'open'")
