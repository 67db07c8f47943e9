"""Transactions of one club. The only commit is here."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from sqlalchemy import URL, Connection, CursorResult, Executable, text

from service.database_errors import DatabaseError, DatabaseReadOnly, DatabaseUnreachable, OutcomeUnknown
from service.db.commits import BARRIER, CommitWatch
from service.db.connections import ONLY_READS, LocalSettings, close_connections
from service.db.failures import translate_errors, translate_read_only
from service.db.pipeline import Parameters, Pipeline, Query, Row, Statement
from service.errors import ServiceError
from service.logs import get_log
from service.trace_context import Trace, current_trace, tracing

_log = get_log(__name__)

_BEGIN: Final = Statement(text("BEGIN ISOLATION LEVEL READ COMMITTED"))
_WITHOUT_STANDBYS: Final = Statement(text("SELECT set_config('synchronous_commit', 'local', true)"))
_SET_TRACE: Final = Statement(text("SELECT set_config('ofc.traceparent', :traceparent, true)"))
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
        round_id: the only round whose records are visible; None for all rounds.
        player: the player of a personal link, whose own payments are visible too.
        is_link: whether the actor is a link, also one to the club, whose table and round are None.
        now: the time of all records of the transaction.
        after_commit: functions to call after the commit.
        afterwards: functions to call with a second transaction after the commit.
    """

    pipeline: Pipeline
    club_id: UUID
    actor: UUID | None = None
    request_id: str | None = None
    table_id: UUID | None = None
    round_id: UUID | None = None
    player: str | None = None
    is_link: bool = False
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    after_commit: list[Callable[[], None]] = field(default_factory=list)
    afterwards: "list[Callable[[Transaction], None]]" = field(default_factory=list)

    def execute(self, statement: Executable, parameters: Any = None) -> CursorResult[Any]:
        """Run a SQLAlchemy statement."""
        return self.connection.execute(statement, parameters)

    def query(self, statement: Statement, parameters: Parameters) -> list[Row]:
        """Run a compiled statement and return its rows. A query that was read ahead is not run again."""
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

    def set_trace(self, trace: Trace | None) -> None:
        """Have the jobs and messages that the transaction creates belong to a trace."""
        if trace is not None:
            self.write(_SET_TRACE, {"traceparent": trace.header})

    @contextmanager
    def in_trace(self, header: str | None) -> Iterator[None]:
        """Continue the stored trace of a job in the block."""
        with tracing(header) as trace:
            self.set_trace(trace)
            yield

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


