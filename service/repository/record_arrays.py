"""
Many records at once: arrays of records, which one statement takes apart and adds to their tables.

They go to PostgreSQL in its binary format, which it takes as it is where it would have to read a text. A field of a
record is its type, its length and its bytes; each of the functions here writes fields of one of PostgreSQL's types.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from itertools import chain, repeat
from struct import Struct
from typing import Final
from uuid import UUID

import uuid_utils
from sqlalchemy import bindparam, text

from service.database import Transaction

_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_FIELD: Final = Struct(">Ii").pack
_LENGTH: Final = Struct(">i").pack
_COUNT_BYTES: Final = 4
_RECORD: Final = Struct(">ii").pack
_ARRAY: Final = Struct(">iiIii").pack
_INT16: Final = Struct(">h").pack
_INT64: Final = Struct(">q").pack
_BOOLEAN, _BYTEA, _BIGINT, _SMALLINT, _INTEGER, _TEXT = 16, 17, 20, 21, 23, 25
_TIME, _ID, _JSON = 1184, 2950, 3802
_ARRAY_OF: Final = {_BOOLEAN: 1000, _SMALLINT: 1005, _TEXT: 1009, _BIGINT: 1016}
"""The numbers of PostgreSQL's own types."""

_FIND_TYPES: Final = text("""
    SELECT relname, reltype FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relname IN :names
""").bindparams(bindparam("names", expanding=True))


def incoming(table: str) -> str:
    """Name the type of records that have those columns of a table that are given."""
    return f"incoming_{table}"


def find_types(transaction: Transaction, tables: Mapping[str, str]) -> Mapping[str, int]:
    """
    Give the numbers of the types `incoming_…` of some tables, each with its columns.

    They are those of temporary tables, which stay empty. A connection makes them once.
    """
    names = {incoming(table): table for table in tables}
    found = transaction.execute(_FIND_TYPES, {"names": [*names]}).all()
    if not found:
        made = [
            f"CREATE TEMPORARY TABLE {incoming(table)} AS SELECT {columns} FROM {table} WITH NO DATA"
            for table, columns in tables.items()
        ]
        transaction.connection.exec_driver_sql("; ".join(made))
        found = transaction.execute(_FIND_TYPES, {"names": [*names]}).all()
    return {names[each.relname]: each.reltype for each in found}


def show_records(type_: int, columns: str, records: Sequence[bytes]) -> bytes:
    """
    Write an array of records.

    Args:
        type_: the number of their type.
        columns: of the type.
        records: the fields of each, one after the other in the order of the columns.
    """
    # A record is its length and the number of its fields, and then the fields.
    heads = map(_RECORD, map(_COUNT_BYTES.__add__, map(len, records)), repeat(columns.count(",") + 1))
    return _ARRAY(1, 0, type_, len(records), 1) + b"".join(chain.from_iterable(zip(heads, records, strict=True)))


show_small: Final = partial(Struct(">Iih").pack, _SMALLINT, 2)
"""Write a `smallint`."""

show_integer: Final = partial(Struct(">Iii").pack, _INTEGER, 4)
"""Write an `integer`."""

show_big: Final = partial(Struct(">Iiq").pack, _BIGINT, 8)
"""Write a `bigint`."""

show_flag: Final = partial(Struct(">Ii?").pack, _BOOLEAN, 1)
"""Write a `boolean`."""

NO_INTEGER: Final = _FIELD(_INTEGER, -1)
NO_BIG: Final = _FIELD(_BIGINT, -1)
"""Numbers that are not there."""


def show_bytes(content: bytes) -> bytes:
    r"""
    Write a `bytea`.

    >>> show_bytes(b"ab")
    b'\x00\x00\x00\x11\x00\x00\x00\x02ab'
    """
    return _field(_BYTEA, content)


def show_text(written: str | None) -> bytes:
    """Write a `text`."""
    return _field(_TEXT, None if written is None else written.encode())


def show_json(content: bytes | None) -> bytes:
    """Write a `jsonb`, from JSON as text."""
    return _field(_JSON, None if content is None else b"\x01" + content)


def show_id(number: UUID | uuid_utils.UUID | None) -> bytes:
    """Write a `uuid`."""
    return _field(_ID, None if number is None else number.bytes)


def show_time(moment: datetime | None) -> bytes:
    """Write a `timestamptz`."""
    return _field(_TIME, None if moment is None else _INT64((moment - _EPOCH) // timedelta(microseconds=1)))


def show_bigs(values: Iterable[int]) -> bytes:
    """Write a `bigint[]`."""
    return _show_list(_BIGINT, [*map(_INT64, values)])


def show_smalls(values: Iterable[int]) -> bytes:
    """Write a `smallint[]`: seats and cards of Fantasyland, of which the same come again and again."""
    return _show_smalls(tuple(values))


def show_flags(values: Iterable[bool]) -> bytes:
    """Write a `boolean[]`."""
    return _show_flags(tuple(values))


def show_texts(texts: Iterable[str]) -> bytes:
    """Write a `text[]`."""
    return _show_list(_TEXT, [text.encode() for text in texts])


@lru_cache(maxsize=1024)
def _show_smalls(values: tuple[int, ...]) -> bytes:
    return _show_list(_SMALLINT, [*map(_INT16, values)])


@lru_cache(maxsize=64)
def _show_flags(values: tuple[bool, ...]) -> bytes:
    return _show_list(_BOOLEAN, [b"\1" if value else b"\0" for value in values])


def _field(type_: int, content: bytes | None) -> bytes:
    return _FIELD(type_, -1) if content is None else _FIELD(type_, len(content)) + content


def _show_list(type_: int, elements: Sequence[bytes]) -> bytes:
    """Write an array of one dimension, which counts from 1."""
    content = b"".join([_LENGTH(len(element)) + element for element in elements])
    return _field(_ARRAY_OF[type_], _ARRAY(1, 0, type_, len(elements), 1) + content)
