"""Statements that go to PostgreSQL together and are answered together, prepared once on each connection."""

from collections.abc import Sequence
from typing import Any, Final

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, send
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import Wait

from service.database.statements import Parameters, Statement

Found = dict[str, Any]
"""A record by the names of its columns."""

_FAILED: Final = ExecStatus.FATAL_ERROR


class Reader:
    """What reads the answers of a statement: their columns never change, and take longer to look at than to read."""

    __slots__ = ("_loaders", "_names")

    def __init__(self, driver: psycopg.Connection[Any], answer: PGresult) -> None:
        self._names = [(answer.fname(column) or b"").decode() for column in range(answer.nfields)]
        self._loaders = Transformer.from_context(driver)
        self._loaders.set_pgresult(answer)

    def read(self, answer: PGresult) -> list[Found]:
        """Give the records of an answer."""
        self._loaders.set_pgresult(answer, set_loaders=False)
        return self._loaders.load_rows(0, answer.ntuples, self._record)

    def _record(self, values: Sequence[Any]) -> Found:
        return dict(zip(self._names, values, strict=True))


Prepared = dict[bytes, Reader | None]
"""What was prepared on a connection, by name, and what reads its answers, once there was one."""


def exchange(
    driver: psycopg.Connection[Any], prepared: Prepared, statements: Sequence[tuple[Statement, Parameters]]
) -> list[Found]:
    """
    Send statements in one way, wait once, and give what the last of them found. After one that fails none is run.

    The driver does the same with a cursor for each statement, which takes it some four times as long.

    Args:
        driver: the connection.
        prepared: what was prepared on it; what is new is added.
        statements: what to send.

    Raises:
        psycopg.Error: as the driver raises it for the first statement that failed, or for a connection that broke.
    """
    connection = driver.pgconn
    written = [(statement, statement.sent(parameters)) for statement, parameters in statements]
    preparing: dict[int, bytes] = {}
    wanted = 0
    try:
        connection.enter_pipeline_mode()
        for statement, values in written:
            if statement.name not in prepared and statement.name not in preparing.values():
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
    prepared.update((name, None) for place, name in preparing.items() if answers[place].status == ExecStatus.COMMAND_OK)
    for answer in answers:
        if answer.status == _FAILED:
            raise error_from_result(answer)
    return _records(driver, prepared, statements[-1][0].name, answers[-1])


def copied_out(connection: PGconn) -> PQGen[list[bytes]]:
    """
    Read all that a COPY sends that has begun: a message for each row.

    The driver asks for each message by itself, though most are there already, which takes it ten times as long.
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
    Send what was said, all at once, and wait until as much as is wanted has its one answer.

    PostgreSQL's library keeps what is said until then: said and sent one by one, each would wake the server.
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
    reader = prepared.get(name) or Reader(driver, answer)
    prepared[name] = reader
    return reader.read(answer)
