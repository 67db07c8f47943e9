"""The message queue in the database: kombu's SQLAlchemy transport, with the role of the service."""

from typing import Any, ClassVar, Final

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport.sqlalchemy import Channel, Transport
from sqlalchemy import Connection, Engine, ExceptionContext, event

from service.db.address import SERVICE_ROLE, connect_arguments, engine_url, settings_of
from service.db.connections import LocalSettings
from service.db.failures import READ_ONLY

QUEUE_IN_DATABASE: Final = "database"
"""URL scheme of a broker in the database."""
_SCHEMA: Final = "shared"

TRANSPORT_ALIASES[QUEUE_IN_DATABASE] = f"{__name__}:QueueTransport"


def _set_local_commit(connection: Connection) -> None:
    connection.exec_driver_sql("SET LOCAL synchronous_commit = local")


def _discard_read_only(context: ExceptionContext) -> None:
    """Discard all pooled connections when PostgreSQL is read-only: they can be connected to a former primary."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY:
        context.is_disconnect = True


class QueueChannel(Channel):
    """A channel whose transactions run with the role and the settings of the service."""

    _engines: ClassVar[dict[str, tuple[Engine, Any]]] = {}

    def _engine_from_config(self) -> Engine:
        engine: Engine = super()._engine_from_config()
        url = engine_url(self.connection.client.hostname)
        event.listen(engine, "begin", LocalSettings(SERVICE_ROLE, settings_of(url, search_path=_SCHEMA)).apply)
        # A message only wakes a worker, so it waits for no standby and may be lost with the server.
        event.listen(engine, "begin", _set_local_commit)
        event.listen(engine, "handle_error", _discard_read_only)
        return engine


class QueueTransport(Transport):
    """The kombu transport of the queue."""

    Channel = QueueChannel


def queue_options(database_url: str) -> dict[str, Any]:
    """Return the transport options of the queue in a database."""
    url = engine_url(database_url)
    settings = settings_of(url, search_path=_SCHEMA)
    return {
        "connect_args": connect_arguments(url, SERVICE_ROLE, settings),
        "isolation_level": "READ COMMITTED",
        "pool_pre_ping": True,
    }
