"""The Alembic environment: uses the connection of `service.db.migrate`, or a new one for `alembic check`."""

from alembic import context
from sqlalchemy import Connection, NullPool, create_engine

from service.config import Config
from service.db import engine_url
from service.models import Base


def run(connection: Connection) -> None:
    """Run the Alembic command in one transaction."""
    context.configure(connection=connection, target_metadata=Base.metadata)
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with create_engine(engine_url(Config.from_environment().owner_url), poolclass=NullPool).connect() as own:
        run(own)
