"""Databases whose owner is no superuser, so that row-level security and triggers apply to the owner too."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from service.db import Database, migrate
from tests.support.database.insert_records import fill_club
from tests.support.database.postgres import Logins, Server, find_external, text_of

SERVERS = ["embedded", *([pytest.param("external", marks=pytest.mark.verify)] if find_external() else [])]
PASSWORD = secrets.token_hex(16)


@dataclass(frozen=True)
class Filled:
    """A database in which two clubs have something in every table."""

    logins: Logins
    admin: str
    """A superuser's way in, whom nothing but the triggers stops."""
    home: UUID
    away: UUID


@contextmanager
def filled_database(server: Server) -> Iterator[Filled]:
    with plain_owner(server) as logins:
        migrate(logins.owner)
        database = Database(logins.service)
        try:
            home, away = (fill_club(logins.owner, database, name) for name in ("home", "away"))
            yield Filled(logins, admin_of(server, logins), home, away)
        finally:
            database.close()


@contextmanager
def plain_owner(server: Server, *, may: str = "CREATEROLE") -> Iterator[Logins]:
    """A bare database that belongs to a role of its own."""
    # The suite's own template comes first: whoever migrates first on a server makes the service's role.
    server.drop_database(server.create_database())
    logins = server.create_bare_database()
    database = str(make_url(logins.owner).database)
    owner = f"ofc_suite_{secrets.token_hex(4)}"
    name = sql.Identifier(owner)
    server.execute(sql.SQL(f"CREATE ROLE {{}} LOGIN {may} PASSWORD {{}}").format(name, sql.Literal(PASSWORD)))
    server.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(sql.Identifier(database), name))
    try:
        url = make_url(logins.owner).set(username=owner, password=PASSWORD)
        yield Logins(owner=text_of(url), service=logins.service)
    finally:
        server.drop_database(logins)
        server.execute(sql.SQL("DROP ROLE {}").format(name))


def admin_of(server: Server, logins: Logins) -> str:
    """The way of the server's administrator into a database."""
    return text_of(server.admin.set(database=make_url(logins.owner).database))


def tables_of(admin: str) -> list[str]:
    """Every table that the migrations have made, by the catalogue's own account."""
    with psycopg.connect(admin) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
            " AND relname <> 'alembic_version' ORDER BY relname"
        )
        return [name for (name,) in rows]
