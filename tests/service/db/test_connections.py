"""The limit of connections per address."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.database.postgres import Server as Postgres
from tests.support.server_process import running
from tests.support.slow_clients import Server

MOST = 8


@contextmanager
def serving(postgres: Postgres, directory: Path, **variables: str) -> Iterator[Server]:
    """Run a server that accepts eight connections from an address."""
    logins = postgres.create_database()
    database = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    limits = {"OFC_ADDRESS_CONNECTIONS": str(MOST), "OFC_HEAD_SECONDS": "60", "OFC_TRANSFER_SECONDS": "60"}
    with running(directory, **database, **limits, **variables) as service:
        yield Server(service, (directory / "api-key").read_text().strip())
    postgres.drop_database(logins)


def test_a_connection_over_the_limit_replaces_the_longest_idle_one(embedded_postgres: Postgres, tmp_path: Path) -> None:
    with serving(embedded_postgres, tmp_path) as server:
        clients = [server.connect(b"GET /healthz HTTP/1.1\r\n") for _ in range(3 * MOST)]
        assert server.request("GET", "/healthz").status_code == 200
        for client in clients:
            client.setblocking(False)
        assert [is_open(client) for client in clients] == [False] * (2 * MOST + 1) + [True] * (MOST - 1)
        for client in clients:
            client.close()


def test_connections_are_limited_by_forwarded_address(embedded_postgres: Postgres, tmp_path: Path) -> None:
    def begin(address: str) -> bytes:
        lines = ("Content-Length: 100", "Content-Type: application/json", "Expect: 100-continue")
        return server.head("/v1/tables", *lines, f"X-Forwarded-For: 192.0.2.1, {address}")

    def connect(address: str) -> socket.socket:
        """Begin a request, and wait until the application asks for its body."""
        client = server.connect(begin(address))
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.setblocking(False)
        return client

    with serving(embedded_postgres, tmp_path, OFC_TRUSTED_PROXIES="1") as server:
        clients = [connect("198.51.100.1") for _ in range(MOST)]
        others = [connect(f"198.51.100.{number}") for number in range(2, 4 * MOST)]
        assert all(map(is_open, [*clients, *others]))
        clients.append(connect("198.51.100.1"))
        assert [is_open(client) for client in clients] == [False] + [True] * MOST
        assert all(map(is_open, others))
        for client in [*clients, *others]:
            client.close()


def is_open(client: socket.socket) -> bool:
    """Return whether the server keeps an idle connection open."""
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
