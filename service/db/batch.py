"""Write records of several tables with one statement, so that constraints and triggers check all of them together."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, partial
from itertools import chain, repeat
from operator import attrgetter
from struct import Struct
from typing import Any, Final
from uuid import UUID

import uuid_utils
from sqlalchemy import Table, text

from service.db.base import Base
from service.db.pipeline import RECORD_TYPES, Encoded, Row, Statement
from service.db.transactions import Transaction
from service.errors import DatabaseAltered, ServiceError

Record = Mapping[str, Any]
"""A record: a value for every column of its table, by name."""

_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
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
_BIG: Final = Struct(">q").pack
_EIGHT: Final = Struct(">i").pack(8)
_A_FLAG: Final = partial(Struct(">i?").pack, 1)
_A_TIME: Final = partial(Struct(">Iiq").pack, _TIME, 8)
_AN_ID: Final = _FIELD(_ID, 16)

_READ_TYPES: Final = Statement(
    text("""
        SELECT CAST(relname AS text) AS name, CAST(reltype AS bigint) AS number,
            array_agg(CAST(attname AS text) ORDER BY attnum) AS columns,
            array_agg(CAST(atttypid AS bigint) ORDER BY attnum) AS types
        FROM unnest(CAST(:tables AS text[])) AS wanted (name)
        JOIN pg_class ON pg_class.oid = to_regclass(wanted.name)
        JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
        GROUP BY relname, reltype
    """)
)


def encode_records(transaction: Transaction, table: Table, records: Sequence[Record]) -> Encoded:
    """
    Encode records of a table as an array.

    Raises:
        DatabaseAltered: the table lacks a column, or a column has an unknown type.
    """
    types: _RecordTypes | None = transaction.pipeline.connection.info.get(RECORD_TYPES)
    if types is None or table.name not in types.described:
        tables = {"tables": [*Base.metadata.tables]}
        types = _RecordTypes({found["name"]: found for found in transaction.query(_READ_TYPES, tables)})
        transaction.pipeline.connection.info[RECORD_TYPES] = types
    return types.find(table).encode(records)


class _RecordTypes:
    """The record types of a connection's database, each built when it is first used."""

    def __init__(self, described: Mapping[str, Row]) -> None:
        self.described = described
        self._built: dict[str, _RecordType] = {}

    def find(self, table: Table) -> "_RecordType":
        if table.name not in self._built:
            self._built[table.name] = _RecordType(table, self.described.get(table.name))
        return self._built[table.name]


class _RecordType:
    """The record type of a table."""

    def __init__(self, table: Table, described: Row | None) -> None:
        types = dict(zip(described["columns"], described["types"], strict=True)) if described else {}
        altered = [name for name in _names(table) if types.get(name) not in _ENCODERS]
        if described is None or altered:
            raise DatabaseAltered(
                f"The table {table.name} differs from that of this release: "
                + (f"expected a column {altered[0]} of a known type." if described else "it does not exist.")
            )
        self._number: int = described["number"]
        # A newer migration can have added columns; they get their default value.
        self._added = dict.fromkeys(name for name in types if name not in _names(table))
        self._columns = [(name, _FIELD(type_, -1), _ENCODERS.get(type_, _refuse)) for name, type_ in types.items()]

    def encode(self, records: Sequence[Record]) -> Encoded:
        if self._added:
            records = [{**self._added, **record} for record in records]
        fields = [
            _encode_column(encode, null, [record[name] for record in records]) for name, null, encode in self._columns
        ]
        encoded = list(map(b"".join, zip(*fields, strict=True)))
        # A record is its length and the number of its fields, and then the fields.
        heads = map(_RECORD, map(_COUNT_BYTES.__add__, map(len, encoded)), repeat(len(fields)))
        head = _ARRAY(1, 0, self._number, len(encoded), 1)
        return Encoded(head + b"".join(chain.from_iterable(zip(heads, encoded, strict=True))))


def _encode_column(encode: Callable[[Any], bytes], null: bytes, values: Sequence[Any]) -> list[bytes]:
    """Encode the values of a column. Neighbours are often the same object, which is encoded once."""
    fields = []
    last, field = None, null
    for value in values:
        if value is not last:
            last = value
            field = null if value is None else encode(value)
        fields.append(field)
    return fields


def _names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def _refuse(value: object) -> bytes:
    raise TypeError(f"{value!r} is for a column that this release does not know")


def encode_bytes(content: bytes) -> bytes:
    r"""
    Encode a `bytea`: the number of its type, its length and its bytes, as every field of a record.

    >>> encode_bytes(b"ab")
    b'\x00\x00\x00\x11\x00\x00\x00\x02ab'
    """
    return _FIELD(_BYTEA, len(content)) + content


def _encode_text(written: str) -> bytes:
    content = written.encode()
    return _FIELD(_TEXT, len(content)) + content


def _encode_json(content: bytes) -> bytes:
    """Encode a `jsonb` from JSON text."""
    return _FIELD(_JSON, len(content) + 1) + b"\x01" + content


