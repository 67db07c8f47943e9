"""The file that the outbox is."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from client.errors import UnreadableError

_PATIENCE_SECONDS: Final = 30
_TABLES: Final = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, server TEXT NOT NULL, round_id TEXT NOT NULL, verb TEXT NOT NULL,
    body BLOB NOT NULL, key TEXT NOT NULL UNIQUE, kept_at TEXT NOT NULL, problem TEXT
);
CREATE INDEX entries_in_order ON entries (server, round_id, id);
CREATE TABLE rounds (
    server TEXT NOT NULL, round_id TEXT NOT NULL, seen INTEGER NOT NULL, place TEXT NOT NULL, document TEXT NOT NULL,
    ruleset TEXT NOT NULL, PRIMARY KEY (server, round_id)
);
CREATE TABLE drafts (
    server TEXT NOT NULL, round_id TEXT NOT NULL, number INTEGER NOT NULL, typed TEXT NOT NULL,
    PRIMARY KEY (server, round_id)
);
"""
_RECORDS: Final = "ALTER TABLE rounds ADD COLUMN records TEXT NOT NULL DEFAULT '{}'"
_VERSIONS: Final = (_TABLES, _RECORDS)
"""What makes each version of the file from the one before."""


class Database:
    """A connection whose every change is on disk when it returns, also where the power fails in the next moment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with explained(self.path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        try:
            self._make_tables()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def ask(self, query: str, *parameters: object) -> list[sqlite3.Row]:
        """Read records."""
        with explained(self.path):
            return self._connection.execute(query, parameters).fetchall()

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """Change several things at once, or nothing."""
        with explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _make_tables(self) -> None:
        with explained(self.path):
            self._connection.execute("PRAGMA synchronous = EXTRA")
        with self.change() as connection:
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found > len(_VERSIONS):
                raise UnreadableError(f"the outbox {self.path} was written by a newer `ofc`; that one can read it")
            for version, statements in enumerate(_VERSIONS[found:], start=found + 1):
                for statement in filter(str.strip, statements.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """
    Say in one sentence that a file of the outbox cannot be used.

    Raises:
        UnreadableError: it cannot.
    """
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise UnreadableError(f"the outbox {path} cannot be used: {why}") from error
