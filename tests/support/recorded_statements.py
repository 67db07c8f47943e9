"""Records the SQL statements that are sent to PostgreSQL, by SQLAlchemy or by the driver."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from service.db import pipeline


@contextmanager
def recorded_statements(*, with_pings: bool = False) -> Iterator[list[str]]:
    """Record what this process asks PostgreSQL until the block ends; a ping, which asks nothing, only where wanted."""
    statements: list[str] = []
    execute, send = psycopg.Cursor.execute, pipeline.exchange

    def record(cursor: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        if query or with_pings:
            statements.append(str(query))
        return execute(cursor, query, *arguments, **options)

    def record_all(driver: Any, prepared: Any, sent: Any) -> Any:
        statements.extend(statement.query.decode() for statement, _ in sent)
        return send(driver, prepared, sent)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", record)
        patch.setattr(pipeline, "exchange", record_all)
        yield statements
