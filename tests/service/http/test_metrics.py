"""Metrics for Prometheus, of one worker and of several."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import psycopg
from prometheus_client.parser import text_string_to_metric_families
from uuid_utils.compat import uuid7

from service.db import Database
from tests.support.api_client import Api
from tests.support.application import open_house
from tests.support.database.postgres import Logins, Server
from tests.support.log_capture import Log
from tests.support.sample_rounds import SIXES, THREE, close, document_of, hand, play, record, start_round
from tests.support.server_process import COMMAND, Running, environment, running, wait_until

Counts = dict[str, float]


def read(text: str) -> Counts:
    """Parse the text format of Prometheus; the key of a sample is its name with the values of its labels."""
    return {
        " ".join([sample.name, *(sample.labels[label] for label in sorted(sample.labels))]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def counts(api: Api) -> Counts:
    response = api.app.test_client().get("/metrics")
    assert response.content_type == "text/plain; version=0.0.4; charset=utf-8"
    return read(response.text)


class Grown:
    """Return the counts that have grown since the last call; other tests of the process have counted before."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.before = counts(api)

    def look(self) -> Counts:
        now = counts(self.api)
        grown = {name: value - self.before.get(name, 0) for name, value in now.items()}
        self.before = now
        return {name: by for name, by in grown.items() if by and ("_total" in name or "imbalance" in name)}


def test_requests_hands_and_replays_are_counted_by_result(api: Api) -> None:
    round_id = start_round(api)
    grown = Grown(api)
    record(api, round_id, hand(1, 3, THREE))
    assert grown.look() == {
        "ofc_hands_stored_total": 1,
        "ofc_requests_total record_hand 201": 1,
        "ofc_requests_total get_metrics 200": 1,
    }
    record(api, round_id, hand(1, 3, THREE))
    seen = grown.look()
    assert seen["ofc_replays_total record_hand"] == 1
    assert "ofc_hands_stored_total" not in seen
    record(api, round_id, hand(3, 1, THREE))
    record(api, round_id, hand(1, 1, THREE))
    seen = grown.look()
    assert seen["ofc_problems_total hand-number record_hand"] == 1
    assert seen["ofc_problems_total hand-conflict record_hand"] == 1
    assert "ofc_hands_stored_total" not in seen


def test_hands_of_a_document_are_counted_if_it_is_stored(api: Api) -> None:
    grown = Grown(api)
    good = document_of(hands=[hand(1, 3, THREE), hand(2, 1, THREE)])
    assert api.post("/v1/documents", document_of(hands=[hand(1, 3, THREE), hand(5, 1, THREE)])).status == 422
    assert "ofc_hands_stored_total" not in grown.look()
    assert api.post("/v1/documents", good).status == 201
    assert grown.look()["ofc_hands_stored_total"] == 2
    assert api.post("/v1/documents", good).status == 201
    assert grown.look()["ofc_replays_total play_document"] == 1


def test_rolled_back_hands_are_not_counted(database: Database) -> None:
    done: list[str] = []
    with database.transaction(uuid7(), rolled_back=True) as transaction:
        transaction.after_commit.append(lambda: done.append("rolled back"))
    with suppress(KeyError), database.transaction(uuid7()) as transaction:
        transaction.after_commit.append(lambda: done.append("failed"))
        raise KeyError
    with database.transaction(uuid7()) as transaction:
        transaction.after_commit.append(lambda: done.append("committed"))
        assert done == []
    assert done == ["committed"]


def test_unknown_urls_create_no_metrics(nobody: Api) -> None:
    client = nobody.app.test_client()
    grown = Grown(nobody)
    client.get("/problems/busy")
    client.get("/problems/not-found")
    client.get("/nowhere")
    client.get("/elsewhere")
    client.delete("/v1/score")
    seen = grown.look()
    assert seen["ofc_requests_total show_problem 200"] == 2
    assert seen["ofc_requests_total unknown 404"] == 2
    assert seen["ofc_requests_total unknown 405"] == 1


