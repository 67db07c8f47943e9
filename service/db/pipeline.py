"""
The statements of one transaction, in as few round trips as possible, by psycopg's pipeline mode.

A statement whose result is not needed is sent with the next one whose result is needed, or with the commit. A hand is
recorded in two round trips: the first begins, sets the club and locks the round; the second writes and commits.
Statements can also be started: PostgreSQL runs them while the process prepares the next ones.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from select import POLLIN, POLLOUT, poll
from typing import Any, Final, NoReturn, Self

import psycopg
from psycopg.pq import PipelineStatus
from psycopg.rows import dict_row
from sqlalchemy import ClauseElement, Connection, text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError, IntegrityError

from service.db.failures import find_conflict
from service.errors import ServiceError

Parameters = Mapping[str, Any]
Row = dict[str, Any]
"""A row of a result, by column names."""

_DIALECT: Final = PGDialect_psycopg()
_NOTHING: Final[Parameters] = {}


class Statement:
    """
    A compiled statement, which psycopg adapts parameters to and prepares when it is used often.

    >>> from sqlalchemy import text
    >>> Statement(text("SELECT set_config('ofc.club', :club, true)")).query
    b"SELECT set_config('ofc.club', %(club)s, true)"

    Attributes:
        query: the SQL text, with the parameters as psycopg has them.
    """

    __slots__ = ("query",)

    def __init__(self, executable: ClauseElement) -> None:
        self.query = str(executable.compile(dialect=_DIALECT)).encode()


Query = tuple[Statement, Parameters]
"""A statement with its parameters."""

_COMMIT: Final = Statement(text("COMMIT"))


def run_together(driver: psycopg.Connection[Any], statements: Sequence[Query]) -> list[list[Row]]:
    """
    Run statements in one round trip and return the rows of each. If one fails, the rest is not run.

    Raises:
        psycopg.Error: a statement failed or the connection broke.
    """
    with driver.pipeline():
        cursors = [
            driver.cursor(row_factory=dict_row).execute(statement.query, parameters)
            for statement, parameters in statements
        ]
    return [cursor.fetchall() if cursor.description else [] for cursor in cursors]


class Pipeline:
    """The queued and the started statements of a connection; an exception in its block discards them."""

    __slots__ = ("_ahead", "_conflicts", "_queued", "_started", "connection", "driver")

    def __init__(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection), "connections are psycopg's"
        self.connection = connection
        self.driver = driver
        self._queued: list[Query] = []
        self._ahead: list[tuple[Query, list[Row]]] = []
        self._started = ExitStack()
        self._conflicts: dict[str, ServiceError] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.discard()

    def write(self, statement: Statement, parameters: Parameters = _NOTHING, **conflicts: ServiceError) -> None:
        """
        Queue a statement until the next round trip.

        Args:
            statement: a statement whose result is not needed.
            parameters: its parameters.
            conflicts: the error to raise for the violation of a constraint, by the constraint's name.
        """
        self._queued.append((statement, parameters))
        self._conflicts |= conflicts

    def start(self) -> None:
        """
        Send the queued statements, and let PostgreSQL run them while this process goes on.

        The next call that waits for results raises their errors.
        """
        queued, self._queued = self._queued, []
        try:
            if self.driver.info.pipeline_status == PipelineStatus.OFF:
                self._started.enter_context(self.driver.pipeline())
            for statement, parameters in queued:
                self.driver.execute(statement.query, parameters)
            # Otherwise what the socket did not take at once would wait for the next statement.
            connection, socket = self.driver.pgconn, poll()
            socket.register(connection.socket, POLLIN | POLLOUT)
            while connection.flush():
                if any(event & POLLIN for _, event in socket.poll()):
                    connection.consume_input()
        except psycopg.Error as error:
            self._refuse(error, self._conflicts)

    def send(self) -> None:
        """Send the queued statements, and wait until they and the started ones are done."""
        self._run()

    def discard(self) -> None:
        """Discard the queued statements, and the results of the started ones."""
        self._queued, self._conflicts = [], {}
        with suppress(psycopg.Error):
            self._started.close()

    def query(self, statement: Statement, parameters: Parameters = _NOTHING) -> list[Row]:
        """Send the queued statements and this one, and return its rows. A query that was read ahead is not sent."""
        for place, (query, rows) in enumerate(self._ahead):
            if query == (statement, parameters):
                del self._ahead[place]
                return rows
        self._queued.append((statement, parameters))
        return self._run()[-1]

    def query_and_read_ahead(self, query: Query, ahead: Sequence[Query]) -> list[Row]:
        """
        Send the queued statements, a query and others in one round trip, and return the rows of the first query.

        The rows of each of the others are stored until `query` is called with it, once.
        """
        self._queued += [query, *ahead]
        results = self._run()
        first = len(results) - len(ahead)
        self._ahead = list(zip(ahead, results[first:], strict=True))
        return results[first - 1]

    def commit(self) -> None:
        """Send the queued statements and commit. If one fails, PostgreSQL does not run the commit."""
        self.query(_COMMIT)

    def _run(self) -> list[list[Row]]:
        queued, conflicts = self._queued, self._conflicts
        self._queued, self._conflicts = [], {}
        try:
            self._started.close()
            return run_together(self.driver, queued) if queued else []
        except psycopg.Error as error:
            self._refuse(error, conflicts)

    def _refuse(self, error: psycopg.Error, conflicts: Mapping[str, ServiceError]) -> NoReturn:
        """Raise the exception of SQLAlchemy for an error of the driver, or the conflict that it means."""
        if self.driver.closed:
            self.connection.invalidate(error)
        explained = DBAPIError.instance(
            None, None, error, psycopg.Error, hide_parameters=True, connection_invalidated=self.driver.closed
        )
        if isinstance(explained, IntegrityError):
            raise find_conflict(explained, conflicts) or explained from error
        raise explained from error
