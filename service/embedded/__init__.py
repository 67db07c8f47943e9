"""PostgreSQL from a wheel, for one machine: nothing to install, nothing left running."""

from service.embedded.cluster import DATABASE, OWNER, Cluster
from service.embedded.errors import EmbeddedError

__all__ = ["DATABASE", "OWNER", "Cluster", "EmbeddedError"]
