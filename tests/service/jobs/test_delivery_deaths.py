"""The broker or the database is killed during a job: every chunk is processed exactly once."""

import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import httpx2
import psycopg
import pytest

from service.imports.actions import imports
from service.server.embedded import OWNER, Cluster
from tests.support.application import open_house
from tests.support.brokers import ADDRESSES, Broker, OwnRedis, Proxy, find_brokers, opened_broker
from tests.support.database.postgres import Server
from tests.support.job_service import LINES, Room, check_outcome, lines
from tests.support.sample_rounds import Document
from tests.support.server_process import running, wait_until
from tests.support.worker_process import ENDED, lines_of, rounds_to_import, wait_for


@contextmanager
def room_on(server: Server, broker: Broker) -> Iterator[Room]:
    with open_house(server, **broker.messages) as house:
        yield Room(house, broker, house.new_client())


@pytest.fixture(autouse=True)
def _cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MOST_LINES", LINES)


@pytest.mark.thorough
@pytest.mark.parametrize("concurrency", [1, 2])
@pytest.mark.parametrize("name", find_brokers())
def test_jobs_survive_a_broker_that_loses_its_messages(embedded_postgres: Server, name: str, concurrency: int) -> None:
    """While it is away, chunks in progress are ended, and jobs wait."""
    proxy = Proxy(*ADDRESSES[name][:2])
    with opened_broker(name) as direct:
        broker = Broker(name, direct.url.replace(str(ADDRESSES[name][1]), str(proxy.port)), direct.queue)
        with room_on(embedded_postgres, broker) as room, room.work(concurrency):
            with room.closed_gate():
                job = room.send(lines())
                assert wait_until(room.someone_waits_at_the_gate)
                proxy.cut()
                direct.lose_messages()
            # The message is acknowledged now, while the broker is away.
            done = "SELECT count(*) FROM job_chunks WHERE number = 2 AND state = 'done'"
            assert wait_until(lambda: room.house.query(done) == [(1,)])
            other = room.send([{**document, "table": "hall"} for document in rounds_to_import(2, "hall")])
            assert room.api.get(other)["state"] == "queued"
            proxy.restore()
            wait_for_end(room, other)
            check_outcome(room, job, beside=2)
    proxy.close()


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="there is no redis-server to kill")
def test_jobs_survive_a_redis_that_restarts_empty(embedded_postgres: Server) -> None:
    redis = OwnRedis()
    try:
        broker = Broker("a Redis of its own", redis.url, "ofc.suite")
        with room_on(embedded_postgres, broker) as room, room.work():
            with room.closed_gate():
                job = room.send(lines())
                assert wait_until(room.someone_waits_at_the_gate)
                redis.kill()
            redis.restart()
            check_outcome(room, job)
    finally:
        redis.kill()


@pytest.mark.thorough
def test_chunks_in_progress_are_retried_after_postgresql_was_killed(tmp_path: Path) -> None:
    """The queue is in the same database; `up` restarts it, and the worker continues."""
    rounds = rounds_to_import(12)
    rounds[7] = {**rounds[7], "table": "gate"}
    content = lines_of([*rounds[:6], *[b"{}"] * 300, *rounds[6:], *[b"{}"] * 300])
    with running(tmp_path, OFC_CONCURRENCY="2") as service:
        key = (tmp_path / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        with closing(psycopg.connect(Cluster(tmp_path).url(OWNER))) as gate:
            [(club,)] = gate.execute("SELECT id FROM clubs").fetchall()
            gate.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{club} gate"])
            sent = httpx2.post(
                f"{service.url}/v1/imports",
                content=content,
                headers={**headers, "Content-Type": "application/x-ndjson"},
                timeout=30,
                trust_env=False,
                verify=False,
            )
            assert sent.status_code == 202, sent.text
            waiting = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            assert wait_until(lambda: bool(gate.execute(waiting).fetchall()))
            service.child("postgres").kill()
        ended: list[Document] = []

        def look() -> bool:
            response = httpx2.get(
                service.url + sent.headers["Location"], headers=headers, timeout=30, trust_env=False, verify=False
            )
            ended[:] = [response.json()] if response.status_code == 200 else []
            return bool(ended) and ended[0]["state"] in ENDED

        assert wait_until(look, seconds=60), ended
        assert ended[0]["summary"] == {"rounds": 12, "replayed": 0, "refused": 600, "hands": 36}
        with psycopg.connect(Cluster(tmp_path).url(OWNER)) as records:
            superuser = records.execute("SELECT count(*), sum(attempts - 1) FROM job_chunks").fetchall()
            assert records.execute("SELECT count(*) FROM rounds").fetchall() == [(12,)]
        assert superuser[0][0] == 3
        assert superuser[0][1] <= 2
    assert service.left_over(seconds=5) == []


def wait_for_end(room: Room, job: str) -> None:
    assert wait_until(lambda: room.api.get(job)["state"] == "succeeded", seconds=60)


@pytest.mark.verify
@pytest.mark.parametrize("name", ["the database", *find_brokers()])
def test_jobs_survive_workers_killed_at_random(embedded_postgres: Server, name: str) -> None:
    """One of three worker processes is killed every few seconds, and all processes of a worker once."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    random, kills = Random(seed), 12
    documents = rounds_to_import(600)
    with opened_broker(name) as broker, room_on(embedded_postgres, broker) as room:
        job = room.send([line for document in documents for line in (document, document)])
        with room.work(concurrency=2) as first, room.work(concurrency=1) as second:
            for kill in range(kills):
                time.sleep(random.uniform(0.2, 2))
                if kill == kills // 2:
                    second.kill()
                    continue
                workers = [first] if kill > kills // 2 else [first, second]
                children = [child for worker in workers for child in worker.children]
                if children:
                    random.choice(children).kill()
            ended = wait_for(room.api, job, seconds=400)
        assert ended["state"] == "succeeded", ended
        assert ended["summary"] == {"rounds": 600, "replayed": 600, "refused": 0, "hands": 1800}
        assert room.repeated_chunks() <= kills
        records = room.house.count_records()
        assert (records["rounds"], records["hands"], records["import_pieces"]) == (600, 1800, 0)
