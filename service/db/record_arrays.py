"""
Arrays of records in PostgreSQL's binary format, for statements that insert many records.

A field of a record is its type, its length and its bytes. Each function encodes fields of one PostgreSQL type.
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

from service.db import Transaction
from service.db.pipeline import Encoded

_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_FIELD: Final = Struct(">Ii").pack
_LENGTH: Final = Struct(">i").pack
_COUNT_BYTES: Final = 4
_RECORD: Final = Struct(">ii").pack
_ARRAY: Final = Struct(">iiIii").pack
_ARRAY_BYTES: Final = 20
_BOOLEAN, _BYTEA, _BIGINT, _SMALLINT, _INTEGER, _TEXT = 16, 17, 20, 21, 23, 25
_TIME, _ID, _JSON = 1184, 2950, 3802
_ARRAY_OF: Final = {_BOOLEAN: 1000, _SMALLINT: 1005, _TEXT: 1009, _BIGINT: 1016}
"""The numbers of PostgreSQL's own types."""

_A_SMALL: Final = partial(Struct(">ih").pack, 2)
_A_BIG: Final = partial(Struct(">iq").pack, 8)
_A_FLAG: Final = partial(Struct(">i?").pack, 1)
_A_TIME: Final = partial(Struct(">Iiq").pack, _TIME, 8)
_AN_ID: Final = _FIELD(_ID, 16)
_NO_TEXT, _NO_JSON, _NO_ID, _NO_TIME = (_FIELD(type_, -1) for type_ in (_TEXT, _JSON, _ID, _TIME))

_FIND_TYPES: Final = text("""
    SELECT relname, reltype FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relname IN :names
""").bindparams(bindparam("names", expanding=True))


def incoming(table: str) -> str:
    """Return the name of the record type with the given columns of a table."""
    return f"incoming_{table}"


def find_types(transaction: Transaction, tables: Mapping[str, str]) -> Mapping[str, int]:
    """
    Return the numbers of the types `incoming_…` of some tables.

    They are the types of temporary tables, which stay empty. A connection creates them once.
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


def show_records(type_: int, columns: str, records: Sequence[bytes]) -> Encoded:
    """
    Encode an array of records.

    Args:
        type_: the number of their type.
        columns: the columns of the type.
        records: the encoded fields of each record, in the order of the columns.
    """
    # A record is its length and the number of its fields, and then the fields.
    heads = map(_RECORD, map(_COUNT_BYTES.__add__, map(len, records)), repeat(columns.count(",") + 1))
    return Encoded(
        _ARRAY(1, 0, type_, len(records), 1) + b"".join(chain.from_iterable(zip(heads, records, strict=True)))
    )


show_small: Final = partial(Struct(">Iih").pack, _SMALLINT, 2)
"""Encode a `smallint`."""

show_integer: Final = partial(Struct(">Iii").pack, _INTEGER, 4)
"""Encode an `integer`."""

show_big: Final = partial(Struct(">Iiq").pack, _BIGINT, 8)
"""Encode a `bigint`."""

show_flag: Final = partial(Struct(">Ii?").pack, _BOOLEAN, 1)
"""Encode a `boolean`."""

NO_INTEGER: Final = _FIELD(_INTEGER, -1)
NO_BIG: Final = _FIELD(_BIGINT, -1)
"""NULL as an `integer` or a `bigint`."""


def show_bytes(content: bytes) -> bytes:
    r"""
    Encode a `bytea`.

    >>> show_bytes(b"ab")
    b'\x00\x00\x00\x11\x00\x00\x00\x02ab'
    """
    return _FIELD(_BYTEA, len(content)) + content


def show_text(written: str | None) -> bytes:
    """Encode a `text`."""
    if written is None:
        return _NO_TEXT
    content = written.encode()
    return _FIELD(_TEXT, len(content)) + content


def show_json(content: bytes | None) -> bytes:
    """Encode a `jsonb` from JSON text."""
    return _NO_JSON if content is None else _FIELD(_JSON, len(content) + 1) + b"\x01" + content


def show_id(number: UUID | uuid_utils.UUID | None) -> bytes:
    """Encode a `uuid`."""
    return _NO_ID if number is None else _AN_ID + number.bytes


def show_time(moment: datetime | None) -> bytes:
    """Encode a `timestamptz`."""
    return _NO_TIME if moment is None else _A_TIME((moment - _EPOCH) // timedelta(microseconds=1))


def show_bigs(values: Sequence[int]) -> bytes:
    """Encode a `bigint[]`."""
    return _list_head(_BIGINT, len(values), 8) + b"".join([_A_BIG(value) for value in values])


def show_smalls(values: Iterable[int]) -> bytes:
    """Encode a `smallint[]`. Results are cached, because the same lists of seats and cards are frequent."""
    return _show_smalls(tuple(values))


def show_flags(values: Iterable[bool]) -> bytes:
    """Encode a `boolean[]`."""
    return _show_flags(tuple(values))


def show_texts(texts: Iterable[str]) -> bytes:
    """Encode a `text[]`."""
    elements = [text.encode() for text in texts]
    content = b"".join([_LENGTH(len(element)) + element for element in elements])
    return _FIELD(_ARRAY_OF[_TEXT], _ARRAY_BYTES + len(content)) + _ARRAY(1, 0, _TEXT, len(elements), 1) + content


@lru_cache(maxsize=1024)
def _show_smalls(values: tuple[int, ...]) -> bytes:
    return _list_head(_SMALLINT, len(values), 2) + b"".join([_A_SMALL(value) for value in values])


@lru_cache(maxsize=64)
def _show_flags(values: tuple[bool, ...]) -> bytes:
    return _list_head(_BOOLEAN, len(values), 1) + b"".join([_A_FLAG(value) for value in values])


@lru_cache(maxsize=64)
def _list_head(type_: int, count: int, width: int) -> bytes:
    """Encode the head of a one-dimensional array with elements of `width` bytes."""
    return _FIELD(_ARRAY_OF[type_], _ARRAY_BYTES + count * (4 + width)) + _ARRAY(1, 0, type_, count, 1)
