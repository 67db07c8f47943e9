"""
The active workers, and the queue in the database. None of these records belongs to a club.

All functions need a connection from `Database.outside_clubs`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, text

_ADD: Final = text("""
    INSERT INTO shared.workers (id, host, process, concurrency, started_at, seen_at)
    VALUES (:id, :host, :process, :concurrency, now(), now())
    ON CONFLICT (id) DO UPDATE SET seen_at = now()
""")
_REMOVE: Final = text("DELETE FROM shared.workers WHERE id = :id")
_FORGET: Final = text("DELETE FROM shared.workers WHERE seen_at < now() - interval '1 hour'")
_LIVING: Final = text("""
    SELECT id, host, process, concurrency, started_at, seen_at FROM shared.workers
    WHERE seen_at > now() - interval '30 seconds' ORDER BY started_at, id
""")
_PURGE: Final = text("DELETE FROM shared.kombu_message WHERE NOT visible")


@dataclass(frozen=True, slots=True)
class ActiveWorker:
    """A worker with a heartbeat in the last 30 seconds."""

    id: UUID
    host: str
    process: int
    concurrency: int
    started_at: datetime
    seen_at: datetime


def record_heartbeat(connection: Connection, worker_id: UUID, host: str, process: int, concurrency: int) -> None:
    """Record the heartbeat of a worker, and delete workers without a heartbeat for an hour."""
    connection.execute(_FORGET)
    connection.execute(_ADD, {"id": worker_id, "host": host, "process": process, "concurrency": concurrency})


def remove(connection: Connection, worker_id: UUID) -> None:
    """Delete a worker that has stopped."""
    connection.execute(_REMOVE, {"id": worker_id})


def list_active(connection: Connection) -> list[ActiveWorker]:
    """List the active workers, the oldest first."""
    return [
        ActiveWorker(found.id, found.host, found.process, found.concurrency, found.started_at, found.seen_at)
        for found in connection.execute(_LIVING)
    ]


def purge_consumed_messages(connection: Connection) -> None:
    """Delete the consumed messages of the queue in the database, which kombu never deletes."""
    connection.execute(_PURGE)
