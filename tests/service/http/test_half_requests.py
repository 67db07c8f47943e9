"""Incomplete requests: connections lost in the middle, and clients that stop sending."""

import json
import socket

import pytest

from tests.support.server_process import wait_until
from tests.support.shared_server import Served

MANY = 50

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
    for _ in range(MANY):
        begin(served, kind).close()
    assert wait_until(lambda: is_idle(served))
    assert served.records.count_records() == before
    assert served.get("/readyz") == {"status": "ok"}
    assert "Traceback" not in served.log


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["head", "body"])
def test_stalled_requests_do_not_block_others(served: Served, kind: str) -> None:
    stalled = [begin(served, kind) for _ in range(MANY)]
    try:
        assert served.get("/readyz") == {"status": "ok"}
        assert "Traceback" not in served.log
    finally:
        for client in stalled:
            client.close()
    assert wait_until(lambda: is_idle(served))
