"""What waits in all clubs together, for metrics and `ofc-server doctor`."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

_READ: Final = text("""
    SELECT backlog.*, numbackends AS connections, current_setting('max_connections')::integer AS most_connections,
        pg_database_size(current_database()) AS database_bytes
    FROM count_backlog() AS backlog CROSS JOIN pg_stat_database WHERE datname = current_database()
""")
_AGES: Final = text("""
    SELECT name, extract(epoch FROM now() - at)::double precision AS seconds FROM shared.moments
    WHERE name NOT LIKE 'worker %' ORDER BY name
""")


@dataclass(frozen=True, slots=True)
class Backlog:
    """
    What waits in all clubs together. Times are in seconds, by the clock of the database.

    Attributes:
        jobs: the jobs that are queued or running.
        queued_seconds: the age of the oldest job that no worker has planned; 0 without one.
        chunks: the chunks of running jobs that have not ended.
        disputes: the disputes without a decision.
        deliveries: the messages to active webhooks that are not delivered yet.
        delivery_seconds: the time since which the oldest message is due; 0 if none is.
        failing_webhooks: the active webhooks whose newest message failed.
        waiting_events: the events that are not in their club's tree yet.
        unsigned_events: the events in a tree that no checkpoint covers yet.
        checkpoint_seconds: the age of the oldest newest checkpoint of a club that has later events; 0 if none has.
        findings: the findings of the last `ofc-server verify --store-result` of each club.
        connections: the connections to the database.
        most_connections: the maximum number of connections of the server.
        database_bytes: the size of the database.
    """

    jobs: int
    queued_seconds: float
    chunks: int
    disputes: int
    deliveries: int
    delivery_seconds: float
    failing_webhooks: int
    waiting_events: int
    unsigned_events: int
    checkpoint_seconds: float
    findings: int
    connections: int
    most_connections: int
    database_bytes: int


def read_backlog(connection: Connection) -> Backlog:
    """
    Count what waits in all clubs.

    Args:
        connection: from `Database.outside_clubs`.
    """
    return Backlog(**connection.execute(_READ).one()._mapping)


def read_ages(connection: Connection) -> dict[str, float]:
    """Return how many seconds ago each periodic task ran, by name."""
    return {row.name: row.seconds for row in connection.execute(_AGES)}
