"""Rows of a COPY, for the bulk readers of recomputations and verification."""

from psycopg.abc import PQGen
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn
from psycopg.waiting import Wait


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
    for answer in (yield from fetch_many(connection)):
        if answer.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(answer)
    return messages
