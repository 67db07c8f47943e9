"""Prepared statements that are sent to PostgreSQL together, and their results."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, send
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import Wait

from service.db.statements import Parameters, Statement

Found = dict[str, Any]
"""A row of a result, by column names."""

PREPARED: Final = "prepared"
"""The name under which a connection in the pool has its `Prepared`."""

_FAILED: Final = ExecStatus.FATAL_ERROR


class Reader:
    """Reads the results of one statement. The loaders of its columns are looked up once."""

    __slots__ = ("_loaders", "_names")

    def __init__(self, driver: psycopg.Connection[Any], answer: PGresult) -> None:
        self._names = [(answer.fname(column) or b"").decode() for column in range(answer.nfields)]
        self._loaders = Transformer.from_context(driver)
        self._loaders.set_pgresult(answer)

    def read(self, answer: PGresult) -> list[Found]:
        """Return the rows of a result."""
        self._loaders.set_pgresult(answer, set_loaders=False)
        return self._loaders.load_rows(0, answer.ntuples, self._record)

    def _record(self, values: Sequence[Any]) -> Found:
        return dict(zip(self._names, values, strict=True))


class Prepared:
    """
    The prepared statements of a connection.

    Attributes:
        by_name: whether statements are prepared by name. Behind a connection pooler they are not, because the next
            transaction can run on another connection to PostgreSQL.
        names: the names of the prepared statements.
        readers: the readers of the statements that have returned rows, by name.
    """

    __slots__ = ("by_name", "names", "readers")

    def __init__(self, *, by_name: bool = True) -> None:
        self.by_name = by_name
        self.names = set[bytes]()
        self.readers = dict[bytes, Reader]()


def exchange(
    driver: psycopg.Connection[Any], prepared: Prepared, statements: Sequence[tuple[Statement, Parameters]]
) -> list[Found]:
    """
    Send statements in one round trip and return the rows of the last one. If one fails, the rest is not run.

    The driver needs a cursor for each statement, which takes four times as long.

    Args:
        driver: the connection.
        prepared: the prepared statements of the connection; new ones are added.
        statements: the statements with their parameters.

    Raises:
        psycopg.Error: a statement failed or the connection broke.
    """
    connection = driver.pgconn
    written = [(statement, statement.sent(parameters)) for statement, parameters in statements]
    preparing: dict[int, bytes] = {}
    wanted = 0
    try:
        connection.enter_pipeline_mode()
        for statement, values in written:
            if not prepared.by_name:
                connection.send_query_params(statement.query, values)
            else:
                if statement.name not in prepared.names and statement.name not in preparing.values():
                    preparing[wanted] = statement.name
                    connection.send_prepare(statement.name, statement.query)
                    wanted += 1
                connection.send_query_prepared(statement.name, values)
            wanted += 1
        connection.pipeline_sync()
        *answers, _ = driver.wait(_hear(connection, wanted + 1))
        connection.exit_pipeline_mode()
    except BaseException:
        # Somebody else's answers might still come on it.
        driver.close()
        raise
    prepared.names.update(name for place, name in preparing.items() if answers[place].status == ExecStatus.COMMAND_OK)
    for answer in answers:
        if answer.status == _FAILED:
            raise error_from_result(answer)
    return _records(driver, prepared, statements[-1][0].name, answers[-1])


def copied_out(connection: PGconn) -> PQGen[list[bytes]]:
    """
    Receive all messages of a started COPY: one for each row.

    The driver waits for each message separately, which takes ten times as long.
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
    for answer in (yield from fetch_many(connection)):
        if answer.status == _FAILED:
            raise error_from_result(answer)
    return messages


def _hear(connection: PGconn, wanted: int) -> PQGen[list[PGresult]]:
    """
    Flush the pipeline and receive one result for each command.

    libpq buffers the commands until then; sent separately, each would wake up the server.
    """
    yield from send(connection)
    answers = []
    for _ in range(wanted):
        (answer,) = yield from fetch_many(connection)
        answers.append(answer)
    return answers


def _records(driver: psycopg.Connection[Any], prepared: Prepared, name: bytes, answer: PGresult) -> list[Found]:
    if not answer.ntuples:
        return []
    if name not in prepared.readers:
        prepared.readers[name] = Reader(driver, answer)
    return prepared.readers[name].read(answer)


def start(
    driver: psycopg.Connection[Any], prepared: Prepared, statement: Statement, parameters: Mapping[str, bytes]
) -> None:
    """
    Send a statement that returns no rows, with binary parameters, without waiting for its result.

    The connection accepts no other statement until `hear` was called.
    """
    values = [parameters[name] for name in statement.parameters]
    formats = [Format.BINARY] * len(values)
    if not prepared.by_name:
        driver.pgconn.send_query_params(statement.query, values, param_formats=formats)
    else:
        if statement.name not in prepared.names:
            driver.pgconn.send_prepare(statement.name, statement.query)
            driver.wait(send(driver.pgconn))
            hear(driver)
            prepared.names.add(statement.name)
        driver.pgconn.send_query_prepared(statement.name, values, formats)
    driver.wait(send(driver.pgconn))


def hear(driver: psycopg.Connection[Any]) -> None:
    """
    Wait for the result of the started statement.

    Raises:
        psycopg.Error: the statement failed.
    """
    try:
        answers = driver.wait(fetch_many(driver.pgconn))
    except BaseException:
        # Somebody else's answers might still come on it.
        driver.close()
        raise
    for answer in answers:
        if answer.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(answer)
