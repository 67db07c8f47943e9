"""The queue of messages in the database: kombu's own, whose transactions work as the service's role."""

from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport.sqlalchemy import Channel, Transport
from sqlalchemy import Engine, event

from service.db.address import SERVICE_ROLE, connect_arguments, engine_url, settings_of
from service.db.session import LocalSettings

QUEUE_IN_DATABASE: Final = "database"
"""How a broker's URL begins that names a database."""
_SCHEMA: Final = "machinery"

TRANSPORT_ALIASES[QUEUE_IN_DATABASE] = f"{__name__}:QueueTransport"


class QueueChannel(Channel):
    """Where messages are sent and received."""

    def _engine_from_config(self) -> Engine:
        engine: Engine = super()._engine_from_config()
        url = engine_url(self.connection.client.hostname)
        event.listen(engine, "begin", LocalSettings(SERVICE_ROLE, settings_of(url, search_path=_SCHEMA)).apply)
        return engine


class QueueTransport(Transport):
    """How kombu reaches the queue."""

    Channel = QueueChannel


def queue_options(database_url: str) -> dict[str, Any]:
    """Return the options with which kombu opens the queue in a database."""
    url = engine_url(database_url)
    settings = settings_of(url, search_path=_SCHEMA)
    return {
        "connect_args": connect_arguments(url, SERVICE_ROLE, settings),
        "isolation_level": "READ COMMITTED",
        "pool_pre_ping": True,
    }
