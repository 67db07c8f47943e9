"""Jobs with real workers that are killed: every chunk is processed exactly once."""

import os
import signal
from collections.abc import Iterator

import pytest

from service.imports.actions import imports
from service.jobs.app import LOOK_AT_JOB, WORK_ON_CHUNK
from tests.support.application import open_house
from tests.support.brokers import Broker
from tests.support.database.postgres import Server
from tests.support.job_service import CHUNKS, LINES, Room, check_outcome, lines
from tests.support.server_process import wait_until

pytestmark = pytest.mark.thorough

every_broker = pytest.mark.every_broker
every_server = pytest.mark.every_server


@pytest.fixture
def room(server: Server, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    # What is received is cut small, so that there is more than one chunk to claim.
    monkeypatch.setattr(imports, "MOST_LINES", LINES)
    with open_house(server, **broker.messages) as house:
        yield Room(house, broker, house.new_client())


STOPPED = ([1, 2], [1, 2, 3])
"""The chunks that are done when a worker stops at the second. A broker without an event loop delivers one more."""


def done_of(room: Room) -> list[int]:
    """Return the numbers of the chunks that are done."""
    return [number for (number,) in room.house.query("SELECT number FROM job_chunks WHERE state = 'done' ORDER BY 1")]


@every_broker
@every_server
def test_workers_process_an_import(room: Room) -> None:
    with room.work(concurrency=2):
        check_outcome(room, room.send(lines()))
    assert room.repeated_chunks() == 0


@every_broker
def test_a_job_created_without_workers_runs_when_one_starts(room: Room) -> None:
    job = room.send(lines())
    assert room.api.get(job)["state"] == "queued"
    with room.work():
        check_outcome(room, job)


@every_broker
def test_the_chunk_of_a_killed_process_is_retried(room: Room) -> None:
    with room.work() as worker:
        room.make_tables()
        with room.closed_gate():
            job = room.send(lines())
            assert wait_until(room.someone_waits_at_the_gate)
            [process] = worker.job_processes
            process.kill()
            # PostgreSQL notices that it is gone, and its successor waits at the gate.
            taken_over = "SELECT FROM job_chunks WHERE number = 2 AND attempts = 2"
            assert wait_until(lambda: bool(room.house.query(taken_over)), 30)
        check_outcome(room, job, beside=2)
        assert room.repeated_chunks() == 1
        assert len(worker.job_processes) == 1


@every_broker
def test_idle_processes_that_are_killed_are_replaced(room: Room) -> None:
    with room.work(concurrency=2) as worker:
        killed = worker.children
        for process in killed:
            process.kill()
        assert wait_until(lambda: len(set(worker.children) - set(killed)) == 3), worker.log
        check_outcome(room, room.send(lines()))
    assert room.repeated_chunks() == 0


@every_broker
def test_a_process_that_was_replaced_ends_its_chunk_when_the_worker_stops(room: Room) -> None:
    check_replaced_process_ends_its_chunk(room, signal.SIGTERM)


def test_a_process_that_was_replaced_ends_its_chunk_after_sigint(room: Room) -> None:
    """The process that receives the signal has no connection to a broker."""
    check_replaced_process_ends_its_chunk(room, signal.SIGINT)


def check_replaced_process_ends_its_chunk(room: Room, number: signal.Signals) -> None:
    with room.work() as worker:
        [first] = worker.job_processes
        first.kill()
        assert wait_until(lambda: worker.job_processes not in ([], [first])), worker.log
        with room.closed_gate():
            job = room.send(lines())
            assert wait_until(room.someone_waits_at_the_gate)
            worker.process.send_signal(number)
            assert not wait_until(lambda: worker.process.poll() is not None, seconds=3)
        worker.process.wait(timeout=60)
        assert done_of(room) in STOPPED
        assert room.house.query("SELECT max(attempts) FROM job_chunks") == [(1,)]
        assert room.api.get(job)["state"] == "running"


@pytest.mark.thorough
def test_a_chunk_that_outlasts_the_grace_of_a_stopping_worker_is_rolled_back(room: Room) -> None:
    with room.work() as worker, room.closed_gate():
        job = room.send(lines())
        assert wait_until(room.someone_waits_at_the_gate)
        worker.process.send_signal(signal.SIGTERM)
        worker.process.wait(timeout=60)
        assert 2 not in done_of(room)
    with room.work():
        check_outcome(room, job)


@every_broker
def test_chunks_of_workers_killed_at_once_are_retried(room: Room) -> None:
    with room.work(concurrency=2) as first, room.work(concurrency=1) as second:
        with room.closed_gate():
            job = room.send(lines())
            assert wait_until(room.someone_waits_at_the_gate)
            first.kill()
            second.kill()
            assert wait_until(lambda: not room.someone_waits_at_the_gate())
        assert room.api.get(job)["state"] == "running"
        with room.work(concurrency=2):
            check_outcome(room, job)
    assert room.repeated_chunks() <= 3


@every_broker
def test_a_message_delivered_five_times_does_no_harm(room: Room) -> None:
    job = room.send(lines())
    [(club_id, job_id)] = room.house.query("SELECT club_id, id FROM jobs")
    celery = room.broker.celery(room.house.logins.service)
    for _ in range(4):
        celery.send_task(LOOK_AT_JOB, (str(club_id), str(job_id)))
        celery.send_task(WORK_ON_CHUNK, (str(club_id), str(job_id), 1))
    with room.work(concurrency=3):
        check_outcome(room, job)
    assert room.repeated_chunks() == 0


@every_broker
def test_lost_messages_are_sent_again(room: Room) -> None:
    job = room.send(lines())
    if room.broker.url:
        room.broker.lose_messages()
    else:
        room.house.change("DELETE FROM shared.kombu_message")
    with room.work():
        check_outcome(room, job)
    assert room.repeated_chunks() == 0


@every_broker
def test_a_stopping_worker_finishes_its_chunk_only(room: Room) -> None:
    with room.work() as worker:
        with room.closed_gate():
            job = room.send(lines())
            assert wait_until(room.someone_waits_at_the_gate)
            worker.process.send_signal(signal.SIGTERM)
            assert not wait_until(lambda: worker.process.poll() is not None, seconds=2)
        assert worker.stop() == 0, worker.log
        assert done_of(room) in STOPPED
    with room.work():
        check_outcome(room, job)
    assert room.repeated_chunks() == 0


def test_the_transactions_of_a_killed_worker_are_rolled_back(room: Room) -> None:
    with room.work(concurrency=2) as worker:
        children = worker.children
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
        assert wait_until(lambda: not any(child.is_running() for child in children))


def test_consumed_messages_are_deleted(room: Room) -> None:
    with room.work():
        check_outcome(room, room.send(lines()))
        received = "SELECT count(*) FROM shared.kombu_message WHERE NOT visible"
        assert wait_until(lambda: room.house.query(received) > [(CHUNKS,)], 30)
        assert wait_until(lambda: room.house.query(received) <= [(CHUNKS,)], 30)
