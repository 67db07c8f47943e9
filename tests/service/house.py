"""The web application on a database that its tests share: each has a club of its own, as if it were alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from flask import Flask
from psycopg import sql
from uuid_utils.compat import uuid7

from service.app import create_app
from service.config import Config
from service.usecases.found_club import found_club
from tests.postgres import Server
from tests.service.speaking import Api


@dataclass(frozen=True)
class House:
    """An application, and the login that sees the records of all clubs."""

    app: Flask
    owner_url: str

    def new_client(self) -> Api:
        """A client with a key of a new club; every answer is held against the contract."""
        return Api(self.app, found_club(self.owner_url, f"club {uuid7()}"))

    def count_records(self) -> dict[str, int]:
        """How many records every table has, those of all clubs together."""
        with psycopg.connect(self.owner_url) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
            names = [name for (name,) in tables]
            parts = [sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name)) for name in names]
            counts = connection.execute(sql.SQL(" UNION ALL ").join(parts)).fetchall()
        return dict(zip(names, [count for (count,) in counts], strict=True))

    def ask(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Look into the records."""
        with psycopg.connect(self.owner_url) as connection:
            return connection.execute(query, parameters).fetchall()


@contextmanager
def open_house(server: Server) -> Iterator[House]:
    logins = server.create_database()
    app = create_app(Config(logins.service, logins.owner))
    yield House(app, logins.owner)
    app.extensions["ofc_database"].close()
    server.drop_database(logins)
