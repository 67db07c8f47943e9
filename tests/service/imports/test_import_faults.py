"""Faults during an import: one line does not affect another."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import psycopg
import pytest

from service.db import Database
from service.jobs.work import MOST_FAILURES
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.import_lines import club_of
from tests.support.log_capture import Log
from tests.support.process_jobs import Club, rounds_to_import, work_on_job
from tests.support.sample_rounds import changed
from tests.support.server_process import wait_until
from tests.support.worker_process import lines_of, post_import, results_of

LINES = 40
POISON = (7, 8, 40)
TRIGGER = """
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.reference LIKE 'poison%%' THEN
            RAISE EXCEPTION 'out of paper' USING ERRCODE = '{}';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER fail BEFORE INSERT ON rounds FOR EACH ROW EXECUTE FUNCTION fail();
"""


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    with open_house(embedded_postgres) as opened:
        yield opened


@pytest.fixture
def club(house: House) -> Club:
    return Club(house, house.new_client())


@contextmanager
def failing(house: House, code: str) -> Iterator[None]:
    """Make PostgreSQL raise an error with a code when a poisoned round is stored."""
    house.change(TRIGGER.format(code))
    try:
        yield
    finally:
        house.change("DROP FUNCTION fail CASCADE")


def test_an_unhandled_exception_refuses_only_its_line(house: House, club: Club, log: Log) -> None:
    documents = rounds_to_import(LINES)
    for line in POISON:
        documents[line - 1] = changed(documents[line - 1], ("reference", f"poison {line}"))
    lines = [*documents, b"{", documents[0]]
    with failing(house, "P0001"):
        sent = post_import(club.api, lines_of(lines))
        job = sent.headers["Location"]
        ended = club.work_on(job)
    stored = LINES - len(POISON)
    assert ended["state"] == "succeeded"
    assert ended["summary"] == {"rounds": stored, "replayed": 1, "refused": len(POISON) + 1, "hands": stored}
    results = results_of(club.api, job)
    codes = {result["line"]: result["problem"]["code"] for result in results if result["status"] == "refused"}
    assert codes == {**dict.fromkeys(POISON, "internal-error"), LINES + 1: "json-invalid"}
    problem = results[6]["problem"]
    assert "line 7 could not be stored" in problem["detail"]
    assert f"report request {problem['request_id']}" in problem["detail"]
    assert problem["request_id"] == sent.headers["Request-Id"]
    failed = [event for event in log.events if event["event"] == "line_failed"]
    assert [(event["line"], event["request_id"]) for event in failed] == [
        (line, problem["request_id"]) for line in POISON
    ]
    # Once the fault is mended, the same file stores what is missing.
    again = club.work_on(post_import(club.api, lines_of(lines)).headers["Location"])
    assert (again["summary"]["rounds"], again["summary"]["replayed"]) == (len(POISON), stored + 1)


@pytest.mark.parametrize("code", ["40P01", "57014"], ids=["deadlock", "statement timeout"])
def test_a_database_error_refuses_no_line(house: House, club: Club, code: str) -> None:
    documents = rounds_to_import(4)
    documents[1] = changed(documents[1], ("reference", "poison"))
    job = post_import(club.api, lines_of(documents)).headers["Location"]
    with failing(house, code):
        for _ in range(MOST_FAILURES + 3):
            response = club.work_once(job)
            club.hasten(job)
    # The chunk was split in the end, so that the others had not to wait.
    assert (response["state"], response["progress"]["done"], response["summary"]["refused"]) == ("running", 3, 0)
    ended = club.work_on(job)
    assert (ended["state"], ended["summary"]["rounds"], ended["summary"]["refused"]) == ("succeeded", 4, 0)
    assert [result["line"] for result in results_of(club.api, job)] == [1, 2, 3, 4]


def test_a_line_that_kills_every_worker_does_not_stop_other_lines(club: Club) -> None:
    """Each worker is a process of its own, and is killed as soon as it is at the second line."""
    documents = rounds_to_import(4)
    documents[1] = changed(documents[1], ("table", "gate"))
    job = post_import(club.api, lines_of(documents)).headers["Location"]
    club.plan(job)
    kills = 0
    with closed_gate(club):
        while (response := club.api.get(job))["progress"]["done"] < 3:
            assert kills < 20, response
            kills += kill_at_the_gate(club, UUID(response["id"]))
    assert kills >= 3
    assert (response["state"], response["summary"]["refused"]) == ("running", 0)
    ended = club.work_on(job)
    assert (ended["state"], ended["summary"]["rounds"], ended["summary"]["refused"]) == ("succeeded", 4, 0)
    assert [result["line"] for result in results_of(club.api, job)] == [1, 2, 3, 4]


@contextmanager
def closed_gate(club: Club) -> Iterator[None]:
    """Hold the lock of the table `gate`, so that a worker stops there."""
    name = f"{club_of(club.house, club.api)} gate"
    with psycopg.connect(club.house.owner_url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        yield


def kill_at_the_gate(club: Club, job_id: UUID) -> int:
    """Start a worker, kill it once it is at the gate, and return how many were killed."""
    waiting = "FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    url, club_id = club.house.logins.service, club_of(club.house, club.api)

    def process() -> None:
        work_on_job(Database(url, is_worker=True), club_id, job_id)

    worker = multiprocessing.get_context("fork").Process(target=process)
    worker.start()
    try:
        assert wait_until(lambda: bool(club.house.query(f"SELECT pid {waiting}")) or not worker.is_alive(), 60)
        was_alive = worker.is_alive()
    finally:
        worker.kill()
        worker.join()
    # PostgreSQL would notice in some seconds that whoever waits was killed.
    club.house.query(f"SELECT pg_terminate_backend(pid) {waiting}")
    assert wait_until(lambda: not club.house.query(f"SELECT pid {waiting}"))
    return int(was_alive)
