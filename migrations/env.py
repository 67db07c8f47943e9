"""The Alembic environment: uses the connection of `service.db.migrate`, or a new one for `alembic check`."""

from alembic import context
from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.types import UserDefinedType

from service.config import Config
from service.db import engine_url
from service.models import Base


class Transfer(UserDefinedType[object]):
    """The type of a transfer; SQLAlchemy knows no composite types."""

    def get_col_spec(self, **_: object) -> str:
        """Return the name of the type."""
        return "transfer"


ischema_names["transfer"] = Transfer


def run(connection: Connection) -> None:
    """Run the Alembic command in one transaction."""
    context.configure(connection=connection, target_metadata=Base.metadata)
    with context.begin_transaction():
        context.run_migrations()


caller_connection: Connection | None = context.config.attributes.get("connection")
if caller_connection is not None:
    run(caller_connection)
else:
    with create_engine(engine_url(Config.from_environment().owner_url), poolclass=NullPool).connect() as own:
        run(own)
