"""The database of a process: its connection pool, sessions, and the checks of the server and the schema."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import Connection, Engine

from service.database_errors import DatabaseDenied, DatabaseError, DatabaseReadOnly
from service.db.address import SERVICE_ROLE, connect_arguments, describe, engine_url, settings_of
from service.db.commits import CommitWatch
from service.db.connections import LocalSettings, check_session, close_connections, create_engine
from service.db.failures import translate_errors
from service.db.migrations import find_revision, owns_tables, refuse_all_but_newest
from service.db.schema import SchemaCheck
from service.db.server_check import ServerState, read_server, refuse_read_only, refuse_unsafe
from service.db.transactions import Session, Transaction
from service.logs import format_exception, get_log

_log = get_log(__name__)


class Database:
    """
    The database. Connections are opened on demand.

    Each transaction uses the role `ofc_service`, whatever the login of the URL is, so that a request never has the
    rights of an owner or a superuser. `role=None` uses the role of the login, for example to create clubs.
    """

    def __init__(
        self, url: str, *, role: str | None = SERVICE_ROLE, pool_size: int = 12, is_worker: bool = False
    ) -> None:
        self._url = engine_url(url)
        self._role = role
        self._local = LocalSettings(role, settings_of(self._url, notices_lost_clients=is_worker))
        self._pool_size = pool_size
        self._schema = SchemaCheck()
        self.commits = self._watch_commits()

    def __reduce__(self) -> tuple[Callable[[str], "Database"], tuple[str]]:
        """Return the arguments for a copy in another process, which opens connections of its own."""
        copy = partial(Database, role=self._role, pool_size=self._pool_size)
        return copy, (self._url.render_as_string(hide_password=False),)

    @cached_property
    def engine(self) -> Engine:
        """The connection pool of the process."""
        return create_engine(self._url, self._local, self._pool_size)

    def dispose_after_fork(self) -> None:
        """Drop the connections of the parent process without closing them; the child opens its own."""
        self.engine.dispose(close=False)
        self.commits = self._watch_commits()

    def _watch_commits(self) -> CommitWatch:
        return CommitWatch(self.connect_alone, self._pool_size)

    def connect_alone(self) -> psycopg.Connection[Any]:
        """
        Open a connection outside of the pool. The caller closes it.

        Raises:
            psycopg.Error: the database cannot be reached.
        """
        _, named = self.engine.dialect.create_connect_args(self._url)
        arguments = {**named, **connect_arguments(self._url, self._local.role, self._local.settings)}
        return psycopg.connect(autocommit=True, **arguments)

    def close(self) -> None:
        """Close all connections, those in use when they are returned. New ones can be opened."""
        self.commits.close()
        self.commits = self._watch_commits()
        close_connections(self.engine)

    @contextmanager
    def session(self) -> Iterator["Session"]:
        """
        Open a session on a pooled connection: for authentication and one transaction.

        Raises:
            DatabaseError: the database cannot be reached or used.
            Busy: another transaction changes the same records.
        """
        at_end: list[Callable[[], None]] = []
        is_finished = False
        try:
            with translate_errors(self._url), self.engine.connect() as connection:
                yield Session(connection, self._url, self._local, self.commits, at_end)
                is_finished = True
        except DatabaseError as error:
            # After the commit, a connection that cannot be returned to the pool is no error of the request.
            if not is_finished:
                raise
            _log.error("connection_return_failed", exception=format_exception(error))
        finally:
            # After the connection is returned, because a callback can need one.
            for callback in at_end:
                _run_at_end(callback)

    @contextmanager
    def transaction(
        self,
        club_id: UUID,
        *,
        actor: UUID | None = None,
        request_id: str | None = None,
        rolled_back: bool = False,
    ) -> Iterator[Transaction]:
        """Open a session with a transaction in one club, as `Session.transaction`."""
        with (
            self.session() as session,
            session.transaction(club_id, actor=actor, request_id=request_id, rolled_back=rolled_back) as transaction,
        ):
            yield transaction

    @contextmanager
    def reading(self, club_id: UUID, table_id: UUID | None = None) -> Iterator[Transaction]:
        """Open a session with a read-only transaction in one club, as `Session.reading`."""
        with self.session() as session:
            yield session.reading(club_id, table_id)

    @contextmanager
    def outside_clubs(self) -> Iterator[Connection]:
        """Open a transaction outside of any club, which is committed when the block ends. It sees no club's records."""
        with self.session() as session, session.outside_clubs() as pipeline:
            yield pipeline.connection

    @contextmanager
    def reading_outside_clubs(self) -> Iterator[Connection]:
        """Open a read-only transaction outside of any club, whose statements all see the same snapshot."""
        with self.session() as session:
            yield session.reading_outside_clubs().connection

    def read_server(self) -> ServerState:
        """Read the durability settings of the server."""
        with self.outside_clubs() as connection:
            return read_server(connection)

    def check_server(self, *, allows_data_loss: bool) -> None:
        """
        Check that the server accepts writes and, unless data loss is allowed, that a crash cannot lose them.

        Raises:
            DatabaseError: the server is read-only, or unsafe.
        """
        state = self.read_server()
        try:
            refuse_read_only(state, self._url)
        except DatabaseReadOnly:
            # They can be connected to a former primary.
            close_connections(self.engine)
            raise
        if not allows_data_loss:
            refuse_unsafe(state, self._url)

    def check_head(self) -> None:
        """
        Check that the database has the newest revision, and that the role has no more rights than it needs.

        Raises:
            DatabaseUnreachable, DatabaseBehind, DatabaseUnknown, DatabaseDenied: a check failed.
        """
        with self.session() as session:
            pipeline = session.reading_outside_clubs()
            # This is checked for every new connection too, but the role can have been changed since.
            check_session(pipeline.query, self._url, self._local)
            refuse_all_but_newest(find_revision(pipeline.connection), self._url)

    def check_schema(self) -> None:
        """
        Check that the schema is the one that the migrations of this release create; a process does so once a minute.

        Raises:
            DatabaseUnreachable: the database cannot be reached.
            DatabaseAltered: a function, policy, trigger, constraint, grant or column is missing, changed or added.
        """
        if self._schema.is_due:
            with self.reading_outside_clubs() as connection:
                self._schema.check(connection, describe(self._url))

    def check_owner(self) -> None:
        """
        Check that the login owns the tables, and so can create clubs and keys.

        Raises:
            DatabaseUnreachable: the database cannot be reached.
            DatabaseDenied: the login does not own the tables.
        """
        with self.reading_outside_clubs() as connection:
            if not owns_tables(connection):
                raise DatabaseDenied(
                    f"The login {self._url.username} cannot create or list clubs and keys in the database "
                    f"{describe(self._url)}; set OFC_OWNER_URL to the login that owns its tables."
                )


def _run_at_end(callback: Callable[[], None]) -> None:
    """Call a function at the end of a session. An error is only logged, because the work is stored."""
    try:
        callback()
    except Exception as error:
        _log.error("after_commit_failed", exception=format_exception(error))
