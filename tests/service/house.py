"""The web application on a database that its tests share: each has a club of its own, as if it were alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import kombu.pools
import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Flask
from kombu.transport.sqlalchemy import Channel as DatabaseChannel
from psycopg import sql
from uuid_utils.compat import uuid7

from schemas.evidence import SigningKey
from service.app import create_app
from service.config import Config
from service.database import Database
from service.usecases.create_club import create_club
from service.usecases.create_key import create_key
from tests.postgres import Logins, Server
from tests.service.speaking import Api

SIGNING_KEY: Final = SigningKey("tablestakes", Ed25519PrivateKey.from_private_bytes(bytes(32)))
"""The same key in every house, which is therefore nobody's."""


@dataclass(frozen=True)
class Records:
    """All that a database keeps, of every club, as the login sees it that owns the tables."""

    owner_url: str

    def count_records(self) -> dict[str, int]:
        """How many records every table has."""
        with psycopg.connect(self.owner_url) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
            # Large tables are counted side by side, and answer in any order.
            count = sql.SQL("SELECT {}, count(*) FROM {}")
            parts = [count.format(sql.Literal(name), sql.Identifier(name)) for (name,) in tables]
            return dict(connection.execute(sql.SQL(" UNION ALL ").join(parts)).fetchall())

    def ask(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
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

    def new_client(self) -> Api:
        """A client with a key of a new club; every answer is held against the contract."""
        club = create_club(self.owner, f"club {uuid7()}")
        return Api(self.app, create_key(self.owner, club, name="first").secret)


@contextmanager
def open_house(server: Server, **messages: str) -> Iterator[House]:
    logins = server.create_database()
    with house_on(logins, **messages) as house:
        yield house
    server.drop_database(logins)


@contextmanager
def house_on(logins: Logins, **messages: str) -> Iterator[House]:
    """An application on a database that is there already."""
    owner = Database(logins.owner, role=None, pool_size=1)
    with TemporaryDirectory() as directory:
        signing_key = Path(directory) / "signing-key"
        signing_key.write_text(SIGNING_KEY.secret)
        app = create_app(Config(logins.service, logins.owner, signing_key_file=signing_key, **messages))
        yield House(logins.owner, app, owner, logins)
    owner.close()
    app.extensions["ofc_database"].close()
    close_queue()


def close_queue() -> None:
    """Close what kombu keeps open to databases that are queues, for as long as a process lives."""
    kombu.pools.reset()
    for engine, _session in DatabaseChannel._engines.values():
        engine.dispose()
    DatabaseChannel._engines.clear()
