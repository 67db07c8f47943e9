"""Running imports: paused, resumed, cancelled, repeated, and interrupted."""

import http.client
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from service.imports.actions import imports
from service.server.embedded import OWNER, Cluster
from tests.support.application import open_house
from tests.support.brokers import Broker
from tests.support.database.postgres import Server
from tests.support.job_service import LINES, Room, check_outcome, lines
from tests.support.sample_rounds import SIXES, THREE, document_of, hand
from tests.support.server_process import running, wait_until
from tests.support.worker_process import lines_of, post_import, results_of, rounds_to_import, wait_for

CLIENTS, ROUNDS_EACH = 20, 25


@pytest.fixture
def room(server: Server, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setattr(imports, "MOST_LINES", LINES)
    with open_house(server, **broker.messages) as house:
        yield Room(house, broker, house.new_client())


def test_a_paused_import_completes_its_chunk_and_continues_when_resumed(room: Room) -> None:
    with room.work():
        with room.closed_gate():
            job = room.send(lines())
            assert wait_until(room.someone_waits_at_the_gate)
            assert room.api.request("POST", f"{job}/pause")["state"] == "paused"
            assert room.api.request("POST", f"{job}/pause")["state"] == "paused"
        paused = wait_for(room.api, job, lambda response: response["progress"]["done"] == 2 * LINES)
        assert not wait_until(lambda: room.api.get(job).document != paused.document, seconds=5)
        assert room.api.request("POST", f"{job}/resume")["state"] == "running"
        assert room.api.request("POST", f"{job}/resume").status == 200
        check_outcome(room, job)
    assert room.repeated_chunks() == 0


def test_a_cancelled_import_leaves_stored_rounds_and_starts_no_chunk(room: Room) -> None:
    with room.work():
        with room.closed_gate():
            job = room.send(lines())
            assert wait_until(room.someone_waits_at_the_gate)
            assert room.api.request("POST", f"{job}/cancel")["state"] == "cancelling"
            assert room.api.request("POST", f"{job}/resume")["code"] == "job-ended"
        ended = wait_for(room.api, job)
    assert ended["state"] == "cancelled"
    assert ended["progress"]["done"] == 2 * LINES
    assert len(results_of(room.api, job)) == 2 * LINES
    records = room.house.count_records()
    assert (records["rounds"], records["import_pieces"]) == (2 * LINES, 0)


def test_a_queued_import_can_be_cancelled(room: Room) -> None:
    job = room.send(lines())
    assert room.api.request("POST", f"{job}/cancel")["state"] == "cancelling"
    with room.work():
        assert wait_for(room.api, job)["state"] == "cancelled"
    assert room.house.count_records()["rounds"] == 0


def test_a_dry_run_of_a_pause_changes_nothing(room: Room) -> None:
    job = room.send(lines())
    assert room.api.request("POST", f"{job}/pause?dry_run=true")["state"] == "paused"
    assert room.api.get(job)["state"] == "queued"


def test_the_same_file_sent_again_while_it_is_imported_is_the_same_import(room: Room) -> None:
    content = lines_of(lines())
    first = post_import(room.api, content)
    again = post_import(room.api, content)
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    with room.work():
        check_outcome(room, first.headers["Location"])


def test_twenty_clients_at_once_store_every_round_once(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five hundred rounds, every line sent twice, and all at the same few tables."""
    monkeypatch.setattr(imports, "MOST_LINES", 10)

    def send(client: int) -> str:
        documents = [
            document_of(
                sitting=SIXES,
                hands=[hand(1, 1, THREE)],
                table=f"table {number % 3}",
                reference=f"{client}/{number}",
                closed={"after_hand": 1, "reason": "late"},
            )
            for number in range(ROUNDS_EACH)
        ]
        return room.send([line for document in documents for line in (document, document)])

    with room.work(concurrency=2):
        with ThreadPoolExecutor(CLIENTS) as clients:
            sent = list(clients.map(send, range(CLIENTS)))
        ended = [wait_for(room.api, job, seconds=240) for job in sent]
    assert len(set(sent)) == CLIENTS
    assert [one["state"] for one in ended] == ["succeeded"] * CLIENTS
    assert sum(one["summary"]["rounds"] for one in ended) == CLIENTS * ROUNDS_EACH
    assert sum(one["summary"]["replayed"] for one in ended) == CLIENTS * ROUNDS_EACH
    assert sum(one["summary"]["refused"] for one in ended) == 0
    records = room.house.count_records()
    assert records["rounds"] == records["hands"] == CLIENTS * ROUNDS_EACH
    [(unbalanced,)] = room.house.query(
        "SELECT count(*) FROM round_heads WHERE points_sum(stacks) <> points_sum(opening_stacks) + points_sum(top_ups)"
    )
    assert unbalanced == 0


def test_an_interrupted_upload_leaves_nothing(tmp_path: Path) -> None:
    with running(tmp_path, OFC_CONCURRENCY="1") as service:
        host, port = service.url.removeprefix("http://").split(":")
        key = (tmp_path / "api-key").read_text().strip()
        content = lines_of([*rounds_to_import(2), *[b"{}"] * 400])
        with socket.create_connection((host, int(port)), timeout=20) as client:
            head = f"POST /v1/imports HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
            head += f"Content-Type: application/x-ndjson\r\nContent-Length: {len(content) + 1}\r\n\r\n"
            client.sendall(head.encode() + content)
        # Sent in parts of no announced length it is as good.
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}
        parts = (content[at : at + 1000] for at in range(0, len(content), 1000))
        with closing(http.client.HTTPConnection(host, int(port), timeout=60)) as connection:
            connection.request("POST", "/v1/imports", parts, headers, encode_chunked=True)
            response = connection.getresponse()
            assert response.status == 202
            assert b'"total":402' in response.read()
        with psycopg.connect(Cluster(tmp_path).url(OWNER)) as records:
            assert records.execute("SELECT count(*) FROM jobs").fetchall() == [(1,)], "the interrupted one is none"
