"""Searches all tables of a database for words that should not be there."""

import psycopg
from psycopg import sql

from tests.support.application import House


def tables_that_hold(house: House, words: str) -> set[str]:
    """
    Search the text of every column of every table, and the database's own statistics.

    Bytes are shown in hexadecimal digits, so they are searched for the digits of the words.
    """
    with psycopg.connect(house.owner_url) as owner:
        tables = owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        holding = set()
        for table in [*(table for (table,) in tables), "pg_stats"]:
            query = sql.SQL(
                "SELECT FROM {} AS found WHERE position(%s IN found::text) + position(%s IN found::text) > 0"
            )
            cursor = owner.execute(query.format(sql.Identifier(table)), [words, words.encode().hex()])
            holding |= {table} if cursor.rowcount else set()
    return holding
