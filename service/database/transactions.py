"""One transaction per request, in one club. The only commit is here."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from sqlalchemy import URL, Connection, CursorResult, Engine, Executable, text

from service.database.address import SERVICE_ROLE, engine_url, place_of
from service.database.connections import create_engine
from service.database.exchanges import Found, copied_out
from service.database.failures import plain_failures
from service.database.migrating import find_revision, owns_tables, refuse_all_but_newest
from service.database.pipeline import Pipeline
from service.database.statements import Parameters, Statement
from service.errors import DatabaseDenied, DatabaseUnreachable, OutcomeUnknown, ServiceError

_BEGIN: Final = Statement(text("BEGIN"))
_BEGIN_READING: Final = Statement(text("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
_SET_CLUB: Final = Statement(text("SELECT set_config('ofc.club', :club, true)"))


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

    @property
    def connection(self) -> Connection:
        """SQLAlchemy's side of it."""
        self.pipeline.send()
        return self.pipeline.connection


class Database:
    """
    The database, as the service works with it. Connections are opened when they are needed.

    Whatever login the URL has, sessions work as the role `ofc_service` from their first moment, so that neither an
    owner's nor a superuser's rights are at work in a request. `role=None` keeps the login's own: for making clubs.
    """

    def __init__(self, url: str, *, role: str | None = SERVICE_ROLE, pool_size: int = 8) -> None:
        self._url = engine_url(url)
        self._role = role
        self._pool_size = pool_size

    def __reduce__(self) -> tuple[Callable[..., "Database"], tuple[str, str | None, int]]:
        """Let another process have it, which opens connections of its own."""
        return _reach, (self._url.render_as_string(hide_password=False), self._role, self._pool_size)

    @cached_property
    def engine(self) -> Engine:
        """Where connections are kept; a process has its own."""
        return create_engine(self._url, self._role, self._pool_size)

    def dispose_after_fork(self) -> None:
        """Leave the parent's connections to the parent; the child opens its own."""
        self.engine.dispose(close=False)

    def close(self) -> None:
        """Close every connection that is not in use."""
        self.engine.dispose()

    @contextmanager
    def session(self) -> Iterator["Session"]:
        """
        Give a connection for a request: to find out who asks, and then for one transaction.

        Raises:
            DatabaseError, Busy: the database does not answer, or somebody else is in the way.
        """
        after_commit: list[Callable[[], None]] = []
        try:
            with plain_failures(self._url), self.engine.connect() as connection:
                yield Session(connection, self._url, after_commit)
        finally:
            # Not before the connection is given back: what is done now may need one.
            for act in after_commit:
                act()

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
        """Give a connection for what comes before a club is known; it sees no club's rows."""
        with self.session() as session:
            yield session.connection

    def check_head(self) -> None:
        """
        See that the database answers and has the newest shape that this release knows, and no newer one.

        Raises:
            DatabaseUnreachable, DatabaseBehind, DatabaseNewer: in one sentence.
        """
        with self.outside_clubs() as connection:
            refuse_all_but_newest(find_revision(connection), self._url)

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


def _reach(url: str, role: str | None, pool_size: int) -> Database:
    return Database(url, role=role, pool_size=pool_size)


@dataclass(frozen=True, slots=True)
class Session:
    """
    The use of one connection. What is not committed in it ends with it.

    Attributes:
        connection: before its transaction it sees no club's rows.
        url: of the database, to say what goes wrong.
        after_commit: what is to be done at its end, for all of it that was committed.
    """

    connection: Connection
    url: URL
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
        pipeline = self._begin(_BEGIN, club_id)
        transaction = Transaction(pipeline, club_id, actor, request_id)
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
        return Transaction(self._begin(_BEGIN_READING, club_id), club_id)

    def _commit(self, pipeline: Pipeline) -> None:
        try:
            with plain_failures(self.url):
                pipeline.commit()
        except DatabaseUnreachable as error:
            raise OutcomeUnknown(f"{error} This happened during a commit, which may have been done.") from error

    def _begin(self, begin: Statement, club_id: UUID) -> Pipeline:
        """Begin in a club, as soon as there is something to do."""
        pipeline = Pipeline(self.connection)
        pipeline.send_later(begin)
        pipeline.send_later(_SET_CLUB, {"club": str(club_id)})
        return pipeline
