"""A server that sends given responses: errors, broken ones, and those of other servers."""

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


class Faulty:
    """Send the given responses, one a connection, the last one for ever. Record the requests."""

    def __init__(self, *responses: bytes) -> None:
        self.requests: list[str] = []
        self.keys: list[str | None] = []
        self._responses = list(responses)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        # A listening socket is woken by a connection, not by being closed.
        self._responses = []
        socket.create_connection(self._listener.getsockname()).close()
        self._thread.join(timeout=10)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection, connection.makefile("rb") as stream:
                request_line = stream.readline().decode().split()
                if not self._responses:
                    return
                length, key = 0, None
                while (header := stream.readline().strip()) != b"":
                    name, _, value = header.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                    key = value.decode().strip() if name.lower() == b"idempotency-key" else key
                stream.read(length)
                self.requests.append(" ".join(request_line[:2]))
                self.keys.append(key)
                response = self._responses.pop(0) if len(self._responses) > 1 else self._responses[0]
                connection.sendall(response)


@contextmanager
def faulty(*responses: bytes) -> Iterator[Faulty]:
    server = Faulty(*responses)
    try:
        yield server
    finally:
        server.close()


def build_response(status: int, content: object, kind: str = "application/json", **headers: str) -> bytes:
    """Return an HTTP response. Content that is not a string is sent as JSON."""
    body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
    fields = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Because\r\n{lines}\r\n".encode() + body


def problem(status: int, code: str, detail: str) -> bytes:
    """Return a response with a problem document."""
    document: Mapping[str, Any] = {"title": "No", "code": code, "detail": detail, "errors": [], "request_id": "1"}
    return build_response(status, document, "application/problem+json")


def cut_off(whole: bytes) -> bytes:
    """Return an incomplete response."""
    return whole[: len(whole) - 5]


HTML = build_response(200, "<h1>Welcome to the hotel</h1>", "text/html; charset=utf-8")
NO_GATEWAY = build_response(502, "<h1>Bad gateway</h1>", "text/html")
DOWN = problem(503, "database-unavailable", "the database does not answer")
INCOMPLETE = problem(408, "request-incomplete", "the body ended early")
UNCERTAIN = problem(504, "outcome-unknown", "the database stopped answering during the commit")
BUSY = problem(409, "busy", "somebody else is changing the same round")
NOTHING = b""
