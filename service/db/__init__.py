"""PostgreSQL: connections, transactions and migrations."""

from service.db.address import SERVICE_ROLE, engine_url
from service.db.failures import find_conflict
from service.db.migrations import alembic_config, migrate
from service.db.pipeline import Statement
from service.db.server_check import ServerState
from service.db.transactions import Database, Session, Transaction

__all__ = [
    "SERVICE_ROLE",
    "Database",
    "ServerState",
    "Session",
    "Statement",
    "Transaction",
    "alembic_config",
    "engine_url",
    "find_conflict",
    "migrate",
]
