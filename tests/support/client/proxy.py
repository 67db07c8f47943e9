"""A proxy in front of a service that drops or delays requests or responses."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


class Way(Enum):
    """What happens to requests that change something. AWAY drops all others too, and SILENT responds to none."""

    THROUGH = auto()
    AWAY = auto()
    SILENT = auto()
    LOSES_REQUESTS = auto()
    LOSES_RESPONSES = auto()
    HOLDS_REQUESTS = auto()
    HOLDS_RESPONSES = auto()


class Proxy:
    """
    A proxy that forwards requests to a service, depending on `way`, and records every change.

    `latency` delays every request by so many seconds. `read`, `tried` and `done` are responses that are sent to reads,
    dry runs and changes in place of the service's.
    """

    def __init__(self, service: str) -> None:
        self.way = Way.THROUGH
        self.delay = 0.0
        self.latency = 0.0
        self.request_count = 0
        self.changes: list[tuple[str, str | None, bytes]] = []
        self.read: list[tuple[int, bytes]] = []
        self.tried: list[tuple[int, bytes]] = []
        self.done: list[tuple[int, bytes]] = []
        self.held = threading.Event()
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, urlsplit(service).netloc))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    def hold(self) -> None:
        """Hold a request or a response until the test releases it."""
        self.held.set()
        self.released.wait(30)


def _handler(proxy: Proxy, service: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._pass_on()

        def do_POST(self) -> None:
            self._pass_on()

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

        def _pass_on(self) -> None:
            self.close_connection = True
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            is_change = self.command == "POST" and "dry_run" not in self.path
            way = proxy.way if is_change or proxy.way in (Way.AWAY, Way.SILENT) else Way.THROUGH
            proxy.request_count += 1
            if way is Way.SILENT:
                proxy.released.wait(60)
            if way in (Way.AWAY, Way.SILENT):
                return
            time.sleep(proxy.latency)
            in_its_place = proxy.done if is_change else proxy.tried if "dry_run" in self.path else proxy.read
            if in_its_place:
                self._respond(*in_its_place.pop(0), [("Content-Type", "application/problem+json")])
                return
            if is_change:
                proxy.changes.append((self.path, self.headers.get("Idempotency-Key"), body))
                time.sleep(proxy.delay)
            if way is Way.HOLDS_REQUESTS:
                proxy.hold()
            if way in (Way.HOLDS_REQUESTS, Way.LOSES_REQUESTS):
                return
            response, content = self._forward(body)
            if way is Way.HOLDS_RESPONSES:
                proxy.hold()
            if way is Way.THROUGH:
                self._respond(response.status, content, response.getheaders())

        def _respond(self, status: int, content: bytes, headers: list[tuple[str, str]]) -> None:
            self.send_response_only(status)
            for name, value in headers:
                if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _forward(self, body: bytes) -> tuple[http.client.HTTPResponse, bytes]:
            passed = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            with closing(http.client.HTTPConnection(service, timeout=30)) as connection:
                connection.request(self.command, self.path, body, passed)
                response = connection.getresponse()
                return response, response.read()

    return Handler


@contextmanager
def proxied(service: str) -> Iterator[Proxy]:
    proxy = Proxy(service)
    try:
        yield proxy
    finally:
        proxy.close()
