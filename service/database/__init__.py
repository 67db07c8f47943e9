"""PostgreSQL: who connects, what one transaction is, and how the tables come to their newest shape."""

from service.database.address import SERVICE_ROLE, engine_url
from service.database.failures import conflict_of
from service.database.migrating import alembic_config, migrate
from service.database.pipeline import ask
from service.database.statements import Statement
from service.database.transactions import Database, Session, Transaction

__all__ = [
    "SERVICE_ROLE",
    "Database",
    "Session",
    "Statement",
    "Transaction",
    "alembic_config",
    "ask",
    "conflict_of",
    "engine_url",
    "migrate",
]
