"""Write records of several tables with one statement, so that constraints and triggers check all of them together."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter

from sqlalchemy import Table, text

from service.db.base import Base
from service.db.pipeline import Statement
from service.db.record_arrays import Record, encode_records
from service.db.transactions import Transaction
from service.errors import ServiceError


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
