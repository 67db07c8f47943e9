"""The web application on a database that tests share; each test gets a club of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import kombu.pools
import nacl.signing
import psycopg
from flask import Flask
from kombu.transport.sqlalchemy import Channel as DatabaseChannel
from psycopg import sql
from uuid_utils.compat import uuid7

from evidence import SigningKey
from service.app import create_app
from service.clubs.actions import create_club, create_key
from service.config import Config
from service.db import Database
from service.http.services import services_of
from tests.support.api_client import Api
from tests.support.database.postgres import Logins, Server

SIGNING_KEY: Final = SigningKey("tablestakes", nacl.signing.SigningKey(bytes(32)))
"""The same key in every house, which is therefore nobody's."""

_COUNTED: Final = """
    SELECT tablename FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN ('feed_entries', 'tree_heads', 'tree_nodes', 'waiting_events')
    ORDER BY 1
"""


@dataclass(frozen=True)
class Records:
    """All records of a database, of every club, as the owner of the tables sees them."""

    owner_url: str

    def count_records(self) -> dict[str, int]:
        """How many records every table has, except those of the trees, which workers grow at any moment."""
        with psycopg.connect(self.owner_url) as connection:
            tables = connection.execute(_COUNTED)
            # Large tables are counted in parallel, and rows come in any order.
            count = sql.SQL("SELECT {}, count(*) FROM {}")
            parts = [count.format(sql.Literal(name), sql.Identifier(name)) for (name,) in tables]
            return dict(connection.execute(sql.SQL(" UNION ALL ").join(parts)).fetchall())

    def query(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Look into the records."""
        with psycopg.connect(self.owner_url) as connection:
            return connection.execute(query, parameters).fetchall()

    def change(self, statement: str, *parameters: Any) -> None:
        """Change what only the owner may."""
        with psycopg.connect(self.owner_url) as connection:
            connection.execute(statement, parameters)


@dataclass(frozen=True)
class House(Records):
    """An application, and the records behind it."""

    app: Flask
    owner: Database
    logins: Logins
    signing_key: Path
    """The file of the key that its checkpoints are signed with."""

    def new_client(self) -> Api:
        """A client with a key of a new club; every response is validated against the contract."""
        club = create_club(self.owner, f"club {uuid7()}")
        return Api(self.app, create_key(self.owner, club, name="first").secret)


@contextmanager
def open_house(server: Server, **settings: Any) -> Iterator[House]:
    logins = server.create_database()
    with house_on(logins, **settings) as house:
        yield house
    server.drop_database(logins)


@contextmanager
def house_on(logins: Logins, **settings: Any) -> Iterator[House]:
    """An application on a database that is there already."""
    owner = Database(logins.owner, role=None, pool_size=1)
    with TemporaryDirectory() as directory:
        signing_key = Path(directory) / "signing-key"
        signing_key.write_text(SIGNING_KEY.secret)
        config = Config(logins.service, logins.owner, signing_key_file=signing_key, allow_data_loss=True, **settings)
        app = create_app(config)
        yield House(logins.owner, app, owner, logins, signing_key)
    owner.close()
    services_of(app).database.close()
    close_queue()


def close_queue() -> None:
    """Close what kombu keeps open to databases that are queues, for as long as a process lives."""
    kombu.pools.reset()
    for engine, _session in DatabaseChannel._engines.values():
        engine.dispose()
    DatabaseChannel._engines.clear()
