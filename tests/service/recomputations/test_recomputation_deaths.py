"""Workers are killed during a recomputation, and its results are those of an undisturbed one."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from service.db import SERVICE_ROLE
from service.recomputations import job as recomputations
from service.server.embedded import OWNER, Cluster
from tests.service.recomputations.test_recomputations import START, differences, pay_less, play_rounds
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House, house_on, open_house
from tests.support.database.postgres import Logins, Server
from tests.support.import_lines import club_of, database_of
from tests.support.process_jobs import plan_job
from tests.support.server_process import running, wait_until
from tests.support.worker_process import ENDED, Working, wait_for, working

ROUNDS = 8


@pytest.fixture
def house(embedded_postgres: Server) -> Iterator[House]:
    with open_house(embedded_postgres) as opened:
        yield opened


def begin(house: House, api: Api, monkeypatch: pytest.MonkeyPatch, mode: str, audit: str | None = None) -> ApiResponse:
    """Start a recomputation, and split it into chunks of two rounds."""
    for limit in ("MOST_HANDS", "HANDS_ONE_BY_ONE"):
        monkeypatch.setattr(recomputations, limit, 8)
    which = {"scope": {}} if audit is None else {"audit": audit}
    sent = api.post(START, {**which, "mode": mode, "reason": "checked again"})
    plan_job(database_of(house), club_of(house, api), sent["id"])
    assert len(attempts(house, sent["id"])) == ROUNDS / 2
    return sent


def attempts(house: House, job: str) -> list[int]:
    """How often each chunk was begun."""
    rows = house.query("SELECT attempts FROM job_chunks WHERE job_id = %s ORDER BY number", job)
    return [attempt for (attempt,) in rows]


@contextmanager
def working_on(house: House, api: Api, job: ApiResponse, *, concurrency: int = 1) -> Iterator[Working]:
    """Start workers beside a job that rests until `resume`: while they start they read what every table is like."""
    assert api.request("POST", f"{job.headers['Location']}/pause")["state"] == "paused"
    with working(house.logins, concurrency=concurrency) as worker:
        yield worker


def resume(api: Api, job: ApiResponse) -> None:
    assert api.request("POST", f"{job.headers['Location']}/resume")["state"] == "running"


@contextmanager
def nobody_reads_departures(house: House) -> Iterator[None]:
    """Stop every worker in the middle of a chunk, when it has read most of it and written nothing."""
    with psycopg.connect(house.owner_url) as connection:
        connection.execute("LOCK TABLE departures IN ACCESS EXCLUSIVE MODE")
        yield


def waiting(house: House) -> int:
    query = "SELECT count(*) FROM pg_locks WHERE relation = 'departures'::regclass AND NOT granted"
    return int(house.query(query)[0][0])


def found_in(api: Api, ended: ApiResponse) -> list[Any]:
    return [(each["round"], each["hand"], each["column"] or each["kind"]) for each in differences(api, ended)]


@pytest.mark.thorough
@pytest.mark.parametrize("killed", [1, 2])
def test_each_killed_worker_costs_one_chunk(
    house: House, api: Api, monkeypatch: pytest.MonkeyPatch, killed: int
) -> None:
    _, ids = play_rounds(api, ROUNDS)
    for round_id in ids[::3]:
        pay_less(house, round_id)
    with working(house.logins):
        undisturbed = wait_for(api, begin(house, api, monkeypatch, "audit").headers["Location"])
    disturbed = begin(house, api, monkeypatch, "audit")
    with working_on(house, api, disturbed, concurrency=killed) as worker, nobody_reads_departures(house):
        resume(api, disturbed)
        assert wait_until(lambda: waiting(house) == killed)
        worker.kill()
    with working(house.logins):
        ended = wait_for(api, disturbed.headers["Location"])
    assert ended["state"] == "succeeded"
    assert ended["summary"] == undisturbed["summary"]
    assert found_in(api, ended) == found_in(api, undisturbed)
    assert [each["round"] for each in differences(api, ended)] == ids[::3]
    assert sum(attempts(house, disturbed["id"])) == ROUNDS / 2 + killed


@pytest.mark.thorough
def test_a_round_gets_one_revision_though_workers_die(house: House, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    _, ids = play_rounds(api, ROUNDS)
    for round_id in ids:
        pay_less(house, round_id)
    sent = begin(house, api, monkeypatch, "apply")
    with working_on(house, api, sent, concurrency=2) as worker, nobody_reads_departures(house):
        resume(api, sent)
        assert wait_until(lambda: waiting(house) == 2)
        worker.kill()
    with working(house.logins, concurrency=2):
        ended = wait_for(api, sent.headers["Location"])
    summary = ended["summary"]
    assert (summary["differing"], summary["applied"], summary["skipped"]) == (ROUNDS, ROUNDS, 0)
    assert house.query("SELECT count(*), count(DISTINCT round_id) FROM settlements WHERE revision > 1") == [
        (ROUNDS, ROUNDS)
    ]
    assert house.query("SELECT count(*) FROM events WHERE kind = 'round.recomputed'") == [(ROUNDS,)]


@pytest.mark.thorough
def test_an_audit_is_applied_once_though_workers_die(house: House, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    _, ids = play_rounds(api, ROUNDS)
    for round_id in ids:
        pay_less(house, round_id)
    audited = begin(house, api, monkeypatch, "audit")
    with working(house.logins):
        assert wait_for(api, audited.headers["Location"])["state"] == "succeeded"
    assert house.query("SELECT count(*), count(DISTINCT round_id) FROM audited_rounds") == [(ROUNDS, ROUNDS)]
    sent = begin(house, api, monkeypatch, "apply", audited["id"])
    with working_on(house, api, sent, concurrency=2) as worker, nobody_reads_departures(house):
        resume(api, sent)
        assert wait_until(lambda: waiting(house) == 2)
        worker.kill()
    with working(house.logins, concurrency=2):
        summary = wait_for(api, sent.headers["Location"])["summary"]
    assert (summary["differing"], summary["applied"], summary["skipped"]) == (ROUNDS, ROUNDS, 0)
    repeated = begin(house, api, monkeypatch, "apply", audited["id"])
    with working(house.logins):
        summary = wait_for(api, repeated.headers["Location"])["summary"]
    assert (summary["differing"], summary["applied"], summary["skipped"]) == (0, 0, ROUNDS)
    assert house.query("SELECT count(*), count(DISTINCT round_id) FROM settlements WHERE revision > 1") == [
        (ROUNDS, ROUNDS)
    ]


@pytest.mark.thorough
def test_a_killed_postgresql_costs_one_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`up` starts it again, and the worker goes on by itself."""
    cluster = Cluster(tmp_path)
    with running(tmp_path) as service, house_on(Logins(cluster.url(OWNER), cluster.url(SERVICE_ROLE))) as house:
        api = house.new_client()
        _, ids = play_rounds(api, ROUNDS)
        for round_id in ids[::3]:
            pay_less(house, round_id)
        with working(house.logins):
            undisturbed = wait_for(api, begin(house, api, monkeypatch, "audit").headers["Location"])
        disturbed = begin(house, api, monkeypatch, "apply")
        with working_on(house, api, disturbed) as busy:
            # What blocks other readers is a connection, which is closed too.
            with suppress(psycopg.OperationalError), nobody_reads_departures(house):
                resume(api, disturbed)
                assert wait_until(lambda: waiting(house) == 1)
                service.child("postgres").kill()
            assert wait_until(lambda: has_ended(api, disturbed), seconds=60), busy.log
        ended = api.get(disturbed.headers["Location"])
        assert ended["state"] == "succeeded"
        assert ended["summary"]["digest"] == undisturbed["summary"]["digest"]
        wrong = sorted(UUID(round_id) for round_id in ids[::3])
        summary = ended["summary"]
        assert (summary["differing"], summary["applied"], summary["skipped"]) == (len(wrong), len(wrong), 0)
        assert sorted(attempts(house, disturbed["id"])) == [1, 1, 1, 2]
        anew = house.query("SELECT round_id, revision FROM settlements WHERE revision > 1 ORDER BY 1")
        assert anew == [(round_id, 2) for round_id in wrong]
        assert house.query("SELECT count(*) FROM events WHERE kind = 'round.recomputed'") == [(len(wrong),)]


def has_ended(api: Api, job: ApiResponse) -> bool:
    """Return the state of a job, from a service whose database may be unavailable for a moment."""
    response = api.get(job.headers["Location"])
    return response.status == 200 and response["state"] in ENDED


def test_pausing_and_cancelling_work_within_a_chunk(house: House, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    play_rounds(api, ROUNDS)
    job = begin(house, api, monkeypatch, "audit")
    address = job.headers["Location"]
    with ExitStack() as held_up, working_on(house, api, job):
        held_up.enter_context(nobody_reads_departures(house))
        resume(api, job)
        assert wait_until(lambda: waiting(house) == 1)
        assert api.request("POST", f"{address}/pause")["state"] == "paused"
        held_up.close()
        rests = wait_for(api, address, lambda job: job["progress"]["done"] > 0)
        assert (rests["state"], rests["progress"]["done"]) == ("paused", 6)
        with nobody_reads_departures(house):
            assert api.request("POST", f"{address}/resume")["state"] == "running"
            assert wait_until(lambda: waiting(house) == 1)
            assert api.request("POST", f"{address}/cancel")["state"] == "cancelling"
        ended = wait_for(api, address)
    assert (ended["state"], ended["progress"]) == ("cancelled", {"done": 12, "total": 24})
