import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from service.config import Config, Hosting
from service.db import Database, migrate
from service.server.embedded import OWNER, Cluster


@contextmanager
def open_as_owner(directory: Path | None) -> Iterator[Database]:
    """
    Reach the records as the owner of their tables, who alone may make clubs and keys.

    Where OFC_DATABASE_URL names a database it is that one. Otherwise it is the embedded one in the directory: the one
    that a running `ofc-server up` has started, over its private socket; where none runs it is started for the while,
    and brought up to date as `up` would do.

    Raises:
        ConfigError, EmbeddedError, DatabaseError: it cannot be reached, or the login may not.
    """
    with ExitStack() as stack:
        if os.environ.get("OFC_DATABASE_URL"):
            url = Config.from_environment().owner_url
        else:
            cluster = Cluster(Hosting.from_environment(directory=directory).directory)
            stack.callback(cluster.stop)
            is_ours = cluster.join()
            url = cluster.url(OWNER)
            if is_ours:
                migrate(url)
        database = Database(url, role=None, pool_size=1)
        stack.callback(database.close)
        database.check_head()
        database.check_owner()
        yield database
