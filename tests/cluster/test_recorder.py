"""What the recorder of the rig counts, without the rig."""

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Thread
from typing import Any

import pytest

from tests.cluster.recorder import Outcome, Recorder, Request, longest_gap
from tests.cluster.settle import check_plays
from tests.oracle import PRESETS, random_document


class Store:
    """A server that stores tables only, and has the faults that a test sets."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.responses: dict[str, bytes] = {}
        self.refuses_and_stores = self.forgets = False

    def post(self, key: str, document: Any) -> tuple[int, bytes]:
        if key in self.responses:
            return 201, self.responses[key]
        if self.refuses_and_stores:
            self.names.append(document["name"])
            return 503, b"{}"
        self.responses[key] = json.dumps({"id": len(self.names)}).encode()
        self.names += [] if self.forgets else [document["name"]]
        return 201, self.responses[key]


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def url(store: Store) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/v1/tables":
                self.respond(*store.post(self.headers["Idempotency-Key"], document))
            else:
                self.respond(503, b"{}")

        def do_GET(self) -> None:
            kind = "tables" if self.path.startswith("/v1/tables") else "rounds"
            listed = [{"name": name} for name in store.names] if kind == "tables" else []
            self.respond(200, json.dumps({kind: listed, "next_cursor": None}).encode())

        def respond(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def play(url: str) -> Recorder:
    documents = [random_document(Random(1), next(iter(PRESETS.values())))]
    recorder = Recorder(url, "key", documents, 2, 1)
    with recorder.playing(lambda: None):
        time.sleep(0.5)
    return recorder


def test_stored_tables_and_refused_rounds_are_as_acknowledged(url: str) -> None:
    recorder = play(url)
    outcomes = {request.outcome for request in recorder.requests}
    assert outcomes == {Outcome.STORED, Outcome.NOT_STORED}
    assert check_plays(recorder, recorder.plays) == []


def test_a_lost_table_is_found(url: str, store: Store) -> None:
    store.forgets = True
    recorder = play(url)
    assert any(finding.startswith("lost or twice") for finding in check_plays(recorder, recorder.plays))


def test_a_table_that_is_stored_although_refused_is_found(url: str, store: Store) -> None:
    store.refuses_and_stores = True
    recorder = play(url)
    assert any(finding.startswith("stored although refused") for finding in check_plays(recorder, recorder.plays))


def test_a_gap_ends_with_the_interval() -> None:
    stored = [Request("/", {}, "", 0, ended, 201) for ended in (1.0, 2.0)]
    refused = Request("/", {}, "", 0, 5.0, 503)
    assert longest_gap([*stored, refused], 0.0, 9.0) == 7.0
