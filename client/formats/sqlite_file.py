"""Read the records of a SQLite file that is in memory, without changing the file."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

from client.offline.file_hands import FormatError

_MAGIC: Final = b"SQLite format 3\0"
_NAME: Final = re.compile(r"[a-z_]+")


def has_table(content: bytes, table: str) -> bool:
    """
    Return whether a file is SQLite and has a table.

    >>> has_table(b"{}", "hands")
    False
    """
    if not content.startswith(_MAGIC):
        return False
    with closing(_open(content)) as database:
        try:
            row = database.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
        except sqlite3.DatabaseError:
            return False
    return row is not None


def read_records(content: bytes, table: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """
    Yield every record of a table, by the names of the columns, with its place.

    Raises:
        FormatError: the file is damaged.
    """
    if not _NAME.fullmatch(table):
        raise ValueError("the name of a table has other characters than letters")
    with closing(_open(content)) as database:
        database.row_factory = sqlite3.Row
        try:
            records = database.execute(f"SELECT rowid AS record, * FROM {table} ORDER BY rowid").fetchall()
        except sqlite3.DatabaseError as error:
            raise FormatError(f"the SQLite file cannot be read: {error}") from None
    for record in records:
        yield f"record {record['record']}", dict(record)


def _open(content: bytes) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.deserialize(content)
    return database
