"""Statements that PostgreSQL runs while the service works on; their answers are heard later."""

from typing import Any

import psycopg
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, send
from psycopg.pq import ExecStatus


def start(driver: psycopg.Connection[Any], statements: str) -> None:
    """
    Send statements without parameters, and wait for nothing.

    Until `hear` was called, the connection takes no other: the driver refuses it.
    """
    driver.pgconn.send_query(statements.encode())
    driver.wait(send(driver.pgconn))


def hear(driver: psycopg.Connection[Any]) -> None:
    """
    Wait until all of them are done.

    Raises:
        psycopg.Error: as the driver raises it for the first that failed, after which none was run.
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
