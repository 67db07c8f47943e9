"""Silent and slow clients: they time out, and do not block others."""

import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.support.database.postgres import Server as Postgres
from tests.support.server_process import running, wait_until
from tests.support.slow_clients import Server, dripping, read_answer
from tests.support.worker_process import lines_of, rounds_to_import

HEAD_SECONDS, TRANSFER_SECONDS = 2, 2
SECONDS = 3.5
"""Seconds longer than each timeout, including its detection."""


@pytest.fixture(scope="module")
def server(embedded_postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server with timeouts of two seconds."""
    logins = embedded_postgres.create_database()
    directory: Path = tmp_path_factory.mktemp("hasty")
    with running(
        directory,
        OFC_DATABASE_URL=logins.service,
        OFC_OWNER_URL=logins.owner,
        OFC_HEAD_SECONDS=str(HEAD_SECONDS),
        OFC_TRANSFER_SECONDS=str(TRANSFER_SECONDS),
        OFC_RATE_LIMIT="6000",
        OFC_CONCURRENCY="1",
    ) as service:
        yield Server(service, (directory / "api-key").read_text().strip())
    embedded_postgres.drop_database(logins)


def test_silent_connections_do_not_block_others(server: Server) -> None:
    with server.left_as_it_was() as clients:
        clients += [server.connect() for _ in range(150)]
        server.check_others(SECONDS)


def test_slow_heads_do_not_block_others_and_time_out(server: Server) -> None:
    with server.left_as_it_was() as clients:
        clients += [server.connect(b"GET /healthz HTTP/1.1\r\nX-A: ") for _ in range(40)]
        with dripping(clients, b"a"):
            server.check_others(SECONDS)
        status, problem = read_answer(clients[0])
        assert (status, problem["code"]) == (408, "request-incomplete")
        assert "were not received in time" in problem["detail"]


@pytest.mark.parametrize("path", ["/v1/tables", "/v1/imports"])
@pytest.mark.parametrize("framing", ["Content-Length: 5000", "Transfer-Encoding: chunked"])
def test_an_unknown_key_is_rejected_before_the_body_is_received(server: Server, path: str, framing: str) -> None:
    head = server.head(path, framing, "Content-Type: application/x-ndjson", key="ofc_nobodys")
    with server.left_as_it_was() as clients:
        clients += [server.connect(head) for _ in range(10)]
        with dripping(clients, b"1"):
            began = time.monotonic()
            status, problem = read_answer(clients[0])
            assert (status, problem["code"]) == (401, "key-unknown")
            assert time.monotonic() - began < 1
            server.check_others(SECONDS)


@pytest.mark.parametrize(
    ("path", "kind"), [("/v1/tables", "application/json"), ("/v1/imports", "application/x-ndjson")]
)
@pytest.mark.parametrize("framing", ["Content-Length: 5000", "Transfer-Encoding: chunked"])
def test_slow_bodies_do_not_block_others_and_time_out(server: Server, path: str, kind: str, framing: str) -> None:
    head = server.head(path, framing, f"Content-Type: {kind}")
    with server.left_as_it_was() as clients:
        clients += [server.connect(head) for _ in range(30)]
        with dripping(clients, b"1"):
            server.check_others(SECONDS)
        status, problem = read_answer(clients[0])
        assert (status, problem["code"]) == (408, "request-incomplete")
        assert "Nothing was stored" in problem["detail"]


def test_a_slow_body_within_the_limit_is_processed(server: Server) -> None:
    body = b'{"name": "slowly", "ruleset": "pineapple"}' + b" " * 12_000
    head = server.head("/v1/tables", f"Content-Length: {len(body)}", "Content-Type: application/json")
    with server.connect(head) as client:
        for begin in range(0, len(body), 2000):
            client.sendall(body[begin : begin + 2000])
            time.sleep(0.5)
        answer = client.recv(65536)
        assert answer.startswith(b"HTTP/1.1 201 ")
        assert b"Connection: keep-alive" in answer
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_100_continue_is_sent_after_authentication(server: Server) -> None:
    lines = ("Content-Length: 44", "Content-Type: application/json", "Expect: 100-continue")
    with server.connect(server.head("/v1/tables", *lines)) as client:
        assert client.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b'{"name": "when asked", "ruleset": "classic"}')
        assert client.recv(65536).startswith(b"HTTP/1.1 201 ")
    with server.connect(server.head("/v1/tables", *lines, key="ofc_nobodys")) as client:
        assert client.recv(65536).startswith(b"HTTP/1.1 401 ")


def test_a_request_with_a_late_body_counts_once_for_the_rate_limit(server: Server) -> None:
    def left(sent: bytes, later: bytes) -> int:
        with server.connect(sent) as client:
            if later:
                time.sleep(0.5)
                client.sendall(later)
            return int(client.recv(65536).partition(b"RateLimit: ")[2].partition(b"r=")[2].partition(b";")[0])

    head = server.head("/v1/tables", "Content-Length: 2", "Content-Type: application/json")
    while time.time() % 60 > 55:  # the count begins anew with every minute
        time.sleep(0.5)
    first = left(head + b"{}", b"")
    assert [left(head, b"{}"), left(head + b"{}", b"")] == [first - 1, first - 2]


def test_unread_responses_do_not_block_others(server: Server) -> None:
    request = b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n"
    # It is written once, for the first who asks.
    assert server.ask("GET", "/openapi.yaml", seconds=30).status_code == 200
    with server.left_as_it_was() as clients:
        clients += [server.connect(request, receive_buffer=1024) for _ in range(60)]
        # To write sixty answers takes its time; that nobody reads them must take none.
        assert server.ask("GET", "/healthz", seconds=30).status_code == 200
        server.check_others(SECONDS)


def import_rounds(server: Server, lines: bytes) -> None:
    """Import rounds, and wait until they are stored."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/x-ndjson"}
    url = f"{server.service.url}/v1/imports"
    answer = httpx2.post(url, content=lines, headers=headers, timeout=30, trust_env=False, verify=False)
    assert answer.status_code == 202, answer.text
    job = answer.json()
    assert wait_until(
        lambda: server.ask("GET", f"/v1/imports/{job['id']}", seconds=30).json()["state"] == "succeeded", seconds=120
    )


