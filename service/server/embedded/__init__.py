"""The embedded PostgreSQL: binaries from a wheel, run by `ofc-server`."""

from service.server.embedded.binaries import EmbeddedError
from service.server.embedded.cluster import DATABASE, OWNER, Cluster

__all__ = ["DATABASE", "OWNER", "Cluster", "EmbeddedError"]
