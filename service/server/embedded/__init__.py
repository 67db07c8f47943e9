"""PostgreSQL from a wheel, for one machine: nothing to install, nothing left running."""

from service.server.embedded.binaries import EmbeddedError
from service.server.embedded.cluster import DATABASE, OWNER, Cluster

__all__ = ["DATABASE", "OWNER", "Cluster", "EmbeddedError"]
