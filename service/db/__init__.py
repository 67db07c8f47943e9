"""PostgreSQL: who connects, what one transaction is, and how the tables come to their newest shape."""

from service.db.address import SERVICE_ROLE, engine_url
from service.db.failures import conflict_of
from service.db.migrations import alembic_config, migrate
from service.db.server_check import ServerState
from service.db.statements import Statement
from service.db.transactions import Database, Session, Transaction

__all__ = [
    "SERVICE_ROLE",
    "Database",
    "ServerState",
    "Session",
    "Statement",
    "Transaction",
    "alembic_config",
    "conflict_of",
    "engine_url",
    "migrate",
]
