"""Silent and slow clients, and checks that others are still served."""

import json
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx2
import psutil

from tests.support.server_process import Running, wait_until

SOON = 4.0
"""Other clients receive responses in less than so many seconds."""


@dataclass(frozen=True)
class Server:
    """A server of its own with one web worker, and the key to it."""

    service: Running
    key: str

    @property
    def worker(self) -> psutil.Process:
        """The process that handles requests."""
        return self.service.child("service.server.web")

    def connect(self, sent: bytes = b"", receive_buffer: int = 0) -> socket.socket:
        host, _, port = self.service.url.removeprefix("http://").partition(":")
        client = socket.socket()
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.settimeout(30)
        client.connect((host, int(port)))
        client.sendall(sent)
        return client

    def head(self, path: str, *lines: str, key: str = "") -> bytes:
        """Write the head of a POST with a body."""
        begins = [f"POST {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {key or self.key}"]
        return "\r\n".join([*begins, *lines, "", ""]).encode()

    def request(self, method: str, path: str, document: object = None, seconds: float = SOON) -> httpx2.Response:
        """Send a request over a connection of its own, and wait so long for each piece of the response."""
        with httpx2.Client(timeout=seconds, trust_env=False, verify=False) as client:
            headers = {"Authorization": f"Bearer {self.key}"}
            return client.request(method, self.service.url + path, json=document, headers=headers)

    def check_others(self, seconds: float) -> None:
        """Check for a while that other requests receive responses, health checks included."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            assert self.request("GET", "/healthz").status_code == 200
            assert (
                self.request("POST", "/v1/tables", {"name": str(uuid.uuid4()), "ruleset": "pineapple"}).status_code
                == 201
            )
            time.sleep(0.05)

    def has_no_clients(self) -> bool:
        """Whether no connection of a client is open."""
        port = int(self.service.url.rpartition(":")[2])
        return not [
            each
            for each in self.worker.net_connections("tcp")
            if each.laddr.port == port and each.status != psutil.CONN_LISTEN
        ]

    @contextmanager
    def left_as_it_was(self) -> Iterator[list[socket.socket]]:
        """
        Run slow clients, and check that others receive responses and that no connection is left at the end.

        They hold on to their side: it is the server that lets go of them.
        """
        self.check_others(0.3)
        assert wait_until(self.has_no_clients)
        descriptors = self.worker.num_fds()
        clients: list[socket.socket] = []
        with ExitStack() as stack:
            stack.callback(lambda: [client.close() for client in clients])
            yield clients
            # Longer than the server keeps an idle connection.
            assert wait_until(self.has_no_clients, seconds=150), "connections stay open"
            # Threads that work, and their connections to the database, may have come meanwhile.
            assert self.worker.num_threads() <= MOST_THREADS
            assert self.worker.num_fds() <= descriptors + 12
        assert "ofc_requests_in_flight 1.0" in self.request("GET", "/metrics").text
        log = self.service.log
        assert "Traceback" not in log, log[log.index("Traceback") - 500 :][:5000]


MOST_THREADS = 48
"""Those that run the application, and those of the libraries."""


@contextmanager
def dripping(clients: list[socket.socket], byte: bytes) -> Iterator[None]:
    """Send one byte on every connection, again and again."""
    has_ended = threading.Event()

    def drip() -> None:
        while not has_ended.wait(0.3):
            for client in clients:
                with suppress(OSError):
                    client.send(byte)

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()


def read_response(client: socket.socket) -> tuple[int, Any]:
    """Read a response until the server closes the connection; return its status and its document."""
    received = b"".join(iter(lambda: client.recv(65536), b""))
    return int(received.split()[1]), json.loads(received.partition(b"\r\n\r\n")[2])
