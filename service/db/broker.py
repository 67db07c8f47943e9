"""The message queue in the database: kombu's SQLAlchemy transport, with the role of the service."""

from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport.sqlalchemy import Channel, Transport
from sqlalchemy import Engine, event

from service.db.address import SERVICE_ROLE, connect_arguments, engine_url, settings_of
from service.db.session import LocalSettings

QUEUE_IN_DATABASE: Final = "database"
"""URL scheme of a broker in the database."""
_SCHEMA: Final = "machinery"

TRANSPORT_ALIASES[QUEUE_IN_DATABASE] = f"{__name__}:QueueTransport"


class QueueChannel(Channel):
    """A channel whose transactions run with the role and the settings of the service."""

    def _engine_from_config(self) -> Engine:
        engine: Engine = super()._engine_from_config()
        url = engine_url(self.connection.client.hostname)
        event.listen(engine, "begin", LocalSettings(SERVICE_ROLE, settings_of(url, search_path=_SCHEMA)).apply)
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
