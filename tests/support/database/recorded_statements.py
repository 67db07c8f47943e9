"""Records the SQL statements that are sent to PostgreSQL, by SQLAlchemy or by the service."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

PING = "SELECT pg_is_in_recovery()"
"""Tests a connection that was idle."""


@contextmanager
def recorded_statements(*, with_pings: bool = False) -> Iterator[list[str]]:
    """Record what this process sends to PostgreSQL until the block ends; a ping only where wanted."""
    statements: list[str] = []
    execute = psycopg.Cursor.execute

    def record(cursor: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        if query != PING or with_pings:
            statements.append(query.decode() if isinstance(query, bytes) else str(query))
        return execute(cursor, query, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", record)
        yield statements
