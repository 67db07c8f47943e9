"""Statements that go to PostgreSQL together and are answered together, prepared once on each connection."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, pipeline_communicate
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn, PGresult

from service.database.statements import Parameters, Statement

Found = dict[str, Any]
"""A record by the names of its columns."""

_FAILED: Final = ExecStatus.FATAL_ERROR


def exchange(
    driver: psycopg.Connection[Any], prepared: set[bytes], statements: Sequence[tuple[Statement, Parameters]]
) -> list[Found]:
    """
    Send statements in one way, wait once, and give what the last of them found. After one that fails none is run.

    The driver does the same with a cursor for each statement, which takes it some four times as long.

    Args:
        driver: the connection.
        prepared: the names of what was prepared on it; what is new is added.
        statements: what to send.

    Raises:
        psycopg.Error: as the driver raises it for the first statement that failed, or for a connection that broke.
    """
    connection = driver.pgconn
    commands: deque[Callable[[], None]] = deque()
    preparing: dict[int, bytes] = {}
    for statement, parameters in statements:
        if statement.name not in prepared and statement.name not in preparing.values():
            preparing[len(commands)] = statement.name
            commands.append(partial(connection.send_prepare, statement.name, statement.query))
        commands.append(partial(connection.send_query_prepared, statement.name, statement.sent(parameters)))
    commands.append(connection.pipeline_sync)
    try:
        connection.enter_pipeline_mode()
        *answers, _ = driver.wait(_hear(connection, commands))
        connection.exit_pipeline_mode()
    except BaseException:
        # Somebody else's answers might still come on it.
        driver.close()
        raise
    prepared.update(name for place, name in preparing.items() if answers[place].status == ExecStatus.COMMAND_OK)
    for answer in answers:
        if answer.status == _FAILED:
            raise error_from_result(answer)
    return _records(driver, answers[-1])


def _hear(connection: PGconn, commands: deque[Callable[[], None]]) -> PQGen[list[PGresult]]:
    """Send commands, and wait until each has its one answer."""
    wanted = len(commands)
    answers = yield from pipeline_communicate(connection, commands)
    while len(answers) < wanted:
        answers.append((yield from fetch_many(connection)))
    return [answer for (answer,) in answers]


def _records(driver: psycopg.Connection[Any], answer: PGresult) -> list[Found]:
    if not answer.ntuples:
        return []
    names = [(answer.fname(column) or b"").decode() for column in range(answer.nfields)]
    reader = Transformer.from_context(driver)
    reader.set_pgresult(answer)
    return reader.load_rows(0, answer.ntuples, lambda values: dict(zip(names, values, strict=True)))
