"""Requests that do not come whole: a network that is lost in the middle of one, and a sender who never goes on."""

import json
import socket

import pytest

from service.server.gunicorn_config import threads
from tests.support.server_process import wait_until
from tests.support.shared_server import Served

TABLE = json.dumps({"name": "half a table", "ruleset": "pineapple"}).encode()


def begin(served: Served, kind: str = "body") -> socket.socket:
    """Send a request up to the middle of its head, or up to the last byte of its body."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    head = "POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    head += f"Authorization: {served.headers['Authorization']}\r\nContent-Length: {len(TABLE)}\r\n"
    client = socket.create_connection((host, int(port)), timeout=30)
    client.sendall(head.encode() if kind == "head" else head.encode() + b"\r\n" + TABLE[:-1])
    return client


def is_idle(served: Served) -> bool:
    """Whether no request but the one that asks is under way."""
    return "ofc_requests_under_way 1.0" in served.get_text("/metrics")


@pytest.mark.parametrize("kind", ["head", "body"])
def test_who_goes_away_in_the_middle_of_a_request_leaves_nothing_behind(served: Served, kind: str) -> None:
    before = served.records.count_records()
    for _ in range(3 * threads):
        begin(served, kind).close()
    assert wait_until(lambda: is_idle(served))
    assert served.records.count_records() == before
    assert served.get("/readyz") == {"status": "ok"}
    assert "Traceback" not in served.log


def check_told_to_send_it_again(client: socket.socket) -> None:
    answer = b"".join(iter(lambda: client.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 408 ")
    problem = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (problem["status"], problem["code"]) == (408, "request-incomplete")
    assert "Nothing was stored" in problem["detail"]


def test_who_is_cut_off_in_the_middle_of_a_request_is_told_to_send_it_again(served: Served) -> None:
    with begin(served) as client:
        client.shutdown(socket.SHUT_WR)
        check_told_to_send_it_again(client)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["head", "body"])
def test_however_many_begin_a_request_and_never_go_on_others_are_answered(served: Served, kind: str) -> None:
    stalled = [begin(served, kind) for _ in range(2 * threads)]
    try:
        assert served.get("/readyz") == {"status": "ok"}
        assert "Traceback" not in served.log
        if kind == "body":
            check_told_to_send_it_again(stalled[0])
    finally:
        for client in stalled:
            client.close()
    assert wait_until(lambda: is_idle(served))
