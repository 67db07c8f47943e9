"""Removes everything recorded between two moments, as a database administrator can."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from service.replays.comparing import AUDITED

MOMENTS = ("before", "after")


@contextmanager
def remembered(owner_url: str) -> Iterator[None]:
    """Remember the records as they are before and after what happens inside."""
    _remember(owner_url, "before")
    yield
    _remember(owner_url, "after")


def _remember(owner_url: str, moment: str) -> None:
    with psycopg.connect(owner_url) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(moment)))
        for table in AUDITED:
            copying = sql.SQL("CREATE TABLE {} AS TABLE {}")
            connection.execute(copying.format(sql.Identifier(moment, table), sql.Identifier("public", table)))


def take_back(owner_url: str) -> None:
    """Restore every record that changed between the two moments, but not those that changed since."""
    with psycopg.connect(owner_url) as connection:
        connection.execute("SET session_replication_role = replica")
        for table in AUDITED:
            names = {moment: sql.Identifier(moment, table) for moment in (*MOMENTS, "public")}
            connection.execute(_DELETE.format(**names))
            connection.execute(_INSERT.format(**names))
        for moment in MOMENTS:
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(moment)))


_DELETE = sql.SQL("""
    DELETE FROM {public} AS here USING {after} AS there WHERE here::text = there::text
        AND NOT EXISTS (SELECT FROM {before} AS earlier WHERE earlier::text = there::text)
""")
_INSERT = sql.SQL("""
    INSERT INTO {public} SELECT earlier.* FROM {before} AS earlier
        WHERE NOT EXISTS (SELECT FROM {after} AS there WHERE there::text = earlier::text)
""")