def _encode_id(number: UUID | uuid_utils.UUID) -> bytes:
    return _AN_ID + number.bytes


def _encode_time(moment: datetime) -> bytes:
    return _A_TIME((moment - _EPOCH) // _MICROSECOND)


def _encode_bigs(values: Sequence[int]) -> bytes:
    # Every element is its length and its bytes.
    return _EIGHT.join([_list_head(_BIGINT, len(values), 8), *map(_BIG, values)])


def _encode_smalls(values: Iterable[int]) -> bytes:
    # Results are cached, because the same lists of seats and cards are frequent.
    return _encode_small_tuple(tuple(values))


def _encode_flags(values: Iterable[bool]) -> bytes:
    return _encode_flag_tuple(tuple(values))


def _encode_texts(texts: Iterable[str]) -> bytes:
    elements = [written.encode() for written in texts]
    content = b"".join([_LENGTH(len(element)) + element for element in elements])
    return _FIELD(_ARRAY_OF[_TEXT], _ARRAY_BYTES + len(content)) + _ARRAY(1, 0, _TEXT, len(elements), 1) + content


@lru_cache(maxsize=1024)
def _encode_small_tuple(values: tuple[int, ...]) -> bytes:
    return _list_head(_SMALLINT, len(values), 2) + b"".join([_A_SMALL(value) for value in values])


@lru_cache(maxsize=64)
def _encode_flag_tuple(values: tuple[bool, ...]) -> bytes:
    return _list_head(_BOOLEAN, len(values), 1) + b"".join([_A_FLAG(value) for value in values])


@lru_cache(maxsize=64)
def _list_head(type_: int, count: int, width: int) -> bytes:
    """Encode the head of a one-dimensional array with elements of `width` bytes."""
    return _FIELD(_ARRAY_OF[type_], _ARRAY_BYTES + count * (4 + width)) + _ARRAY(1, 0, type_, count, 1)


_ENCODERS: Final[Mapping[int, Callable[[Any], bytes]]] = {
    _BOOLEAN: partial(Struct(">Ii?").pack, _BOOLEAN, 1),
    _SMALLINT: partial(Struct(">Iih").pack, _SMALLINT, 2),
    _INTEGER: partial(Struct(">Iii").pack, _INTEGER, 4),
    _BIGINT: partial(Struct(">Iiq").pack, _BIGINT, 8),
    _BYTEA: encode_bytes,
    _TEXT: _encode_text,
    _TIME: _encode_time,
    _ID: _encode_id,
    _JSON: _encode_json,
    _ARRAY_OF[_BOOLEAN]: _encode_flags,
    _ARRAY_OF[_SMALLINT]: _encode_smalls,
    _ARRAY_OF[_TEXT]: _encode_texts,
    _ARRAY_OF[_BIGINT]: _encode_bigs,
}
"""How values are encoded, by the number of their type in PostgreSQL."""


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """
    A part of a batch's statement.

    Attributes:
        name: the name of its parameter, an array of records.
        sql: inserts or changes the records of the array.
        table: the table of the records.
    """

    name: str
    sql: str
    table: Table


@cache
def insertion(model: type[Base]) -> Part:
    """Return the part that inserts records into a table."""
    table = model.metadata.tables[model.__tablename__]
    columns, name = ", ".join(column.name for column in table.columns), table.name
    return Part(name, f"INSERT INTO {name} ({columns}) SELECT {columns} FROM unnest(CAST(:{name} AS {name}[]))", table)


@lru_cache(maxsize=256)
def _together(parts: tuple[Part, ...]) -> Statement:
    """Return the statement that has all parts."""
    *others, last = parts
    named = ", ".join(f"part_{place} AS ({part.sql})" for place, part in enumerate(others))
    return Statement(text(f"WITH {named} {last.sql}" if named else last.sql))


class Batch:
    """Collects records of several tables, and writes them with one statement in one round trip."""

    __slots__ = ("_records",)

    def __init__(self) -> None:
        self._records: defaultdict[Part, list[Record]] = defaultdict(list)

    def insert(self, model: type[Base], *records: Record) -> None:
        """Add records to be inserted into a table."""
        if records:
            self._records[insertion(model)] += records

    def add(self, part: Part, record: Record) -> None:
        """Add a record for another part."""
        self._records[part].append(record)

    def extend(self, other: "Batch") -> None:
        """Add all records of another batch."""
        for part, records in other._records.items():
            self._records[part] += records

    def write(self, transaction: Transaction, **conflicts: ServiceError) -> None:
        """
        Queue the statement, as `Transaction.write`.

        Raises:
            DatabaseAltered: a table has other columns than expected.
        """
        if not self._records:
            return
        # Always in one order, so that the same parts are the same statement.
        parts = sorted(self._records, key=attrgetter("name"))
        arrays = {part.name: encode_records(transaction, part.table, self._records[part]) for part in parts}
        transaction.write(_together(tuple(parts)), arrays, **conflicts)
