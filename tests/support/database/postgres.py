"""
The PostgreSQL servers of the suite: an embedded one, and an external one where one responds.

Each test gets a database of its own, cloned from a template that the migrations made.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import psutil
import psycopg
from psycopg import sql
from sqlalchemy import URL, make_url

from service.db import SERVICE_ROLE, migrate
from service.server.embedded import Cluster
from service.server.embedded.cluster import OWNER

MADE_HERE = "made by the test suite of tablestakes"
MIGRATION_LOCK = 0x0FC
# A crash of the machine in the middle of the suite may cost the suite's databases.
FORGETFUL = {
    "autovacuum": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "max_wal_size": "128MB",
    "synchronous_commit": "off",
}
DIRECTORY = "ofc-suite-"
"""Begins the names of the folders of databases; the number of their process follows."""
MEMORY = Path("/dev/shm")
ENOUGH_MEMORY = 4 * 1024**3


@dataclass(frozen=True)
class Logins:
    """The two ways into one database: as its owner, who migrates, and as the service, which owns nothing."""

    owner: str
    service: str


@dataclass
class Server:
    """A PostgreSQL on which the suite may make databases."""

    admin: URL
    service: URL
    prefix: str = field(default_factory=lambda: f"ofc_suite_{os.getpid()}_{secrets.token_hex(4)}")
    count: int = 0
    template_is_migrated: bool = False

    @property
    def name(self) -> str:
        place = "embedded" if self.admin.host is None else f"{self.admin.host}:{self.admin.port}"
        with psycopg.connect(text_of(self.admin)) as connection:
            major, minor = divmod(connection.info.server_version, 10000)
        return f"PostgreSQL {major}.{minor} ({place})"

    def create_database(self) -> Logins:
        """An empty database at the newest migration."""
        if not self.template_is_migrated:
            self._migrate_template()
        name = self._next_name()
        # To copy the files takes less than to write every block to the WAL.
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
        self.execute(create.format(sql.Identifier(name), sql.Identifier(self.template)))
        return self.logins(name)

    def create_bare_database(self) -> Logins:
        """A database that no migration has touched."""
        name = self._next_name()
        self.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        return self.logins(name)

    def drop_database(self, logins: Logins) -> None:
        self._drop(str(make_url(logins.owner).database))

    @property
    def template(self) -> str:
        return f"{self.prefix}_template"

    def logins(self, database: str) -> Logins:
        return Logins(
            owner=text_of(self.admin.set(database=database)), service=text_of(self.service.set(database=database))
        )

    def execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(text_of(self.admin), autocommit=True) as connection:
            connection.execute(statement)

    def clear(self) -> None:
        """Remove all that the suite made on the server."""
        self._drop(self.template)

    def allow_login(self) -> None:
        """Allow the service to connect, after the migrations have created its role."""
        self.execute(sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(SERVICE_ROLE)))

    def _migrate_template(self) -> None:
        self.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(self.template)))
        with psycopg.connect(text_of(self.admin), autocommit=True) as connection:
            # Roles belong to the whole server: two processes of the suite must not make the same one at once.
            connection.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
            migrate(self.logins(self.template).owner)
            self.allow_login()
        self.template_is_migrated = True

    def _next_name(self) -> str:
        self.count += 1
        return f"{self.prefix}_{self.count}"

    def _drop(self, database: str) -> None:
        """Drop a database with its connections; again if another connection was made meanwhile."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database))
        try:
            self.execute(statement)
        except psycopg.errors.ObjectInUse:
            self.execute(statement)


