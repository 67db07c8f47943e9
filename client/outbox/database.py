"""The SQLite file of the outbox."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from client.errors import UnreadableError

_LOCK_TIMEOUT_SECONDS: Final = 30
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
_OFFLINE: Final = """
ALTER TABLE entries ADD COLUMN table_id TEXT;
ALTER TABLE rounds ADD COLUMN answer TEXT NOT NULL DEFAULT '{}';
ALTER TABLE rounds ADD COLUMN answered_at TEXT NOT NULL DEFAULT '';
CREATE TABLE tables (
    server TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL, ruleset TEXT NOT NULL, PRIMARY KEY (server, name)
)
"""
_RECOMPUTATIONS: Final = """
CREATE TABLE recomputations (
    server TEXT NOT NULL, id TEXT NOT NULL, described TEXT NOT NULL, PRIMARY KEY (server, id)
)
"""
_VERSIONS: Final = (_TABLES, _RECORDS, _OFFLINE, _RECOMPUTATIONS)
"""The statements that migrate the file to each version from the one before."""


class Database:
    """A connection on which every change is durable when it returns, also after a power failure."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with translate_database_errors(self.path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(path, timeout=_LOCK_TIMEOUT_SECONDS, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        try:
            self._make_tables()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def fetch(self, query: str, *parameters: object) -> list[sqlite3.Row]:
        """Return the records of a query."""
        with translate_database_errors(self.path):
            return self._connection.execute(query, parameters).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block in a transaction."""
        with translate_database_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _make_tables(self) -> None:
        with translate_database_errors(self.path):
            self._connection.execute("PRAGMA synchronous = EXTRA")
        with self.transaction() as connection:
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found > len(_VERSIONS):
                raise UnreadableError(
                    f"the outbox {self.path} was written by a newer `ofc`; expected version {len(_VERSIONS)} or less"
                )
            for version, statements in enumerate(_VERSIONS[found:], start=found + 1):
                for statement in filter(str.strip, statements.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version}")


@contextmanager
def translate_database_errors(path: Path) -> Iterator[None]:
    """
    Raise one readable error for any failure of the outbox file.

    Raises:
        UnreadableError: the file cannot be used.
    """
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise UnreadableError(
            f"the outbox {path} cannot be used: {why}; choose another directory with --data or OFC_DATA"
        ) from error
