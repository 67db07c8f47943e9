"""
The statements of one transaction, in as few round trips as possible, by psycopg's pipeline mode.

A statement whose result is not needed is sent with the next one whose result is needed, or with the commit. A hand is
recorded in two round trips: the first begins, sets the club and locks the round; the second writes and commits.
Statements can also be started: PostgreSQL runs them while the process prepares the next ones.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any, Final, NoReturn, Self

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import Dumper
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many
from psycopg.pq import ExecStatus, Format, PipelineStatus
from psycopg.pq.abc import PGconn
from psycopg.rows import dict_row
from psycopg.waiting import Ready, Wait
from sqlalchemy import ClauseElement, Connection, text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError, IntegrityError

from service.db.failures import find_conflict
from service.errors import Busy, ServiceError

Parameters = Mapping[str, Any]
Row = dict[str, Any]
"""A row of a result, by column names."""

_DIALECT: Final = PGDialect_psycopg()
_NOTHING: Final[Parameters] = {}
RECORD_TYPES: Final = "record_types"
"""The name under which a connection has the record types of its database (`service/db/batch.py`)."""
_TYPE_MISMATCH: Final = "42804"


class Encoded(bytes):
    """A parameter in PostgreSQL's binary format, whose type PostgreSQL infers."""

    __slots__ = ()


class EncodedDumper(Dumper):
    """Sends an encoded parameter as it is."""

    format = Format.BINARY

    def dump(self, obj: Encoded) -> bytes:
        """Return the parameter."""
        return obj


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


_COMMIT: Final = Statement(text("COMMIT"))


def run_together(driver: psycopg.Connection[Any], statements: Sequence[tuple[Statement, Parameters]]) -> list[Row]:
    """
    Run statements in one round trip and return the rows of the last one. If one fails, the rest is not run.

    Raises:
        psycopg.Error: a statement failed or the connection broke.
    """
    cursor = driver.cursor(row_factory=dict_row)
    *before, (last, parameters) = statements
    with driver.pipeline():
        for statement, values in before:
            driver.execute(statement.query, values)
        cursor.execute(last.query, parameters)
    return cursor.fetchall() if cursor.description else []


def copied_out(connection: PGconn) -> PQGen[list[bytes]]:
    """
    Receive all messages of a started COPY: one for each row.

    The driver waits for each message separately, which takes five times as long.
    """
    messages: list[bytes] = []
    receive = connection.get_copy_data
    while (received := receive(1))[0] >= 0:
        if received[0]:
            messages.append(bytes(received[1]))
            continue
        while not (yield Wait.R):
            pass
        connection.consume_input()
    for result in (yield from fetch_many(connection)):
        if result.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(result)
    return messages


def flushed(connection: PGconn) -> PQGen[None]:
    """Send everything that libpq has buffered; results that arrive meanwhile are buffered for later."""
    while connection.flush():
        if (yield Wait.RW) & Ready.R:
            connection.consume_input()


class Pipeline:
    """The queued and the started statements of a connection; an exception in its block discards them."""

    __slots__ = ("_conflicts", "_driver", "_queued", "_started", "connection")

    def __init__(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection), "connections are psycopg's"
        self.connection = connection
        self._driver = driver
        self._queued: list[tuple[Statement, Parameters]] = []
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
            if self._driver.pgconn.pipeline_status == PipelineStatus.OFF:
                self._started.enter_context(self._driver.pipeline())
            for statement, parameters in queued:
                self._driver.execute(statement.query, parameters)
            self._driver.wait(flushed(self._driver.pgconn))
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
        """Send the queued statements and this one, and return its rows."""
        self._queued.append((statement, parameters))
        return self._run()

    def commit(self) -> None:
        """Send the queued statements and commit. If one fails, PostgreSQL does not run the commit."""
        self.query(_COMMIT)

    def _run(self) -> list[Row]:
        queued, conflicts = self._queued, self._conflicts
        self._queued, self._conflicts = [], {}
        try:
            self._started.close()
            return run_together(self._driver, queued) if queued else []
        except psycopg.Error as error:
            self._refuse(error, conflicts)

    def _refuse(self, error: psycopg.Error, conflicts: Mapping[str, ServiceError]) -> NoReturn:
        """Raise the exception of SQLAlchemy for an error of the driver, or the conflict that it means."""
        if error.sqlstate == _TYPE_MISMATCH and self.connection.info.pop(RECORD_TYPES, None):
            # The next transaction reads the types again.
            raise Busy("The columns of a table were changed during the request; retry the request.") from error
        if self._driver.closed:
            self.connection.invalidate(error)
        explained = DBAPIError.instance(
            None, None, error, psycopg.Error, hide_parameters=True, connection_invalidated=self._driver.closed
        )
        if isinstance(explained, IntegrityError):
            raise find_conflict(explained, conflicts) or explained from error
        raise explained from error