def test_the_imbalance_is_0_for_every_hand(api: Api) -> None:
    grown = Grown(api)
    round_id = start_round(api, "progressive", {1: "ann 3", 2: "bob 50", 3: "cyd 50"})
    play(api, round_id, hand(1, 3, THREE))
    close(api, round_id)
    assert "ofc_points_imbalance" not in grown.look()
    assert "ofc_points_imbalance" in grown.before


def test_imbalance_is_counted_without_the_checks_of_the_database(server: Server, log: Log) -> None:
    with open_house(server) as house:
        api = house.new_client()
        round_id = start_round(api, sitting=SIXES)
        grown = Grown(api)
        with psycopg.connect(house.owner_url) as connection:
            connection.execute("ALTER TABLE round_heads DROP CONSTRAINT round_heads_conserved_check")
            connection.execute("UPDATE round_heads SET stacks[2] = stacks[2] - 7 WHERE round_id = %s", [round_id])
        api.get(f"/v1/rounds/{round_id}")
        assert grown.look()["ofc_points_imbalance"] == 7
    [noticed] = [event for event in log.events if event["event"] == "points_imbalance"]
    assert (noticed["level"], noticed["round_id"], noticed["points"]) == ("error", round_id, -7)


def test_metrics_are_public_and_contain_no_club(api: Api, nobody: Api) -> None:
    start_round(api, name="the-secret-table")
    text = nobody.app.test_client().get("/metrics").text
    assert "the-secret-table" not in text
    assert "ann" not in text


def test_processes_share_metrics_and_include_those_of_killed_ones(tmp_path: Path) -> None:
    with running(tmp_path, OFC_WORKERS="2", TMPDIR=str(tmp_path)) as service:
        for _ in range(3):
            request_until_every_process_responded(service)
            before = read(service.get("/metrics").text)
            killed = service.child("service.server.web")
            killed.kill()
            assert wait_until(lambda killed=killed: not killed.is_running())
            after = read(service.get("/metrics").text)
            assert after["ofc_requests_total check_health 200"] == before["ofc_requests_total check_health 200"]
            assert after["ofc_requests_in_flight"] == 1
        [directory] = tmp_path.glob("ofc-metrics-*")
        assert {path.stem.rpartition("_")[2] for path in directory.glob("*.db")} <= {"0", "1"}
        assert service.stop() == 0
        assert not directory.exists()


def request_until_every_process_responded(service: Running) -> None:
    for _ in range(20):
        assert service.get("/healthz").status_code == 200


def test_the_web_server_alone_shares_metrics_and_resets_them_at_start(logins: Logins) -> None:
    for _ in range(2):
        with tempfile.TemporaryDirectory() as scratch, web_server(logins, scratch) as url:
            before = read_from(f"{url}/metrics")
            # The server itself asks until it is ready.
            assert before["ofc_request_seconds_count check_health"] < 10
            for _ in range(10):
                assert httpx2.get(f"{url}/healthz", timeout=60, trust_env=False, verify=False).is_success
            seen = read_from(f"{url}/metrics")
            name = "ofc_request_seconds_count check_health"
            assert seen[name] - before[name] == 10
            assert seen["ofc_points_imbalance"] == 0


def read_from(url: str) -> Counts:
    return read(httpx2.get(url, timeout=60, trust_env=False, verify=False).text)


@contextmanager
def web_server(logins: Logins, scratch: str) -> Iterator[str]:
    """Run the web server without `ofc-server up`, as under another process manager."""
    with subprocess.Popen(
        [*COMMAND, "web", "--port", "0", "--workers", "2"],
        env=environment(OFC_DATABASE_URL=logins.service, TMPDIR=scratch, OFC_LOG_LEVEL="warning"),
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().removeprefix("Ready on ").strip()
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=30) == 0
            assert os.listdir(scratch) == []
