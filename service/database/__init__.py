"""PostgreSQL: who connects, what one transaction is, and how the tables come to their newest shape."""

from service.database.address import SERVICE_ROLE, engine_url
from service.database.migrating import alembic_config, migrate
from service.database.transactions import Database, Transaction

__all__ = ["SERVICE_ROLE", "Database", "Transaction", "alembic_config", "engine_url", "migrate"]