@dataclass
class ExternalServer(Server):
    """
    A PostgreSQL that belongs to somebody: the suite leaves it as it was.

    The service's login is a member of the role `ofc_service`, as an operator would set it up, with its own password.
    """

    role_is_ours: bool = False

    def allow_login(self) -> None:
        login, password = sql.Identifier(str(self.service.username)), sql.Literal(self.service.password)
        self.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE {}").format(login, password, sql.Identifier(SERVICE_ROLE))
        )
        if self.role_is_ours:
            self.execute(
                sql.SQL("COMMENT ON ROLE {} IS {}").format(sql.Identifier(SERVICE_ROLE), sql.Literal(MADE_HERE))
            )

    def clear(self) -> None:
        super().clear()
        self.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(str(self.service.username))))
        with psycopg.connect(text_of(self.admin), autocommit=True) as connection:
            ours = "SELECT FROM pg_roles WHERE rolname = %s AND shobj_description(oid, 'pg_authid') = %s"
            if connection.execute(ours, [SERVICE_ROLE, MADE_HERE]).rowcount == 1:
                # Another process of the suite may still need it, and will remove it in its turn.
                with suppress(psycopg.errors.DependentObjectsStillExist):
                    connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(SERVICE_ROLE)))

    def _migrate_template(self) -> None:
        with psycopg.connect(text_of(self.admin)) as connection:
            self.role_is_ours = (
                connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [SERVICE_ROLE]).rowcount == 0
            )
        super()._migrate_template()


@contextmanager
def embedded_server() -> Iterator[Server]:
    """A PostgreSQL of the suite's own, gone without a trace afterwards."""
    memory = find_memory()
    if memory is not None:
        remove_left_over(memory)
    directory = tempfile.TemporaryDirectory(prefix=f"{DIRECTORY}{os.getpid()}-", dir=memory)
    with directory as home, Cluster(Path(home), FORGETFUL) as cluster:
        yield Server(make_url(cluster.url(OWNER, "postgres")), make_url(cluster.url(SERVICE_ROLE)))


def find_memory() -> Path | None:
    """
    Return a folder whose files are in memory, or None if there is none with space for the databases of the suite.

    Every database is some 300 files. A file system on disk may take half a second to make them while it still looks
    through those that were deleted in the last seconds.
    """
    return MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ENOUGH_MEMORY else None


def remove_left_over(folder: Path) -> None:
    """Remove the databases of processes that were killed: they would fill the memory."""
    for path in folder.glob(f"{DIRECTORY}*-*"):
        if not psutil.pid_exists(int(path.name.removeprefix(DIRECTORY).partition("-")[0])):
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def external_server(admin: str) -> Iterator[ExternalServer]:
    """Somebody's PostgreSQL, left as it was."""
    url = make_url(admin)
    service = url.set(username=f"ofc_suite_{secrets.token_hex(4)}", password=secrets.token_hex(16))
    server = ExternalServer(url, service)
    try:
        yield server
    finally:
        server.clear()


@cache
def find_external() -> str | None:
    """
    The login to an external PostgreSQL (15 to 18) that may make databases and roles, or None.

    OFC_TEST_SERVER_URL names it; otherwise one on this machine is tried, as the current user and as `postgres`.
    """
    named = os.environ.get("OFC_TEST_SERVER_URL")
    for candidate in (
        [named] if named else ["postgresql://127.0.0.1:5432/postgres", "postgresql://postgres@127.0.0.1:5432/postgres"]
    ):
        with suppress(psycopg.OperationalError), psycopg.connect(candidate, connect_timeout=15) as connection:
            (may_create,) = connection.execute(
                "SELECT rolsuper OR rolcreatedb AND rolcreaterole FROM pg_roles WHERE rolname = current_user"
            ).fetchone() or (False,)
            if may_create and 150000 <= connection.info.server_version < 190000:
                return text_of(
                    make_url(candidate).set(username=connection.info.user, password=connection.info.password or None)
                )
    if named:
        raise RuntimeError(
            "OFC_TEST_SERVER_URL names no PostgreSQL 15 to 18 whose login can create databases and roles."
        )
    return None


def text_of(url: URL) -> str:
    return url.render_as_string(hide_password=False)
