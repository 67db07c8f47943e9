"""
Many records at once: copied into temporary tables beside the real ones, and added from there in one go.

They go there in COPY's binary format, which PostgreSQL takes as it is where it would have to read a text. A field of it
is its length and its bytes; each of the functions here writes fields of one of PostgreSQL's types.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from struct import Struct
from typing import Final
from uuid import UUID

from service.database import Transaction

NOTHING: Final = Struct(">i").pack(-1)
"""The field of a record that has no value there."""

_BEGIN: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END: Final = b"\xff\xff"
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LENGTH: Final = Struct(">i").pack
_ARRAY: Final = Struct(">iiiIii").pack
_ARRAY_BYTES: Final = 20
_BOOLEAN, _BIGINT, _SMALLINT, _TEXT = 16, 20, 21, 25
"""The numbers of PostgreSQL's own types."""


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


def copy_in(transaction: Transaction, table: str, columns: str, records: Sequence[bytes]) -> None:
    """
    Bring records to PostgreSQL, from where statements take them.

    Args:
        transaction: whose statements do.
        table: whose records they are.
        columns: which of its columns are given.
        records: the fields of each, one after the other in the order of the columns.
    """
    if records:
        head = Struct(">h").pack(columns.count(",") + 1)
        content = b"".join((_BEGIN, head, head.join(records), _END))
        transaction.copy_in(f"COPY incoming_{table} ({columns}) FROM STDIN (FORMAT binary)", content)


show_small: Final = partial(Struct(">ih").pack, 2)
"""Write a `smallint`."""

show_integer: Final = partial(Struct(">ii").pack, 4)
"""Write an `integer`."""

show_big: Final = partial(Struct(">iq").pack, 8)
"""Write a `bigint`."""

show_flag: Final = partial(Struct(">i?").pack, 1)
"""Write a `boolean`."""


def show_bytes(content: bytes) -> bytes:
    r"""
    Write a `bytea`, or whatever is its bytes.

    >>> show_bytes(b"ab")
    b'\x00\x00\x00\x02ab'
    """
    return _LENGTH(len(content)) + content


def show_text(written: str | None) -> bytes:
    """Write a `text`."""
    return NOTHING if written is None else show_bytes(written.encode())


def show_json(content: bytes | None) -> bytes:
    """Write a `jsonb`, from JSON as text."""
    return NOTHING if content is None else show_bytes(b"\x01" + content)


def show_id(number: UUID | None) -> bytes:
    """Write a `uuid`."""
    return NOTHING if number is None else show_bytes(number.bytes)


def show_time(moment: datetime | None) -> bytes:
    """Write a `timestamptz`."""
    return NOTHING if moment is None else show_big((moment - _EPOCH) // timedelta(microseconds=1))


def show_bigs(values: Sequence[int]) -> bytes:
    """Write a `bigint[]`."""
    return _show_list(_BIGINT, [show_big(value) for value in values])


def show_smalls(values: Sequence[int]) -> bytes:
    """Write a `smallint[]`: seats and cards of Fantasyland, of which the same come again and again."""
    return _show_smalls(tuple(values))


def show_flags(values: Sequence[bool]) -> bytes:
    """Write a `boolean[]`."""
    return _show_flags(tuple(values))


def show_texts(texts: Iterable[str]) -> bytes:
    """Write a `text[]`."""
    return _show_list(_TEXT, [show_text(text) for text in texts])


@lru_cache(maxsize=1024)
def _show_smalls(values: tuple[int, ...]) -> bytes:
    return _show_list(_SMALLINT, [show_small(value) for value in values])


@lru_cache(maxsize=64)
def _show_flags(values: tuple[bool, ...]) -> bytes:
    return _show_list(_BOOLEAN, [show_flag(value) for value in values])


def _show_list(type_: int, elements: Sequence[bytes]) -> bytes:
    """Write an array of one dimension, which counts from 1."""
    content = b"".join(elements)
    return _ARRAY(_ARRAY_BYTES + len(content), 1, 0, type_, len(elements), 1) + content
