"""
The message queue in the database: kombu's SQLAlchemy transport, with the role of the service.

It works in Celery's event loop, so that each process of a worker's pool has a pipe of its own. Without an event loop
the processes share a lock, and one that is killed while it holds the lock stops the others.
"""

from contextlib import suppress
from typing import Any, ClassVar, Final

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport.sqlalchemy import Channel, Transport
from sqlalchemy import Engine, event

from service.db.address import SERVICE_ROLE, connect_arguments, engine_url, settings_of
from service.db.connections import LocalSettings

QUEUE_IN_DATABASE: Final = "database"
"""URL scheme of a broker in the database."""
_SCHEMA: Final = "shared"
_POLL_SECONDS: Final = 1.0

TRANSPORT_ALIASES[QUEUE_IN_DATABASE] = f"{__name__}:QueueTransport"


class QueueChannel(Channel):
    """A channel whose transactions run with the role and the settings of the service."""

    _engines: ClassVar[dict[str, tuple[Engine, Any]]] = {}

    def _engine_from_config(self) -> Engine:
        engine: Engine = super()._engine_from_config()
        url = engine_url(self.connection.client.hostname)
        event.listen(engine, "begin", LocalSettings(SERVICE_ROLE, settings_of(url, search_path=_SCHEMA)).apply)
        return engine


class QueueTransport(Transport):
    """The kombu transport of the queue."""

    Channel = QueueChannel
    implements = Transport.implements.extend(asynchronous=True)

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Look for messages in a regular interval."""
        loop.call_repeatedly(_POLL_SECONDS, self._receive, connection)

    def _receive(self, connection: Any) -> None:
        """Receive the messages that are there, as many as the worker takes."""
        with suppress(TimeoutError):
            while True:
                self.drain_events(connection, timeout=0)


def dispose_after_fork() -> None:
    """Leave the parent's connections to the parent; the child opens its own."""
    for engine, _ in QueueChannel._engines.values():
        engine.dispose(close=False)
    QueueChannel._engines.clear()


def queue_options(database_url: str) -> dict[str, Any]:
    """Return the transport options of the queue in a database."""
    url = engine_url(database_url)
    settings = settings_of(url, search_path=_SCHEMA)
    return {
        "connect_args": connect_arguments(url, SERVICE_ROLE, settings),
        "isolation_level": "READ COMMITTED",
        "pool_pre_ping": True,
    }
