"""A proxy that breaks the connection after the request was processed and before the response arrives."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from select import select
from threading import Thread
from urllib.parse import parse_qs, urlsplit

Place = tuple[str, int] | str
"""A host and a port, or the path of a Unix socket."""


class Line:
    """Carries bytes to a server and back."""

    def __init__(self, server: Place) -> None:
        self.broken = 0
        self._server = server
        self._fatal: bytes | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open = True
        self._carriers: list[Thread] = []
        self._waiting = Thread(target=self._accept)
        self._waiting.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def break_after(self, words: bytes) -> None:
        """Drop the next response to a statement that contains these words, and close the connection."""
        self._fatal = words

    def lead_to(self, server: Place) -> None:
        """Carry later connections to another server; those that are open stay where they are."""
        self._server = server

    def close(self) -> None:
        self._open = False
        # A listening socket is woken by a connection, not by being closed.
        socket.create_connection(("127.0.0.1", self.port)).close()
        for thread in (self._waiting, *self._carriers):
            thread.join(timeout=10)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            if not self._open:
                client.close()
                return
            self._carriers.append(Thread(target=self._carry, args=(client,)))
            self._carriers[-1].start()

    def _carry(self, client: socket.socket) -> None:
        with suppress(OSError), client, _connect(self._server) as server:
            breaks = False
            while self._open:
                for ready in select([client, server], [], [], 0.1)[0]:
                    carried = ready.recv(1 << 16)
                    if not carried:
                        return
                    if ready is client:
                        if self._fatal is not None and self._fatal in carried:
                            self._fatal, breaks = None, True
                        server.sendall(carried)
                    elif breaks:
                        self.broken += 1
                        return
                    else:
                        client.sendall(carried)


def _connect(server: Place) -> socket.socket:
    if not isinstance(server, str):
        return socket.create_connection(server)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(server)
    except OSError:
        connection.close()
        raise
    return connection


@contextmanager
def breaking_line(server: Place) -> Iterator[Line]:
    line = Line(server)
    try:
        yield line
    finally:
        line.close()


@contextmanager
def breaking_line_to_database(url: str) -> Iterator[tuple[Line, str]]:
    """A line to an embedded PostgreSQL, and the address of the database through it."""
    parts = urlsplit(url)
    [directory] = parse_qs(parts.query)["host"]
    with breaking_line(f"{directory}/.s.PGSQL.5432") as line:
        yield (
            line,
            f"postgresql://{parts.username}@127.0.0.1:{line.port}{parts.path}?sslmode=disable&gssencmode=disable",
        )
