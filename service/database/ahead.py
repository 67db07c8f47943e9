"""A statement that PostgreSQL runs while the service works on; its answer is heard later."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, send
from psycopg.pq import ExecStatus, Format

from service.database.exchanges import Prepared
from service.database.statements import Statement


def start(
    driver: psycopg.Connection[Any], prepared: Prepared, statement: Statement, parameters: Mapping[str, bytes]
) -> None:
    """
    Send a statement that finds nothing, its parameters in PostgreSQL's binary format, and wait for nothing.

    Until `hear` was called, the connection takes no other: the driver refuses it.
    """
    if statement.name not in prepared:
        driver.pgconn.send_prepare(statement.name, statement.query)
        driver.wait(send(driver.pgconn))
        hear(driver)
        prepared[statement.name] = None
    values = [parameters[name] for name in statement.parameters]
    driver.pgconn.send_query_prepared(statement.name, values, [Format.BINARY] * len(values))
    driver.wait(send(driver.pgconn))


def hear(driver: psycopg.Connection[Any]) -> None:
    """
    Wait until it is done.

    Raises:
        psycopg.Error: as the driver raises it where it failed.
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
