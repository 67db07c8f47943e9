"""The limit of connections per address."""

import socket
import time
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
    with running(directory, **database, OFC_ADDRESS_CONNECTIONS=str(MOST), **variables) as service:
        yield Server(service, (directory / "api-key").read_text().strip())
    postgres.drop_database(logins)


def test_a_connection_over_the_limit_replaces_the_longest_idle_one(embedded_postgres: Postgres, tmp_path: Path) -> None:
    with serving(embedded_postgres, tmp_path) as server:
        clients = [server.connect(b"GET /healthz HTTP/1.1\r\n") for _ in range(3 * MOST)]
        assert server.ask("GET", "/healthz").status_code == 200
        time.sleep(0.2)
        for client in clients:
            client.setblocking(False)
        assert [is_open(client) for client in clients] == [False] * (2 * MOST + 1) + [True] * (MOST - 1)
        for client in clients:
            client.close()


def test_connections_are_limited_by_forwarded_address(embedded_postgres: Postgres, tmp_path: Path) -> None:
    def begin(address: str) -> bytes:
        lines = ("Content-Length: 100", "Content-Type: application/json", f"X-Forwarded-For: 192.0.2.1, {address}")
        return server.head("/v1/tables", *lines)

    with serving(embedded_postgres, tmp_path, OFC_TRUSTED_PROXIES="1") as server:
        clients = [server.connect(begin("198.51.100.1")) for _ in range(MOST)]
        others = [server.connect(begin(f"198.51.100.{number}")) for number in range(2, 4 * MOST)]
        time.sleep(0.5)
        for client in [*clients, *others]:
            client.setblocking(False)
        assert all(map(is_open, [*clients, *others]))
        clients.append(server.connect(begin("198.51.100.1")))
        time.sleep(0.5)
        clients[-1].setblocking(False)
        # Which of them has waited longest depends on when the application had admitted each.
        still_open = [is_open(client) for client in clients]
        assert (still_open.count(True), still_open[-1]) == (MOST, True)
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
