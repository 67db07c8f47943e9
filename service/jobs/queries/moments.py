"""
When workers started and periodic tasks last ran, for `ofc-server status`.

They belong to no club: these functions need a connection from `Database.outside_clubs`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, text

_RECORD: Final = text("""
    INSERT INTO shared.moments (name, at) VALUES (:name, now()) ON CONFLICT (name) DO UPDATE SET at = now()
""")
_FORGET: Final = text("DELETE FROM shared.moments WHERE at < now() - interval '30 days'")
_LIST: Final = text("SELECT name, at FROM shared.moments ORDER BY name")
_WORKER: Final = "worker "


@dataclass(frozen=True, slots=True)
class Moment:
    """A name, and when it was last recorded."""

    name: str
    at: datetime


def record_start(connection: Connection, host: str, queues: str) -> None:
    """Record that a worker of some queues starts on a host, and forget what was recorded long ago."""
    connection.execute(_FORGET)
    connection.execute(_RECORD, {"name": f"{_WORKER}{host} ({queues})"})


def record_run(connection: Connection, task: str) -> None:
    """Record that a periodic task runs."""
    connection.execute(_RECORD, {"name": task})


def list_moments(connection: Connection) -> tuple[list[Moment], list[Moment]]:
    """List the starts of workers, by host and queues, and the last runs of periodic tasks, by name."""
    moments = [Moment(row.name, row.at) for row in connection.execute(_LIST)]
    starts = [Moment(each.name.removeprefix(_WORKER), each.at) for each in moments if each.name.startswith(_WORKER)]
    return starts, [each for each in moments if not each.name.startswith(_WORKER)]
