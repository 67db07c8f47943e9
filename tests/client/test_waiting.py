"""How long the client waits for a service that is away or silent, and what it says meanwhile."""

import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

from client import connection
from client.api import Client
from client.errors import TransportError
from tests.support.client.faulty_server import DOWN, build_response, faulty
from tests.support.client.run_ofc import ofc, ofc_process

TABLES = build_response(200, {"tables": [], "has_more": False, "next_cursor": None})
TABLE = build_response(201, {"id": "1", "name": "friday", "ruleset": "pineapple@1"})


@contextmanager
def silent() -> Iterator[str]:
    """Accept connections, and never respond."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def responding_after(seconds: float, response: bytes, *, is_closed_before: bool = False) -> Iterator[str]:
    """Respond to each request after a time; or refuse connections for this time, and then respond at once."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    is_over = threading.Event()

    def serve() -> None:
        if is_closed_before:
            is_over.wait(seconds)
        listener.listen()
        while not is_over.is_set():
            with listener.accept()[0] as connection:
                connection.recv(65536)
                if not is_closed_before:
                    is_over.wait(seconds)
                connection.sendall(response)

    if not is_closed_before:
        listener.listen()
    server = threading.Thread(target=serve)
    server.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        is_over.set()
        server.join(timeout=0.2)
        if server.is_alive():
            socket.create_connection(listener.getsockname()).close()
            server.join()
        listener.close()


def test_a_refused_connection_is_retried_until_the_service_is_back(caplog: pytest.LogCaptureFixture) -> None:
    reported: list[TransportError] = []
    caplog.set_level(logging.DEBUG)
    with responding_after(6, TABLES, is_closed_before=True) as url:
        with Client(url, on_waiting=reported.append) as client:
            assert list(client.list_tables()) == []
        assert [str(each) for each in reported] == [
            f"{url} does not respond (connection refused); is the service running there?"
        ]
    assert "stamina" not in caplog.text
    assert "retry_scheduled" not in caplog.text


def test_a_library_logs_in_words_what_it_waits_for(caplog: pytest.LogCaptureFixture) -> None:
    with responding_after(3, TABLES, is_closed_before=True) as url, Client(url) as client:
        assert list(client.list_tables()) == []
    assert [(each.name, each.levelname, each.getMessage()) for each in caplog.records if each.name != "httpx2"] == [
        (
            "tablestakes",
            "WARNING",
            f"Waiting: {url} does not respond (connection refused); is the service running there?",
        )
    ]


def test_a_service_that_is_down_is_tried_four_times() -> None:
    with faulty(DOWN) as server, Client(server.url) as client:
        with pytest.raises(TransportError):
            list(client.list_tables())
        assert len(server.requests) == 4


def test_a_person_waits_three_seconds_for_a_silent_service() -> None:
    with silent() as url:
        started = time.monotonic()
        result = ofc_process("table", "list", OFC_URL=url)
        assert time.monotonic() - started < 20, "it was 33"
    assert (result.code, result.out) == (3, "")
    assert result.err == f"Error: {url} did not respond within 3 seconds\n"


def test_a_person_can_wait_longer_or_less() -> None:
    with responding_after(2, TABLES) as url:
        assert ofc("--timeout", "0.3", "table", "list", OFC_URL=url).code == 3
        assert ofc("table", "list", OFC_URL=url, OFC_TIMEOUT="0.3").code == 3
        assert ofc("--timeout", "60", "table", "list", OFC_URL=url).code == 0
    assert ofc("--timeout", "0", "table", "list").code == 2


def test_the_response_to_a_request_that_records_is_waited_for_longer() -> None:
    with responding_after(2, TABLE) as url, Client(url, timeout=0.3) as client:
        assert client.add_table({"name": "friday", "ruleset": "pineapple"})["id"] == "1"


def test_the_error_has_the_time_that_a_request_that_records_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_TIMEOUT", httpx2.Timeout(1, connect=5))
    expected = pytest.raises(TransportError, match="did not respond within 1 seconds")
    with silent() as url, Client(url, timeout=0.3) as client, expected:
        client.add_table({"name": "friday", "ruleset": "pineapple"})


def test_exports_and_verification_have_no_such_limit() -> None:
    lines = build_response(200, "", "application/x-ndjson")
    with responding_after(2, lines) as url:
        assert ofc("--timeout", "0.3", "export", OFC_URL=url).code == 0
    listed = build_response(200, {"checkpoints": [], "has_more": False, "next_cursor": None})
    with responding_after(2, listed) as url:
        assert ofc("--timeout", "0.3", "checkpoint", "list", OFC_URL=url).code == 0
