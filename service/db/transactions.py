"""Transactions of one club. The only commit is here."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any, Final
from uuid import UUID

import psycopg
from sqlalchemy import URL, Connection, CursorResult, Engine, Executable, text

from service.db.address import SERVICE_ROLE, connect_arguments, describe, engine_url, settings_of
from service.db.connections import ONLY_READS, ClubLock, LocalSettings, check_session, close_connections, create_engine
from service.db.failures import translate_errors, translate_read_only
from service.db.migrations import find_revision, owns_tables, refuse_all_but_newest
from service.db.pipeline import Parameters, Pipeline, Row, Statement, copied_out
from service.db.schema import Change, compare_schema, expected_schema, read_schema
from service.db.server_check import ServerState, read_server, refuse_read_only, refuse_unsafe
from service.errors import (
    DatabaseAltered,
    DatabaseDenied,
    DatabaseError,
    DatabaseUnreachable,
    OutcomeUnknown,
    ServiceError,
)
from service.logs import format_exception, get_log

_log = get_log(__name__)

_BEGIN: Final = Statement(text("BEGIN ISOLATION LEVEL READ COMMITTED"))
_BEGIN_READING: Final = Statement(text("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))


@dataclass(frozen=True, slots=True)
class Transaction:
    """
    A transaction in one club.

    Attributes:
        pipeline: sends the statements; only records of the club are visible.
        club_id: the club.
        actor: the key or link of the request; None for the server itself.
        request_id: the ID of the request in the log and the response.
        table_id: the only table whose records are visible; None for all tables of the club.
        now: the time of all records of the transaction.
        after_commit: functions to call after the commit.
        after_events: called after the commit with the club, if the transaction records events.
    """

    pipeline: Pipeline
    club_id: UUID
    actor: UUID | None = None
    request_id: str | None = None
    table_id: UUID | None = None
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    after_commit: list[Callable[[], None]] = field(default_factory=list)
    after_events: Callable[[UUID], None] | None = None

    def execute(self, statement: Executable, parameters: Any = None) -> CursorResult[Any]:
        """Run a SQLAlchemy statement."""
        return self.connection.execute(statement, parameters)

    def copy_out(self, query: str, parameters: Mapping[str, Any]) -> list[bytes]:
        """Return the rows of a query as messages of a binary `COPY … TO STDOUT`, one for each row."""
        driver: Any = self.connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT binary)", parameters):
            messages: list[bytes] = driver.wait(copied_out(driver.pgconn))
        return messages

    def query(self, statement: Statement, parameters: Parameters) -> list[Row]:
        """Run a compiled statement and return its rows."""
        return self.pipeline.query(statement, parameters)

    def write(self, statement: Statement, parameters: Parameters, **conflicts: ServiceError) -> None:
        """
        Queue a statement that is sent with the next one, or with the commit.

        Later statements see what it writes. The violation of a constraint raises the error given for its name.
        """
        self.pipeline.write(statement, parameters, **conflicts)

    def start(self) -> None:
        """Send the queued statements, and let PostgreSQL run them; the next call that waits raises their errors."""
        self.pipeline.start()

    def send(self) -> None:
        """
        Send the queued statements, and wait until they and the started ones are done.

        Raises:
            Conflict: a constraint is violated for which `write` was given an error.
        """
        self.pipeline.send()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """
        Roll back the writes of the block if it raises an exception; the transaction can then continue.

        Raises:
            DatabaseError: as `Database.transaction`; the transaction cannot continue after it.
            Busy: another transaction changes the same records; the transaction can continue.
        """
        callbacks = len(self.after_commit)
        url = self.pipeline.connection.engine.url
        with translate_errors(url):
            self.connection.exec_driver_sql("SAVEPOINT part")
            try:
                with translate_errors(url):
                    yield
                    self.send()
            except DatabaseError:
                raise
            except Exception:
                self.pipeline.discard()
                del self.after_commit[callbacks:]
                self.connection.exec_driver_sql("ROLLBACK TO SAVEPOINT part")
                raise
            self.connection.exec_driver_sql("RELEASE SAVEPOINT part")

    @property
    def connection(self) -> Connection:
        """The SQLAlchemy connection, after the queued statements were sent."""
        self.pipeline.send()
        return self.pipeline.connection


class Database:
    """
    The database. Connections are opened on demand.

    Each transaction uses the role `ofc_service`, whatever the login of the URL is, so that a request never has the
    rights of an owner or a superuser. `role=None` uses the role of the login, for example to create clubs.
    """

    def __init__(self, url: str, *, role: str | None = SERVICE_ROLE, pool_size: int = 12) -> None:
        self._url = engine_url(url)
        self._role = role
        self._local = LocalSettings(role, settings_of(self._url))
        self._pool_size = pool_size
        self._schema_is_checked = False
        self.after_events: Callable[[UUID], None] | None = None
        """Called with the club after the commit of events, to wake those who add them to the tree."""

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

    def connect_alone(self) -> psycopg.Connection[Any]:
        """
        Open a connection outside of the pool, to listen to notifications. The caller closes it.

        Raises:
            psycopg.Error: the database cannot be reached.
        """
        url = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        arguments = connect_arguments(self._url, self._local.role, self._local.settings)
        return psycopg.connect(url, autocommit=True, **arguments)

    def close(self) -> None:
        """Close all connections, those in use when they are returned. New ones can be opened."""
        close_connections(self.engine)

    @contextmanager
    def session(self) -> Iterator["Session"]:
        """
        Open a session on a pooled connection: for authentication and then one transaction.

        Raises:
            DatabaseError: the database cannot be reached or used.
            Busy: another transaction changes the same records.
        """
        after_commit: list[Callable[[], None]] = []
        is_finished = False
        try:
            with translate_errors(self._url), self.engine.connect() as connection:
                yield Session(connection, self._url, self._local, after_commit, self.after_events)
                is_finished = True
        except DatabaseError as error:
            # After the commit, a connection that cannot be returned to the pool is no error of the request.
            if not is_finished:
                raise
            _log.error("connection_return_failed", exception=format_exception(error))
        finally:
            # After the connection is returned, because a callback can need one.
            for callback in after_commit:
                _run_after_commit(callback)

    @contextmanager
    def transaction(
        self,
        club_id: UUID,
        *,
        actor: UUID | None = None,
        request_id: str | None = None,
        rolled_back: bool = False,
        is_alone: bool = False,
    ) -> Iterator[Transaction]:
        """Open a session with a transaction in one club, as `Session.transaction`."""
        with (
            self.session() as session,
            session.transaction(
                club_id, actor=actor, request_id=request_id, rolled_back=rolled_back, is_alone=is_alone
            ) as transaction,
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
        refuse_read_only(state, self._url)
        if not allows_data_loss:
            refuse_unsafe(state, self._url)

    def check_head(self) -> None:
        """
        Check that the database has the newest revision, and that the role has no more rights than it needs.

        Raises:
            DatabaseUnreachable, DatabaseBehind, DatabaseUnknown, DatabaseDenied: a check failed.
        """
        with self.session() as session, session.outside_clubs() as pipeline:
            # This is checked for every new connection too, but the role can have been changed since.
            check_session(pipeline.query, self._url, self._local)
            refuse_all_but_newest(find_revision(pipeline.connection), self._url)

    def check_schema(self) -> None:
        """
        Check, once in a process, that the schema is the one that the migrations of this release create.

        Raises:
            DatabaseUnreachable: the database cannot be reached.
            DatabaseAltered: a function, policy, trigger, constraint, grant or column is missing, changed or added.
        """
        if self._schema_is_checked:
            return
        with self.outside_clubs() as connection:
            changes = compare_schema(read_schema(connection), expected_schema())
        changes = [change for change in changes if change.change is not Change.HARMLESS]
        if changes:
            more = f", and {len(changes) - 1} more" if len(changes) > 1 else ""
            raise DatabaseAltered(
                f"The schema of the database {describe(self._url)} differs from that of this release: "
                f"{changes[0]}{more}; `ofc-server verify` lists every difference."
            )
        self._schema_is_checked = True

    def check_owner(self) -> None:
        """
        Check that the login owns the tables, and so can create clubs and keys.

        Raises:
            DatabaseUnreachable: the database cannot be reached.
            DatabaseDenied: the login does not own the tables.
        """
        with self.outside_clubs() as connection:
            if not owns_tables(connection):
                raise DatabaseDenied(
                    f"The login {self._url.username} cannot create or list clubs and keys in the database "
                    f"{describe(self._url)}; set OFC_OWNER_URL to the login that owns its tables."
                )


def _run_after_commit(callback: Callable[[], None]) -> None:
    """Call a function after a commit. An error is only logged, because the work is stored."""
    try:
        callback()
    except Exception as error:
        _log.error("after_commit_failed", exception=format_exception(error))


@dataclass(frozen=True, slots=True)
class Session:
    """
    The use of one connection. What was not committed is rolled back at its end.

    Attributes:
        connection: sees no club's records outside of a transaction.
        url: the URL of the database, for error messages.
        local: the role and the settings of every transaction.
        after_commit: functions to call at the end of the session, for what was committed.
        after_events: as of the database.
    """

    connection: Connection
    url: URL
    local: LocalSettings
    after_commit: list[Callable[[], None]]
    after_events: Callable[[UUID], None] | None = None

    @contextmanager
    def transaction(
        self,
        club_id: UUID,
        *,
        actor: UUID | None = None,
        request_id: str | None = None,
        table_id: UUID | None = None,
        rolled_back: bool = False,
        is_alone: bool = False,
    ) -> Iterator[Transaction]:
        """
        Run a transaction in one club, which is committed when the block ends and rolled back after an exception.

        Args:
            club_id: the club whose records are visible.
            actor: the key or link of the request, for the audit trail.
            request_id: the ID of the request.
            table_id: the only table whose records are visible; None for all tables of the club.
            rolled_back: whether to roll back in any case, for a dry run.
            is_alone: whether to wait until no other transaction writes in the club, and let others wait for this one.

        Raises:
            OutcomeUnknown: the connection was lost during the commit; after any other error nothing is stored.
        """
        lock = ClubLock.ALONE if is_alone else ClubLock.SHARED
        pipeline = self._begin(_BEGIN, str(club_id), str(table_id or ""), lock)
        transaction = Transaction(pipeline, club_id, actor, request_id, table_id, after_events=self.after_events)
        with translate_read_only(self.url), pipeline:
            yield transaction
            if rolled_back:
                return pipeline.send()
            self._commit(pipeline)
        self.after_commit.extend(transaction.after_commit)

    def reading(self, club_id: UUID, table_id: UUID | None = None) -> Transaction:
        """
        Begin a read-only transaction in one club, whose statements all see the same snapshot.

        With `table_id`, only the records of this table are visible.
        """
        pipeline = self._begin(_BEGIN_READING, str(club_id), str(table_id or ""))
        return Transaction(pipeline, club_id, table_id=table_id)

    def query(self, statement: Statement, parameters: Parameters) -> list[Row]:
        """Run one statement in a separate transaction outside of any club, and return its rows."""
        pipeline = Pipeline(self.connection)
        # Statements that are sent together without a BEGIN are one transaction.
        pipeline.write(self.local.statement, self.local.parameters())
        with translate_read_only(self.url):
            return pipeline.query(statement, parameters)

    @contextmanager
    def outside_clubs(self) -> Iterator[Pipeline]:
        """Run a transaction that sees no club's records, and commit it when the block ends."""
        pipeline = self._begin(_BEGIN, "")
        pipeline.send()
        with translate_read_only(self.url):
            yield pipeline
            self._commit(pipeline)

    def _commit(self, pipeline: Pipeline) -> None:
        try:
            with translate_errors(self.url):
                pipeline.commit()
        except DatabaseUnreachable as error:
            raise OutcomeUnknown(f"{error} This happened during a commit, which may have succeeded.") from error

    def _begin(self, begin: Statement, club: str, table: str = "", lock: ClubLock = ClubLock.NONE) -> Pipeline:
        """Queue the begin of a transaction in a club, or outside of any club if `club` is empty."""
        self.connection.info[ONLY_READS] = begin is _BEGIN_READING
        pipeline = Pipeline(self.connection)
        pipeline.write(begin)
        pipeline.write(self.local.statements[lock], self.local.parameters(club, table))
        return pipeline
