"""One transaction per request, in one club. The only commit is here."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from sqlalchemy import URL, Connection, CursorResult, Engine, Executable, text

from service.db.address import SERVICE_ROLE, engine_url, place_of, settings_of
from service.db.connections import close_connections, create_engine
from service.db.exchanges import Found, copied_out
from service.db.failures import plain_failures, refused_writes
from service.db.migrations import find_revision, owns_tables, refuse_all_but_newest
from service.db.pipeline import Pipeline
from service.db.schema import Change, compare_schema, expected_schema, read_schema
from service.db.server_check import ServerState, read_server, refuse_read_only, refuse_unsafe
from service.db.session import LocalSettings, check_session
from service.db.statements import Parameters, Statement
from service.errors import (
    Busy,
    DatabaseAltered,
    DatabaseDenied,
    DatabaseError,
    DatabaseUnreachable,
    OutcomeUnknown,
    ServiceError,
)
from service.logs import get_log, show_exception

_log = get_log(__name__)

_BEGIN: Final = Statement(text("BEGIN ISOLATION LEVEL READ COMMITTED"))
_BEGIN_READING: Final = Statement(text("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))


@dataclass(frozen=True, slots=True)
class Transaction:
    """
    What one request reads and writes, all of it or nothing.

    Attributes:
        pipeline: PostgreSQL sees the club's rows through it, and no others.
        club_id: whose rows.
        actor: the key that asked; None for the server itself.
        request_id: what the request is called in logs and answers.
        now: the one time of everything that is recorded in it.
        after_commit: what is to be done once all of it is committed, and only then.
    """

    pipeline: Pipeline
    club_id: UUID
    actor: UUID | None = None
    request_id: str | None = None
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    after_commit: list[Callable[[], None]] = field(default_factory=list)

    def execute(self, statement: Executable, parameters: Any = None) -> CursorResult[Any]:
        """Run a statement of SQLAlchemy's."""
        return self.connection.execute(statement, parameters)

    def copy_out(self, query: str, parameters: Mapping[str, Any]) -> list[bytes]:
        """Give what a query finds as the messages of a binary `COPY … TO STDOUT`: one for each row."""
        driver: Any = self.connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT binary)", parameters):
            messages: list[bytes] = driver.wait(copied_out(driver.pgconn))
        return messages

    def start(self, statement: Statement, parameters: Mapping[str, bytes]) -> None:
        """
        Let PostgreSQL run a statement that finds nothing while the caller goes on, on another core where there is one.

        What is run next waits for it, and raises what went wrong with it.

        Args:
            statement: what to run.
            parameters: of it, in PostgreSQL's binary format.
        """
        self.pipeline.start(statement, parameters)

    def ask(self, statement: Statement, parameters: Parameters) -> list[Found]:
        """Run a statement that never changes, and give the records that it finds."""
        return self.pipeline.ask(statement, parameters)

    def write(self, statement: Statement, parameters: Parameters, **conflicts: ServiceError) -> None:
        """
        Write with the next statement, or with the commit; violated constraints are then the conflicts that they mean.

        What it writes is there for all that is run after it.
        """
        self.pipeline.send_later(statement, parameters, **conflicts)

    def send(self) -> None:
        """
        Write at once what waits to be written.

        Raises:
            Conflict: as `write` was told.
        """
        self.pipeline.send()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """
        Undo what the block has written where it raises an exception; the transaction can then go on.

        Raises:
            DatabaseError, Busy: as `Database.transaction` does; the transaction cannot go on after these.
        """
        callbacks = len(self.after_commit)
        self.connection.exec_driver_sql("SAVEPOINT part")
        try:
            with plain_failures(self.connection.engine.url):
                yield
                self.send()
        except (DatabaseError, Busy):
            raise
        except Exception:
            self.pipeline.discard()
            del self.after_commit[callbacks:]
            self.connection.exec_driver_sql("ROLLBACK TO SAVEPOINT part")
            raise
        self.connection.exec_driver_sql("RELEASE SAVEPOINT part")

    @property
    def connection(self) -> Connection:
        """SQLAlchemy's side of it."""
        self.pipeline.send()
        return self.pipeline.connection