def test_unread_exports_do_not_block_others(server: Server) -> None:
    # More than the server and the system keep of an answer.
    import_rounds(server, lines_of(rounds_to_import(1500)))
    export = f"GET /v1/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.key}\r\n\r\n".encode()
    with server.left_as_it_was() as clients:
        clients += [server.connect(export, receive_buffer=1024) for _ in range(30)]
        server.check_others(SECONDS)
    whole = server.ask("GET", "/v1/export", seconds=30)
    assert (whole.status_code, len(whole.text.splitlines())) == (200, 1500)


def test_a_response_read_slowly_is_complete(server: Server) -> None:
    expected = server.ask("GET", "/openapi.yaml", seconds=30).content
    request = b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with server.connect(request, receive_buffer=1024) as client:
        said = b""
        while received := client.recv(16_000):
            said += received
            time.sleep(0.02)
    assert said.partition(b"\r\n\r\n")[2] == expected


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    body = b'{"name": "one of several", "ruleset": "pineapple"}'
    head = server.head("/v1/tables", f"Content-Length: {len(body)}", "Content-Type: application/json")
    last = b"GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with server.connect(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + head + body + last) as client:
        said = b"".join(iter(lambda: client.recv(65536), b""))
    assert [part[:3] for part in said.split(b"HTTP/1.1 ")[1:]] == [b"200", b"201", b"404"]


def test_a_stopping_server_disconnects_slow_clients(server: Server, tmp_path: Path) -> None:
    with running(tmp_path / "ofc", is_first=True) as service:
        other = Server(service, (tmp_path / "ofc" / "api-key").read_text().strip())
        clients = [other.connect(b"GET /healthz HTTP/1.1\r\n") for _ in range(10)]
        began = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - began < 10
        for client in clients:
            client.close()
