"""A new database on an embedded PostgreSQL, for one measurement."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from service.db import migrate
from service.server.embedded import OWNER, Cluster
from service.server.embedded.cluster import DURABLE


@contextmanager
def open_cluster(settings: Mapping[str, str] = DURABLE) -> Iterator[tuple[Path, Cluster]]:
    """Yield a temporary directory and the PostgreSQL in it, with the tables of the service and a login for its role."""
    with tempfile.TemporaryDirectory(prefix="ofc-bench-") as directory, Cluster(Path(directory), settings) as cluster:
        migrate(cluster.url(OWNER))
        cluster.allow_login("ofc_service")
        yield Path(directory), cluster
