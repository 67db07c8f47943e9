"""
What carries messages to workers: the database always, and RabbitMQ and Redis where they answer on this machine.

Each test has a queue of its own there, removed afterwards.
"""

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Final

import pytest
from celery import Celery

from service.config import Config
from service.tasks import make_celery

BROKERS: pytest.StashKey[set[str]] = pytest.StashKey()
ADDRESSES: Final = {
    "RabbitMQ": ("127.0.0.1", 5672, "amqp://guest:guest@127.0.0.1:5672"),
    "Redis": ("127.0.0.1", 6379, "redis://127.0.0.1:6379/0"),
}


@dataclass(frozen=True)
class Broker:
    """A queue of a test's own."""

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
        return make_celery(Config(database_url, **self.messages))

    def lose_messages(self) -> None:
        """Remove the queue, with all that is in it."""
        with self.celery("postgresql:///none").connection_for_write() as connection, suppress(Exception):
            connection.default_channel.queue_delete(self.queue)


@contextmanager
def opened_broker(name: str) -> Iterator[Broker]:
    url = ADDRESSES[name][2] if name in ADDRESSES else ""
    broker = Broker(name, url, f"ofc.suite.{secrets.token_hex(6)}")
    yield broker
    if url:
        broker.lose_messages()


@cache
def find_brokers() -> tuple[str, ...]:
    """Name the brokers that answer where they usually do."""
    return tuple(name for name, (host, port, _) in ADDRESSES.items() if answers(host, port))


def answers(host: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((host, port), timeout=2):
        return True
    return False
