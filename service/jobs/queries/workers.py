"""
Which workers live, and what their queue leaves behind. None of it belongs to a club.

All of it is asked over a connection from `Database.outside_clubs`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, text

_ADD: Final = text("""
    INSERT INTO machinery.workers (id, host, process, concurrency, started_at, seen_at)
    VALUES (:id, :host, :process, :concurrency, now(), now())
    ON CONFLICT (id) DO UPDATE SET seen_at = now()
""")
_REMOVE: Final = text("DELETE FROM machinery.workers WHERE id = :id")
_FORGET: Final = text("DELETE FROM machinery.workers WHERE seen_at < now() - interval '1 hour'")
_LIVING: Final = text("""
    SELECT id, host, process, concurrency, started_at, seen_at FROM machinery.workers
    WHERE seen_at > now() - interval '30 seconds' ORDER BY started_at, id
""")
_PURGE: Final = text("DELETE FROM machinery.kombu_message WHERE NOT visible")


@dataclass(frozen=True, slots=True)
class LivingWorker:
    """A worker that was seen within the last half minute."""

    id: UUID
    host: str
    process: int
    concurrency: int
    started_at: datetime
    seen_at: datetime


def report(connection: Connection, worker_id: UUID, host: str, process: int, concurrency: int) -> None:
    """Say that a worker lives, and forget those of which nothing was heard for an hour."""
    connection.execute(_FORGET)
    connection.execute(_ADD, {"id": worker_id, "host": host, "process": process, "concurrency": concurrency})


def remove(connection: Connection, worker_id: UUID) -> None:
    """Say that a worker has stopped."""
    connection.execute(_REMOVE, {"id": worker_id})


def list_living(connection: Connection) -> list[LivingWorker]:
    """List the workers that live, the oldest first."""
    return [
        LivingWorker(found.id, found.host, found.process, found.concurrency, found.started_at, found.seen_at)
        for found in connection.execute(_LIVING)
    ]


def purge_heard_messages(connection: Connection) -> None:
    """Remove the messages that somebody has taken out of the queue in this database; it keeps them for ever."""
    connection.execute(_PURGE)
