"""PostgreSQL: connections, transactions and migrations."""

from service.db.address import SERVICE_ROLE, engine_url
from service.db.database import Database
from service.db.failures import find_conflict
from service.db.migrations import alembic_config, migrate
from service.db.pipeline import Pipeline, Query, Statement
from service.db.server_check import ServerState
from service.db.transactions import Session, Transaction

__all__ = [
    "SERVICE_ROLE",
    "Database",
    "Pipeline",
    "Query",
    "ServerState",
    "Session",
    "Statement",
    "Transaction",
    "alembic_config",
    "engine_url",
    "find_conflict",
    "migrate",
]