class Database:
    """
    The database, as the service works with it. Connections are opened when they are needed.

    Whatever login the URL has, each transaction works as the role `ofc_service`, so that neither an owner's nor a
    superuser's rights are at work in a request. `role=None` keeps the login's own: for making clubs.
    """

    def __init__(self, url: str, *, role: str | None = SERVICE_ROLE, pool_size: int = 8) -> None:
        self._url = engine_url(url)
        self._role = role
        self._local = LocalSettings(role, settings_of(self._url))
        self._pool_size = pool_size
        self._schema_is_checked = False

    def __reduce__(self) -> tuple[Callable[..., "Database"], tuple[str, str | None, int]]:
        """Let another process have it, which opens connections of its own."""
        return _reach, (self._url.render_as_string(hide_password=False), self._role, self._pool_size)

    @cached_property
    def engine(self) -> Engine:
        """Where connections are kept; a process has its own."""
        return create_engine(self._url, self._local, self._pool_size)

    def dispose_after_fork(self) -> None:
        """Leave the parent's connections to the parent; the child opens its own."""
        self.engine.dispose(close=False)

    def close(self) -> None:
        """Close every connection; one that is in use is closed when it is returned. Later ones are opened anew."""
        close_connections(self.engine)

    @contextmanager
    def session(self) -> Iterator["Session"]:
        """
        Give a connection for a request: to find out who asks, and then for one transaction.

        Raises:
            DatabaseError, Busy: the database does not answer, or somebody else is in the way.
        """
        after_commit: list[Callable[[], None]] = []
        is_done = False
        try:
            with plain_failures(self._url), self.engine.connect() as connection:
                yield Session(connection, self._url, self._local, after_commit)
                is_done = True
        except DatabaseError as error:
            # Once the work is committed, a connection that cannot be returned changes nothing about it.
            if not is_done:
                raise
            _log.error("connection_not_returned", exception=show_exception(error))
        finally:
            # Not before the connection is returned: an action may need one.
            for act in after_commit:
                _run_after_commit(act)

    @contextmanager
    def transaction(
        self, club_id: UUID, *, actor: UUID | None = None, request_id: str | None = None, rolled_back: bool = False
    ) -> Iterator[Transaction]:
        """Work in one club on a connection of its own, as `Session.transaction` does."""
        with (
            self.session() as session,
            session.transaction(club_id, actor=actor, request_id=request_id, rolled_back=rolled_back) as transaction,
        ):
            yield transaction

    @contextmanager
    def reading(self, club_id: UUID) -> Iterator[Transaction]:
        """Read one club on a connection of its own, as `Session.reading` does."""
        with self.session() as session:
            yield session.reading(club_id)

    @contextmanager
    def outside_clubs(self) -> Iterator[Connection]:
        """Work outside of any club, in one transaction that commits when the block ends; it sees no club's rows."""
        with self.session() as session, session.outside_clubs() as pipeline:
            yield pipeline.connection

    def read_server(self) -> ServerState:
        """Read how the server stores what is committed."""
        with self.outside_clubs() as connection:
            return read_server(connection)

    def check_server(self, *, allows_data_loss: bool) -> None:
        """
        Check that the server takes writes, and that a crash loses none of them, unless that is allowed.

        Raises:
            DatabaseError: in one sentence.
        """
        state = self.read_server()
        refuse_read_only(state, self._url)
        if not allows_data_loss:
            refuse_unsafe(state, self._url)

    def check_head(self) -> None:
        """
        Check that the database answers, has the newest shape that this release knows, and lets the service do no more.

        Raises:
            DatabaseUnreachable, DatabaseBehind, DatabaseNewer, DatabaseDenied: in one sentence.
        """
        with self.session() as session, session.outside_clubs() as pipeline:
            # Checked with every new connection; what was right then may have been changed since.
            check_session(pipeline.ask, self._url, self._local)
            refuse_all_but_newest(find_revision(pipeline.connection), self._url)

    def check_schema(self) -> None:
        """
        Check, once a process, that the schema is the one that the migrations of this release build.

        Raises:
            DatabaseUnreachable: the database does not answer.
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
                f"The schema of the database {place_of(self._url)} is not that of this release: {changes[0]}{more}; "
                "`ofc-server verify` lists every difference."
            )
        self._schema_is_checked = True

    def check_owner(self) -> None:
        """
        See that the login may make clubs and keys, as the service's may not.

        Raises:
            DatabaseUnreachable: the database does not answer.
            DatabaseDenied: only the owner of the tables may.
        """
        with self.outside_clubs() as connection:
            if not owns_tables(connection):
                raise DatabaseDenied(
                    f"The login {self._url.username} may not make or see clubs and keys in the database "
                    f"{place_of(self._url)}; OFC_OWNER_URL must name the login that owns its tables."
                )


def _run_after_commit(act: Callable[[], None]) -> None:
    """Run an action after a commit. Its failure goes to the log only: the work is stored, and the response says so."""
    try:
        act()
    except Exception as error:
        _log.error("after_commit_failed", exception=show_exception(error))


def _reach(url: str, role: str | None, pool_size: int) -> Database:
    return Database(url, role=role, pool_size=pool_size)


@dataclass(frozen=True, slots=True)
class Session:
    """
    The use of one connection. What is not committed in it ends with it.

    Attributes:
        connection: it sees no club's rows outside of a transaction.
        url: of the database, to say what goes wrong.
        local: the role and the settings of every transaction.
        after_commit: what is to be done at its end, for all of it that was committed.
    """

    connection: Connection
    url: URL
    local: LocalSettings
    after_commit: list[Callable[[], None]]

    @contextmanager
    def transaction(
        self, club_id: UUID, *, actor: UUID | None = None, request_id: str | None = None, rolled_back: bool = False
    ) -> Iterator[Transaction]:
        """
        Work in one club, and commit when the block ends; any error in it leaves everything as it was.

        Args:
            club_id: whose rows are seen and written.
            actor: the key that asks, for the audit trail.
            request_id: what the request is called.
            rolled_back: roll back in any case, for a dry run: the same work, and nothing is kept.

        Raises:
            OutcomeUnknown: the database stopped answering during the commit; after any other error nothing is kept.
        """
        pipeline = self._begin(_BEGIN, str(club_id))
        transaction = Transaction(pipeline, club_id, actor, request_id)
        with refused_writes(self.url):
            try:
                yield transaction
            except BaseException:
                pipeline.hear_out()
                raise
            if rolled_back:
                pipeline.send()
                return
            self._commit(pipeline)
        self.after_commit.extend(transaction.after_commit)

    def reading(self, club_id: UUID) -> Transaction:
        """Read one club as it was at one moment, however many statements it takes; nothing can be written."""
        return Transaction(self._begin(_BEGIN_READING, str(club_id)), club_id)

    def ask(self, statement: Statement, parameters: Parameters) -> list[Found]:
        """Run one statement in a transaction of its own, outside of any club, and give the records that it finds."""
        pipeline = Pipeline(self.connection)
        # Statements that are sent together without a BEGIN are one transaction.
        pipeline.send_later(self.local.statement, self.local.parameters())
        with refused_writes(self.url):
            return pipeline.ask(statement, parameters)

    @contextmanager
    def outside_clubs(self) -> Iterator[Pipeline]:
        """Work in a transaction that sees no club's rows, and commit when the block ends."""
        pipeline = self._begin(_BEGIN, "")
        pipeline.send()
        with refused_writes(self.url):
            yield pipeline
            self._commit(pipeline)

    def _commit(self, pipeline: Pipeline) -> None:
        try:
            with plain_failures(self.url):
                pipeline.commit()
        except DatabaseUnreachable as error:
            raise OutcomeUnknown(f"{error} This happened during a commit, which may have been done.") from error

    def _begin(self, begin: Statement, club: str) -> Pipeline:
        """Begin in a club or, where it is empty, in none, as soon as there is something to do."""
        pipeline = Pipeline(self.connection)
        pipeline.send_later(begin)
        pipeline.send_later(self.local.statement, self.local.parameters(club))
        return pipeline