@dataclass(frozen=True, slots=True)
class Session:
    """
    The use of one connection. What was not committed is rolled back at its end.

    Attributes:
        connection: sees no club's records outside of a transaction.
        url: the URL of the database, for error messages.
        local: the role and the settings of every transaction.
        commits: watches the commits.
        at_end: functions to call at the end of the session, for example for what was committed.
    """

    connection: Connection
    url: URL
    local: LocalSettings
    commits: CommitWatch
    at_end: list[Callable[[], None]]

    def begin(self, find: Query, *, is_reading: bool, ahead: Sequence[Query] = ()) -> tuple[Pipeline, list[Row]]:
        """
        Begin a transaction in the club that a query sets, and return the rows of the query.

        `transaction` or `reading` continues with it. Otherwise it ends with the session.

        Args:
            find: sets the club, the table and the round of the transaction.
            is_reading: whether the transaction only reads.
            ahead: queries that the transaction begins with. They are sent along, unless a transaction that writes
                would be refused, because they could wait for locks.
        """
        pipeline = self._begin(_BEGIN_READING if is_reading else _BEGIN, "")
        with self._discarding_read_only():
            return pipeline, pipeline.query_and_read_ahead(find, () if self.commits.is_waiting() else ahead)

    @contextmanager
    def transaction(
        self,
        club_id: UUID,
        *,
        actor: UUID | None = None,
        request_id: str | None = None,
        table_id: UUID | None = None,
        round_id: UUID | None = None,
        player: str | None = None,
        is_link: bool = False,
        rolled_back: bool = False,
        begun: Pipeline | None = None,
    ) -> Iterator[Transaction]:
        """
        Run a transaction in one club, which is committed when the block ends and rolled back after an exception.

        Args:
            club_id: the club whose records are visible.
            actor: the key or link of the request, for the audit trail.
            request_id: the ID of the request.
            table_id: the only table whose records are visible; None for all tables of the club.
            round_id: the only round whose records are visible; None for all rounds.
            player: the player of a personal link.
            is_link: whether the actor is a link.
            rolled_back: whether to roll back in any case, for a dry run.
            begun: the transaction that `begin` has begun.

        Its commit also confirms what the transaction has read: it waits until the standbys have everything that was
        written before.

        Raises:
            CommitsWaiting: earlier commits wait for a standby.
            OutcomeUnknown: the commit was not confirmed; after any other error nothing is stored.
        """
        if not rolled_back:
            self.commits.refuse_if_waiting()
        pipeline = begun or self._begin(_BEGIN, str(club_id), str(table_id or ""), str(round_id or ""), player or "")
        transaction = Transaction(pipeline, club_id, actor, request_id, table_id, round_id, player, is_link)
        transaction.set_trace(current_trace())
        with self._discarding_read_only(), pipeline:
            yield transaction
            if rolled_back:
                return pipeline.send()
            pipeline.write(BARRIER)
            self._commit(pipeline)
        self.at_end.extend(transaction.after_commit)
        for work in transaction.afterwards:
            self._follow(club_id, work)

    def _follow(self, club_id: UUID, work: Callable[[Transaction], None]) -> None:
        """Run a second transaction. An error is only logged, because the first one is committed."""
        try:
            with self.transaction(club_id) as following:
                work(following)
        except ServiceError as error:
            _log.warning("second_transaction_failed", error=str(error))

    def reading(
        self,
        club_id: UUID,
        table_id: UUID | None = None,
        round_id: UUID | None = None,
        player: str | None = None,
        begun: Pipeline | None = None,
        *,
        is_link: bool = False,
    ) -> Transaction:
        """
        Begin a read-only transaction in one club, whose statements all see the same snapshot.

        With `table_id` or `round_id`, only the records of this table or round are visible, and with `player`, those of
        this player's own payments too. `begun` is what `begin` has begun, and `is_link` is that of the transaction.
        """
        place = str(club_id), str(table_id or ""), str(round_id or ""), player or ""
        pipeline = begun or self._begin(_BEGIN_READING, *place)
        return Transaction(pipeline, club_id, table_id=table_id, round_id=round_id, player=player, is_link=is_link)

    def query(self, statement: Statement, parameters: Parameters) -> list[Row]:
        """Run one statement in a separate transaction outside of any club, and return its rows."""
        pipeline = Pipeline(self.connection)
        # Statements that are sent together without a BEGIN are one transaction.
        pipeline.write(self.local.statement, self.local.parameters())
        with self._discarding_read_only():
            return pipeline.query(statement, parameters)

    def reading_outside_clubs(self) -> Pipeline:
        """Begin a read-only transaction that sees no club's records."""
        pipeline = self._begin(_BEGIN_READING, "")
        pipeline.send()
        return pipeline

    def note(self, club_id: UUID, statement: Statement, parameters: Parameters) -> None:
        """
        Run one statement in a separate transaction of a club at the end of the session, which may be lost.

        It does not wait for standbys, and is only for what is no record, for example the last use of a key.
        """
        self.at_end.append(partial(self._note, club_id, statement, parameters))

    def _note(self, club_id: UUID, statement: Statement, parameters: Parameters) -> None:
        with self.connection.engine.connect() as connection:
            pipeline = Pipeline(connection)
            pipeline.write(self.local.statement, self.local.parameters(str(club_id)))
            pipeline.write(_WITHOUT_STANDBYS)
            pipeline.query(statement, parameters)

    @contextmanager
    def outside_clubs(self) -> Iterator[Pipeline]:
        """Run a transaction that sees no club's records, and commit it when the block ends."""
        pipeline = self._begin(_BEGIN, "")
        pipeline.send()
        with self._discarding_read_only():
            yield pipeline
            self._commit(pipeline)

    @contextmanager
    def _discarding_read_only(self) -> Iterator[None]:
        """
        Discard all pooled connections when PostgreSQL refuses a change because it is read-only.

        After a switchover they can be connected to the former primary, which would refuse every change.
        """
        try:
            with translate_read_only(self.url):
                yield
        except DatabaseReadOnly:
            close_connections(self.connection.engine)
            raise

    def _commit(self, pipeline: Pipeline) -> None:
        try:
            with translate_errors(self.url), self.commits.waiting(pipeline.driver):
                pipeline.commit()
        except DatabaseUnreachable as error:
            raise OutcomeUnknown(f"{error} This happened during a commit, which may have succeeded.") from error

    def _begin(self, begin: Statement, club: str, table: str = "", round_: str = "", player: str = "") -> Pipeline:
        """Queue the begin of a transaction in a club, or outside of any club if `club` is empty."""
        self.connection.info[ONLY_READS] = begin is _BEGIN_READING
        pipeline = Pipeline(self.connection)
        pipeline.write(begin)
        pipeline.write(self.local.statement, self.local.parameters(club, table, round_, player))
        return pipeline
