import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from service.config import Config, Hosting
from service.db import Database, migrate
from service.server.embedded import OWNER, Cluster


@contextmanager
def open_as_owner(directory: Path | None, *, only_reads: bool = False) -> Iterator[Database]:
    """
    Open the database as the owner of its tables, who alone can create clubs and keys.

    It is the database of OFC_DATABASE_URL, or else the embedded one in the directory. If `ofc-server up` does not run,
    the embedded PostgreSQL is started for the duration of the block and, unless the caller only reads, migrated.

    Raises:
        ConfigError, EmbeddedError, DatabaseError: it cannot be reached, its schema is of another release, or the login
            does not own the tables.
    """
    with ExitStack() as stack:
        if os.environ.get("OFC_DATABASE_URL"):
            url = Config.from_environment().owner_url
        else:
            cluster = Cluster(Hosting.from_environment(directory=directory).directory)
            stack.callback(cluster.stop)
            is_ours = cluster.join(only_reads=only_reads)
            url = cluster.url(OWNER)
            if is_ours and not only_reads:
                migrate(url)
        database = Database(url, role=None, pool_size=1)
        stack.callback(database.close)
        database.check_head()
        database.check_owner()
        yield database
