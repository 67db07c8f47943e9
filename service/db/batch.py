"""Write records of several tables with one statement, so that constraints and triggers check all of them together."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any

import orjson
import uuid_utils
from psycopg.types.json import Jsonb
from sqlalchemy import Table, text
from sqlalchemy.dialects.postgresql import JSONB

from service.db.base import Base
from service.db.pipeline import Statement
from service.db.transactions import Transaction
from service.errors import ServiceError

Record = Mapping[str, Any]
"""A record: a value for every column of its table, by name. The value of a `jsonb` column is JSON text as bytes."""


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """
    A part of a batch's statement.

    Attributes:
        name: the name of its parameter, the records as a JSON array.
        sql: inserts or changes the records of the array.
        json: the columns whose values are JSON text.
    """

    name: str
    sql: str
    json: tuple[str, ...]


def part(name: str, sql: str, table: Table) -> Part:
    """
    Return a part for records of a table.

    Args:
        name: the name of its parameter.
        sql: has `{records}` where it reads the records.
        table: the table of the records.
    """
    records = f"jsonb_populate_recordset(CAST(NULL AS {table.name}), :{name})"
    json = tuple(column.name for column in table.columns if isinstance(column.type, JSONB))
    return Part(name, sql.format(records=records), json)


@cache
def _insertion(model: type[Base]) -> Part:
    """Return the part that inserts records into a table."""
    table = model.metadata.tables[model.__tablename__]
    columns = ", ".join(column.name for column in table.columns)
    return part(table.name, f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM {{records}}", table)


@lru_cache(maxsize=256)
def _together(parts: tuple[Part, ...]) -> Statement:
    """Return the statement that has all parts."""
    *others, last = parts
    named = ", ".join(f"part_{place} AS ({each.sql})" for place, each in enumerate(others))
    return Statement(text(f"WITH {named} {last.sql}" if named else last.sql))


class Batch:
    """Collects records of several tables, and writes them with one statement in one round trip."""

    __slots__ = ("_records",)

    def __init__(self) -> None:
        self._records: defaultdict[Part, list[Record]] = defaultdict(list)

    def insert(self, model: type[Base], *records: Record) -> None:
        """Add records to be inserted into a table."""
        if records:
            self._records[_insertion(model)] += records

    def add(self, part: Part, record: Record) -> None:
        """Add a record for another part."""
        self._records[part].append(record)

    def extend(self, other: "Batch") -> None:
        """Add all records of another batch."""
        for part, records in other._records.items():
            self._records[part] += records

    def write(self, transaction: Transaction, **conflicts: ServiceError) -> None:
        """Queue the statement, as `Transaction.write`."""
        if not self._records:
            return
        # Always in one order, so that the same parts are the same statement.
        parts = tuple(sorted(self._records, key=attrgetter("name")))
        arrays = {part.name: Jsonb(_fragments(part, self._records[part]), _dump) for part in parts}
        transaction.write(_together(parts), arrays, **conflicts)


def _fragments(part: Part, records: list[Record]) -> list[Record]:
    """Return the records with their JSON text marked, so that it is part of the array as it is."""
    if not part.json:
        return records
    return [
        {**record, **{name: orjson.Fragment(record[name]) for name in part.json if record[name] is not None}}
        for record in records
    ]


def _dump(records: list[Record]) -> bytes:
    return orjson.dumps(records, _dump_value)


def _dump_value(value: object) -> str:
    r"""
    Return the text of a value that JSON has no form for, as PostgreSQL reads it.

    >>> _dump_value(b"\x00ab")
    '\\x006162'
    """
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, uuid_utils.UUID):
        return str(value)
    raise TypeError(f"{value!r} has no form in JSON")
