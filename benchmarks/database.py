"""A new database on an embedded PostgreSQL, for one measurement."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from service.db import migrate
from service.server.embedded import OWNER, Cluster
from service.server.embedded.cluster import DURABLE


def time_of_server(postgres: psutil.Process) -> float:
    """Return the processor time of a PostgreSQL server, with that of its connections, also of those that have ended."""
    total = sum(postgres.cpu_times()[:4])
    for child in postgres.children():
        with suppress(psutil.NoSuchProcess):  # it has just ended
            total += sum(child.cpu_times()[:2])
    return float(total)


@contextmanager
def open_cluster(settings: Mapping[str, str] = DURABLE) -> Iterator[tuple[Path, Cluster]]:
    """Yield a temporary directory and the PostgreSQL in it, with the tables of the service and a login for its role."""
    with tempfile.TemporaryDirectory(prefix="ofc-bench-") as directory, Cluster(Path(directory), settings) as cluster:
        migrate(cluster.url(OWNER))
        cluster.allow_login("ofc_service")
        yield Path(directory), cluster
