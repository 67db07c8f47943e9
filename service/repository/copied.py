"""Many records at once: copied into temporary tables beside the real ones, and added from there in one go."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from service.database import Transaction

NOTHING: Final = "\\N"
"""How the format writes that there is no value."""

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def make_room(transaction: Transaction, tables: Iterable[str]) -> None:
    """
    Make the temporary tables `incoming_…` beside some tables; into those themselves row-level security lets no COPY.

    They are made once a connection, and are empty again after every transaction.
    """
    made = [
        f"CREATE TEMPORARY TABLE IF NOT EXISTS incoming_{table} (LIKE {table}) ON COMMIT DELETE ROWS"
        for table in tables
    ]
    transaction.connection.exec_driver_sql("; ".join(made))


def copy_in(transaction: Transaction, table: str, columns: str, lines: Sequence[str]) -> None:
    """
    Bring records to PostgreSQL, from where statements take them.

    Args:
        transaction: whose statements do.
        table: whose records they are.
        columns: which of its columns are given.
        lines: in the text format of COPY, each with its line end.
    """
    if lines:
        transaction.copy_in(f"COPY incoming_{table} ({columns}) FROM STDIN", "".join(lines))


def show_text(written: str | None) -> str:
    r"""
    Write a text as the format has it.

    >>> show_text("a\tb"), show_text(None)
    ('a\\tb', '\\N')
    """
    if written is None:
        return NOTHING
    return written if written.isprintable() and "\\" not in written else written.translate(_ESCAPES)


def show_plain(value: int | UUID | None) -> str:
    r"""
    Write what has nothing to escape.

    >>> show_plain(3), show_plain(None)
    ('3', '\\N')
    """
    return NOTHING if value is None else str(value)


def show_time(moment: datetime | None) -> str:
    r"""
    Write a moment.

    >>> show_time(None)
    '\\N'
    """
    return NOTHING if moment is None else moment.isoformat()


def show_bytes(content: bytes) -> str:
    r"""
    Write bytes.

    >>> show_bytes(b"ab")
    '\\\\x6162'
    """
    return f"\\\\x{content.hex()}"


def show_list(values: Sequence[int]) -> str:
    """
    Write a list of numbers, or of true and false: but for its brackets, Python writes it as PostgreSQL reads it.

    >>> show_list([1, -2]), show_list([True, False])
    ('{1, -2}', '{True, False}')
    """
    return f"{{{str(values)[1:-1]}}}"


def show_texts(texts: Iterable[str]) -> str:
    r"""
    Write a list of texts.

    >>> show_texts(["ann", 'the "Shark"'])
    '{"ann","the \\\\"Shark\\\\""}'
    """
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return show_text("{" + ",".join(f'"{text}"' for text in quoted) + "}")
