"""Metrics that are read from the database: what waits in all clubs together, and whether workers are active."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from types import MappingProxyType
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from service.db import Database
from service.db.replicas import ReplicaLag, read_replicas
from service.errors import ServiceError
from service.jobs.queries.backlog import Backlog, read_ages, read_backlog
from service.logs import get_log

SECONDS: Final = 5.0
"""How long a process shows what it has read: `/metrics` needs no key, and must not load the database."""
GAUGES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "jobs": ("ofc_jobs_unfinished", "Jobs that are queued or running."),
        "queued_seconds": ("ofc_job_queued_seconds", "Age of the oldest queued job; 0 without one."),
        "chunks": ("ofc_chunks_waiting", "Chunks of running jobs that have not ended."),
        "disputes": ("ofc_disputes_waiting", "Disputes without a decision."),
        "deliveries": ("ofc_webhook_messages_waiting", "Messages to active webhooks that are not delivered."),
        "delivery_seconds": ("ofc_webhook_lag_seconds", "Time since which the oldest message is due; 0 if none is."),
        "failing_webhooks": ("ofc_webhooks_failing", "Active webhooks whose newest message failed."),
        "waiting_events": ("ofc_events_outside_trees", "Events that are not in the tree of their club yet."),
        "unsigned_events": ("ofc_events_unsigned", "Events in a tree that no checkpoint covers yet."),
        "checkpoint_seconds": (
            "ofc_checkpoint_age_seconds",
            "Age of the oldest newest checkpoint of a club that has later events; 0 if none has.",
        ),
        "findings": ("ofc_verification_findings", "Findings of the last stored verification of each club."),
        "connections": ("ofc_database_connections", "Connections to the database."),
        "most_connections": ("ofc_database_connections_max", "Maximum number of connections of the server."),
        "database_bytes": ("ofc_database_bytes", "Size of the database."),
    }
)
"""The name and the description of the gauge of each number of the backlog."""

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class _Reading:
    backlog: Backlog
    ages: Mapping[str, float]
    replicas: Sequence[ReplicaLag]


@dataclass(slots=True, eq=False)
class BacklogGauges(Collector):
    """The gauges. Without the database there is only `ofc_database_up`, which is 0."""

    database: Database
    _read_at: float = field(default=float("-inf"), init=False)
    _read: _Reading | None = field(default=None, init=False)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges, read again if those of the last time are too old."""
        if monotonic() - self._read_at >= SECONDS:
            self._read, self._read_at = self._look(), monotonic()
        read = self._read
        yield GaugeMetricFamily("ofc_database_up", "1 if the database responds, otherwise 0.", int(read is not None))
        if read is None:
            return
        for attribute, (name, description) in GAUGES.items():
            yield GaugeMetricFamily(name, description, getattr(read.backlog, attribute))
        runs = GaugeMetricFamily(
            "ofc_periodic_task_age_seconds", "Time since the last run of a periodic task.", labels=["task"]
        )
        for task, seconds in read.ages.items():
            runs.add_metric([task], seconds)
        yield runs
        yield from _show_replicas(read.replicas)

    def _look(self) -> _Reading | None:
        try:
            with self.database.reading_outside_clubs() as connection:
                return _Reading(read_backlog(connection), read_ages(connection), read_replicas(connection))
        except ServiceError as error:
            _log.warning("metrics_incomplete", error=str(error))
            return None


def _show_replicas(replicas: Sequence[ReplicaLag]) -> Iterator[GaugeMetricFamily]:
    """Yield the gauges of the standbys, if there are any."""
    if not replicas:
        return
    behind = GaugeMetricFamily("ofc_replica_lag_bytes", "WAL that a standby has not replayed yet.", labels=["standby"])
    late = GaugeMetricFamily(
        "ofc_replica_lag_seconds", "Time that a standby is behind the primary.", labels=["standby"]
    )
    for replica in replicas:
        behind.add_metric([replica.name], replica.bytes)
        late.add_metric([replica.name], replica.seconds)
    yield from (behind, late)
