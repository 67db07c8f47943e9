"""How far the standbys are behind the primary, for metrics."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

# Programs that receive WAL without replaying it have no position, nor does a role without the right to see it. The lag
# in time stands still when a standby reports nothing more.
_READ: Final = text("""
    SELECT application_name AS name, CAST(max(bytes) AS bigint) AS bytes,
        coalesce(max(extract(epoch FROM
            greatest(replay_lag, CASE WHEN bytes > 0 THEN clock_timestamp() - reply_time END)
        )), 0)::double precision AS seconds
    FROM pg_stat_replication
    CROSS JOIN LATERAL (
        SELECT greatest(pg_wal_lsn_diff(CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END, replay_lsn), 0)
    ) AS behind (bytes)
    WHERE replay_lsn IS NOT NULL AND NOT pg_is_in_recovery()
    GROUP BY application_name ORDER BY application_name
""")


@dataclass(frozen=True, slots=True)
class ReplicaLag:
    """
    How far a standby is behind.

    Attributes:
        name: its `application_name`. Of several standbys with one name, the one that is farthest behind counts.
        bytes: the WAL that it has not replayed yet.
        seconds: the time from a commit until the standby had replayed it, or since its last report if it has WAL to
            replay.
    """

    name: str
    bytes: int
    seconds: float


def read_replicas(connection: Connection) -> list[ReplicaLag]:
    """Return the standbys that the role may see; none on a standby."""
    return [ReplicaLag(**row._mapping) for row in connection.execute(_READ)]
