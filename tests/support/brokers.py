"""
Message brokers for workers: the database always, RabbitMQ and Redis where they run on this machine.

Each test has a queue of its own there, removed afterwards.
"""

import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Final

import pytest
from celery import Celery

from service.config import Config
from service.jobs.app import build_celery
from tests.support.free_port import Listener

BROKERS: pytest.StashKey[set[str]] = pytest.StashKey()
ADDRESSES: Final = {
    "RabbitMQ": ("127.0.0.1", 5672, "amqp://guest:guest@127.0.0.1:5672"),
    "Redis": ("127.0.0.1", 6379, "redis://127.0.0.1:6379/0"),
}


@dataclass(frozen=True)
class Broker:
    """Queues of a test's own."""

    name: str
    url: str
    queue: str

    @property
    def variables(self) -> dict[str, str]:
        """What the environment says of it."""
        return {"OFC_BROKER_URL": self.url, "OFC_QUEUE": self.queue}

    @property
    def messages(self) -> dict[str, str]:
        """What `Config` says of it."""
        return {"broker_url": self.url, "queue": self.queue}

    def celery(self, database_url: str) -> Celery:
        """The way to it."""
        return build_celery(Config(database_url, **self.messages))

    def lose_messages(self) -> None:
        """Remove the queues, with all that is in them."""
        celery = self.celery("postgresql:///none")
        for name in celery.amqp.queues:
            with celery.connection_for_write() as connection, suppress(Exception):
                connection.default_channel.queue_delete(name)


@contextmanager
def opened_broker(name: str) -> Iterator[Broker]:
    url = ADDRESSES[name][2] if name in ADDRESSES else ""
    broker = Broker(name, url, f"ofc.suite.{secrets.token_hex(6)}")
    yield broker
    if url:
        broker.lose_messages()


@cache
def find_brokers() -> tuple[str, ...]:
    """List the brokers that respond at their usual addresses."""
    return tuple(name for name, (host, port, _) in ADDRESSES.items() if responds(host, port))


def responds(host: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((host, port), timeout=15):
        return True
    return False


class Proxy:
    """A way to a broker that can be cut, as if the broker had died, and opened again."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._open: set[socket.socket] = set()
        self.is_cut = False
        self._listener = Listener(self._serve)
        self.port = self._listener.port

    def cut(self) -> None:
        """End every connection, and let no new one come through."""
        self.is_cut = True
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def restore(self) -> None:
        self.is_cut = False

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _serve(self, client: socket.socket) -> None:
        if self.is_cut:
            client.close()
            return
        broker = socket.create_connection(self._target)
        self._open |= {client, broker}
        for source, sink in ((client, broker), (broker, client)):
            threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while received := source.recv(65536):
                sink.sendall(received)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            source.close()
        self._open.discard(source)


class OwnRedis:
    """A Redis of a test's own, which stores nothing on disk."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process = self._start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def restart(self) -> None:
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd="/")
        deadline = time.monotonic() + 20
        while not responds("127.0.0.1", self.port):
            assert time.monotonic() < deadline, "redis-server does not respond"
            time.sleep(0.05)
        return process
