"""Incomplete requests: connections lost in the middle, and clients that stop sending."""

import json
import socket

import pytest

from service.server.gunicorn_config import threads
from tests.support.server_process import wait_until
from tests.support.shared_server import Served

TABLE = json.dumps({"name": "half a table", "ruleset": "pineapple"}).encode()


def begin(served: Served, kind: str = "body") -> socket.socket:
    """Send half the head of a request, or all but the last byte of its body."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    head = "POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    head += f"Authorization: {served.headers['Authorization']}\r\nContent-Length: {len(TABLE)}\r\n"
    client = socket.create_connection((host, int(port)), timeout=30)
    client.sendall(head.encode() if kind == "head" else head.encode() + b"\r\n" + TABLE[:-1])
    return client


def is_idle(served: Served) -> bool:
    """Return whether no other request is in progress."""
    return "ofc_requests_in_flight 1.0" in served.get_text("/metrics")


@pytest.mark.parametrize("kind", ["head", "body"])
def test_an_aborted_request_stores_nothing(served: Served, kind: str) -> None:
    before = served.records.count_records()
    for _ in range(3 * threads):
        begin(served, kind).close()
    assert wait_until(lambda: is_idle(served))
    assert served.records.count_records() == before
    assert served.get("/readyz") == {"status": "ok"}
    assert "Traceback" not in served.log


def check_incomplete_request(client: socket.socket) -> None:
    response = b"".join(iter(lambda: client.recv(4096), b""))
    assert response.startswith(b"HTTP/1.1 408 ")
    problem = json.loads(response.partition(b"\r\n\r\n")[2])
    assert (problem["status"], problem["code"]) == (408, "request-incomplete")
    assert "Nothing was stored" in problem["detail"]


def test_an_incomplete_request_gets_an_error(served: Served) -> None:
    with begin(served) as client:
        client.shutdown(socket.SHUT_WR)
        check_incomplete_request(client)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["head", "body"])
def test_stalled_requests_do_not_block_others(served: Served, kind: str) -> None:
    stalled = [begin(served, kind) for _ in range(2 * threads)]
    try:
        assert served.get("/readyz") == {"status": "ok"}
        assert "Traceback" not in served.log
        if kind == "body":
            check_incomplete_request(stalled[0])
    finally:
        for client in stalled:
            client.close()
    assert wait_until(lambda: is_idle(served))
