"""Silent and slow clients: they time out, and do not block others."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse
from pathlib import Path

import httpx2
import pytest

from tests.support.database.postgres import Server as Postgres
from tests.support.server_process import running, wait_until
from tests.support.slow_clients import Server, dripping, read_response
from tests.support.worker_process import lines_of, rounds_to_import

pytestmark = pytest.mark.thorough

TRANSFER_SECONDS = 2
SECONDS = 3.5
"""Seconds longer than the timeout, including its detection."""
MANY = 200


@pytest.fixture(scope="module")
def server(embedded_postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server with timeouts of two seconds."""
    logins = embedded_postgres.create_database()
    directory: Path = tmp_path_factory.mktemp("hasty")
    with running(
        directory,
        OFC_DATABASE_URL=logins.service,
        OFC_OWNER_URL=logins.owner,
        OFC_TRANSFER_SECONDS=str(TRANSFER_SECONDS),
        OFC_RATE_LIMIT="6000",
        OFC_CONCURRENCY="1",
    ) as service:
        yield Server(service, (directory / "api-key").read_text().strip())
    embedded_postgres.drop_database(logins)


def test_silent_connections_do_not_block_others(server: Server) -> None:
    with server.left_as_it_was() as clients:
        clients += [server.connect() for _ in range(MANY)]
        server.check_others(SECONDS)


def test_slow_heads_do_not_block_others(server: Server) -> None:
    with server.left_as_it_was() as clients:
        clients += [server.connect(b"GET /healthz HTTP/1.1\r\nX-A: ") for _ in range(MANY)]
        with dripping(clients, b"a"):
            server.check_others(SECONDS)


@pytest.mark.parametrize(
    ("path", "kind"), [("/v1/tables", "application/json"), ("/v1/imports", "application/x-ndjson")]
)
@pytest.mark.parametrize("framing", ["Content-Length: 5000", "Transfer-Encoding: chunked"])
def test_slow_bodies_do_not_block_others_and_time_out(server: Server, path: str, kind: str, framing: str) -> None:
    head = server.head(path, framing, f"Content-Type: {kind}")
    with server.left_as_it_was() as clients:
        clients += [server.connect(head) for _ in range(MANY)]
        with dripping(clients, b"1"), ThreadPoolExecutor(1) as pool:
            reading = pool.submit(read_response, clients[0])
            server.check_others(SECONDS)
            status, problem = reading.result()
        assert (status, problem["code"]) == (408, "request-incomplete")
        assert "Nothing was stored" in problem["detail"]


def test_slow_imports_do_not_block_other_requests_and_are_bounded(server: Server) -> None:
    lines = ("Content-Type: application/x-ndjson", "Connection: close")
    head = server.head("/v1/imports", "Content-Length: 5000000", *lines)
    with server.left_as_it_was() as clients:
        clients += [server.connect(head + b" " * 2_000_000) for _ in range(12)]
        server.check_others(1)
        with server.connect(server.head("/v1/imports", "Content-Length: 2000000", *lines)) as one_more:
            one_more.sendall(b" " * 2_000_000)
            status, problem = read_response(one_more)
    assert (status, problem["code"]) == (429, "imports-busy")


def test_an_idle_connection_can_be_used_again(server: Server) -> None:
    with server.connect() as client:
        for _ in range(2):
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            response = HTTPResponse(client)
            response.begin()
            assert (response.status, response.read()[:1]) == (200, b"{")
            time.sleep(TRANSFER_SECONDS / 2)


def test_unread_responses_do_not_block_others(server: Server) -> None:
    request = b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    # It is written once, for the first who asks.
    assert server.request("GET", "/openapi.yaml", seconds=30).status_code == 200
    with server.left_as_it_was() as clients:
        clients += [server.connect(request, receive_buffer=1024) for _ in range(60)]
        # Sixty responses take time to write; that nobody reads them must not take any more.
        assert server.request("GET", "/healthz", seconds=30).status_code == 200
        server.check_others(SECONDS)


def import_rounds(server: Server, lines: bytes) -> None:
    """Import rounds, and wait until they are stored."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/x-ndjson"}
    url = f"{server.service.url}/v1/imports"
    response = httpx2.post(url, content=lines, headers=headers, timeout=30, trust_env=False, verify=False)
    assert response.status_code == 202, response.text
    job = response.json()
    assert wait_until(
        lambda: server.request("GET", f"/v1/imports/{job['id']}", seconds=30).json()["state"] == "succeeded",
        seconds=120,
    )


def test_unread_exports_do_not_block_others(server: Server) -> None:
    # More than the server and the system buffer of a response.
    import_rounds(server, lines_of(rounds_to_import(1500)))
    lines = ("GET /v1/export HTTP/1.1", "Host: x", "Connection: close", f"Authorization: Bearer {server.key}", "", "")
    export = "\r\n".join(lines).encode()
    with server.left_as_it_was() as clients:
        clients += [server.connect(export, receive_buffer=1024) for _ in range(30)]
        # Thirty exports take time to begin; that nobody reads them must not take any more.
        assert server.request("GET", "/healthz", seconds=30).status_code == 200
        server.check_others(SECONDS)
    whole = server.request("GET", "/v1/export", seconds=30)
    assert (whole.status_code, len(whole.text.splitlines())) == (200, 1500)


@pytest.mark.thorough
def test_a_response_read_slowly_is_complete(server: Server) -> None:
    expected = server.request("GET", "/openapi.yaml", seconds=30).content
    request = b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with server.connect(request, receive_buffer=4096) as client:
        received = b""
        while chunk := client.recv(16_000):
            received += chunk
            time.sleep(0.01)
    assert received.partition(b"\r\n\r\n")[2] == expected


def test_pipelined_requests_receive_responses_in_order(server: Server) -> None:
    body = b'{"name": "one of several", "ruleset": "pineapple"}'
    head = server.head("/v1/tables", f"Content-Length: {len(body)}", "Content-Type: application/json")
    last = b"GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with server.connect(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + head + body + last) as client:
        received = b"".join(iter(lambda: client.recv(65536), b""))
    assert [part[:3] for part in received.split(b"HTTP/1.1 ")[1:]] == [b"200", b"201", b"404"]


def test_a_stopping_server_disconnects_slow_clients(server: Server, tmp_path: Path) -> None:
    with running(tmp_path / "ofc", is_first=True) as service:
        other = Server(service, (tmp_path / "ofc" / "api-key").read_text().strip())
        clients = [other.connect(b"GET /healthz HTTP/1.1\r\n") for _ in range(10)]
        # The worker accepts connections in their order.
        assert other.request("GET", "/healthz").status_code == 200
        assert service.stop() == 0
        for client in clients:
            with client:
                assert client.recv(65536) == b""
