"""The commands `ofc-server worker` and `ofc-server status`."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from service.config import Config, ConfigError
from service.jobs.app import DELIVER, LOOK_AT_JOB, WORK_ON_CHUNK, build_celery
from tests.support.application import SIGNING_KEY, open_house
from tests.support.brokers import Broker
from tests.support.database.postgres import Logins, Server
from tests.support.job_service import Room
from tests.support.sample_rounds import add_table, close, open_round
from tests.support.server_process import command, environment, running, wait_until
from tests.support.worker_process import Working, rounds_to_import

MIB = 1024 * 1024


@pytest.fixture
def room(server: Server, broker: Broker) -> Iterator[Room]:
    with open_house(server, **broker.messages) as house:
        yield Room(house, broker, house.new_client())


TICKS = {"look_at_jobs", "grow_trees", "dispatch_webhooks", "finalize_settlements"}


def status(logins: Logins) -> Any:
    ended = command("status", "--json", OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_status_shows_workers_jobs_and_the_oldest_queued_one(room: Room) -> None:
    logins = room.house.logins
    report = status(logins)
    assert (report["workers"], report["jobs"], report["oldest_waiting"]) == ([], [], None)
    job = room.send(rounds_to_import(2))
    report = status(logins)
    assert report["oldest_waiting"] == report["jobs"][0]["created_at"] == room.api.get(job)["created_at"]
    assert (report["jobs"][0]["state"], report["jobs"][0]["progress"]) == ("queued", {"done": 0, "total": 2})
    result = command("status", OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner)
    assert "No worker is active" in result.stderr
    assert "0/2" in result.stdout
    with room.work(concurrency=2) as worker:
        assert wait_until(lambda: room.api.get(job)["state"] == "succeeded")
        assert wait_until(lambda: status(logins)["is_working"])
        report = status(logins)
        host = socket.gethostname()
        assert [one["name"] for one in report["workers"]] == [f"{host} (jobs)", f"{host} (periodic, webhooks)"]
        assert (report["jobs"], report["oldest_waiting"]) == ([], None)
        assert wait_until(lambda: {one["name"] for one in status(logins)["periodic"]} >= TICKS)
        result = command("status", OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner)
        assert "grow_trees" in result.stdout
        assert "No worker is active" not in result.stderr
        assert worker.stop() == 0


def test_status_shows_unsigned_events_and_the_last_checkpoint(room: Room, tmp_path: Path) -> None:
    logins = room.house.logins
    file = tmp_path / "signing-key"
    reached = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    [(waiting,)] = room.house.query("SELECT count(*) FROM waiting_events")
    assert waiting > 0
    report = status(logins)
    assert report["signing"] == {"waiting": waiting, "unsigned": 0, "signed_at": None}
    assert report["signing_key"] is None
    output = command("status", **reached).stderr
    assert f"Events not in a tree: {waiting}; events without a checkpoint: 0." in output
    assert "There is no checkpoint yet." in output
    assert "OFC_SIGNING_KEY_FILE is not set" in output
    assert f"{file} cannot be read" in command("status", **reached, OFC_SIGNING_KEY_FILE=str(file)).stderr
    with room.work():
        assert wait_until(lambda: status(logins)["signing"] == {"waiting": 0, "unsigned": waiting, "signed_at": None})
    checkpoint = room.api.post("/v1/checkpoints", {})
    assert checkpoint.status == 201, checkpoint
    signed = status(logins)["signing"]
    assert signed == {"waiting": 0, "unsigned": 0, "signed_at": checkpoint["created_at"]}
    file.write_text(SIGNING_KEY.secret, encoding="utf-8")
    with_key = command("status", "--json", **reached, OFC_SIGNING_KEY_FILE=str(file))
    assert json.loads(with_key.stdout)["signing_key"] == SIGNING_KEY.verifier.written
    output = command("status", **reached, OFC_SIGNING_KEY_FILE=str(file)).stderr
    assert "The newest checkpoint was signed " in output
    assert "signing key" not in output
    assert SIGNING_KEY.secret not in output + with_key.stdout


def test_up_restarts_a_worker_that_was_killed(tmp_path: Path) -> None:
    with running(tmp_path, OFC_CONCURRENCY="1") as service:
        assert wait_until(lambda: service.log.count("worker_ready") == 2)
        first = service.child("-m service worker")
        first.kill()
        assert wait_until(lambda: service.log.count("worker_ready") == 4)
        assert "worker_restarted" in service.log
        assert service.get("/readyz").status_code == 200
        processes = [*service.children, *psutil.Process(service.up.pid).children(recursive=True)]
    assert wait_until(lambda: not any(one.is_running() for one in processes))


def test_up_can_run_without_a_job_worker(tmp_path: Path) -> None:
    with running(tmp_path, OFC_CONCURRENCY="0") as service:
        assert not any("worker" in one.cmdline() for one in psutil.Process(service.up.pid).children())


def test_a_worker_without_chunks_runs_periodic_tasks(room: Room) -> None:
    with room.work(concurrency=0) as worker:
        assert wait_until(lambda: status(room.house.logins)["is_working"])
        assert not worker.job_processes
        assert [started["name"] for started in status(room.house.logins)["workers"]] == [
            f"{socket.gethostname()} (periodic, webhooks)"
        ]


def test_celery_s_own_command_starts_a_worker(room: Room) -> None:
    command = [sys.executable, "-m", "celery", "-A", "service.jobs", "worker"]
    worker = Working(room.house.logins, concurrency=2, command=command, **room.broker.variables)
    try:
        job = room.send(rounds_to_import(2))
        assert wait_until(lambda: room.api.get(job)["state"] == "succeeded"), worker.log
        [started] = status(room.house.logins)["workers"]
        assert started["name"] == f"{socket.gethostname()} (jobs, periodic, webhooks)"
        assert worker.stop() == 0, worker.log
    finally:
        worker.close()


def test_celery_s_own_command_refuses_a_database_without_tables(embedded_postgres: Server) -> None:
    logins = embedded_postgres.create_bare_database()
    refused = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "service.jobs", "worker"],
        env=environment(OFC_DATABASE_URL=logins.service),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    embedded_postgres.drop_database(logins)
    assert refused.returncode != 0
    assert "DatabaseBehind" in refused.stderr


def test_a_worker_without_a_database_fails() -> None:
    refused = command("worker", "--concurrency", "1")
    assert refused.returncode == 1
    assert "OFC_DATABASE_URL is not set" in refused.stderr


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"OFC_BROKER_URL": "kafka://ofc:secret@broker"},
            "^OFC_BROKER_URL begins with kafka; expected a URL like amqp://",
        ),
        ({"OFC_BROKER_URL": "nonsense"}, "^OFC_BROKER_URL begins with no scheme; expected a URL like amqp://"),
        ({"OFC_QUEUE": "of c"}, "^OFC_QUEUE is 'of c'; expected 1 to 100 of the characters"),
    ],
)
def test_an_invalid_broker_or_queue_is_rejected(variables: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        Config.from_environment({"OFC_DATABASE_URL": "postgresql:///ofc", **variables})


@pytest.mark.parametrize("url", ["", "amqp://ofc@rabbit.example", "redis://redis.example"])
def test_every_used_queue_is_consumed(url: str) -> None:
    celery = build_celery(Config("postgresql:///ofc", broker_url=url, queue="ofc.mine"))
    consumed = set(celery.amqp.queues.consume_from)
    tasks = (LOOK_AT_JOB, WORK_ON_CHUNK, DELIVER, "grow_trees")
    used = {celery.amqp.router.route({}, task)["queue"].name for task in tasks}
    assert consumed == used == {"ofc.mine.jobs", "ofc.mine.webhooks", "ofc.mine.periodic"}
    # Nothing of Celery's own makes queues beside it, which nobody would read.
    assert not celery.conf.worker_enable_remote_control
    assert not celery.conf.worker_send_task_events


def test_rabbitmq_uses_a_quorum_queue_with_confirms() -> None:
    celery = build_celery(Config("postgresql:///ofc", broker_url="amqp://ofc@rabbit.example"))
    assert {queue.queue_arguments["x-queue-type"] for queue in celery.amqp.queues.values()} == {"quorum"}
    assert celery.conf.broker_transport_options["confirm_publish"] is True


def test_a_worker_uses_little_memory(room: Room) -> None:
    with room.work(concurrency=1) as worker:
        check = psutil.Process(worker.process.pid)
        job = room.send([*rounds_to_import(40), *[b"{}"] * 3000])
        most = 0
        while room.api.get(job)["state"] not in ("succeeded", "failed"):
            most = max(most, *(one.memory_info().rss for one in (check, *worker.children)))
    assert most < 400 * MIB


def test_settlements_become_final_once_even_if_workers_are_killed(room: Room) -> None:
    """A worker is killed while it finalizes sixty settlements."""
    api, count = room.api, 60
    for number in range(count):
        table = add_table(api, name=f"table {number}", correction_window_minutes=0)
        close(api, open_round(api, table)["id"])
    assert states_of(room) == {"provisional": count}
    killed = Working(room.house.logins, **room.broker.variables)
    try:
        assert wait_until(lambda: "final" in states_of(room), 120), killed.log
    finally:
        killed.close()
    assert events_of(room) == states_of(room)["final"]
    with room.work() as worker:
        assert wait_until(lambda: states_of(room) == {"final": count}, 120), worker.log
    assert events_of(room) == count


def states_of(room: Room) -> dict[str, int]:
    return dict(room.house.query("SELECT settlement_state, count(*) FROM round_heads GROUP BY 1"))


def events_of(room: Room) -> int:
    """Return how often a settlement became final; the key of events allows one for each version of a round."""
    [(count, rounds)] = room.house.query(
        "SELECT count(*), count(DISTINCT round_id) FROM events WHERE kind = 'settlement.finalized'"
    )
    assert count == rounds
    return int(count)
