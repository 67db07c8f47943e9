"""Parse rows of COPY's binary format as NumPy arrays."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_HEADER: Final = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_TRAILER: Final = b"\xff\xff"
NULL: Final = -1
"""The length of a NULL value."""

Rows = NDArray[Any]
"""Rows with a field for each column, in PostgreSQL's binary representation."""

ID: Final = "S16"
SMALL: Final = ">i2"
INTEGER: Final = ">i4"
BIG: Final = ">i8"
FLAG: Final = "?"
BYTE: Final = "u1"


class Column(NamedTuple):
    """
    A column with values of a fixed size.

    Attributes:
        name: the name of its field.
        kind: the NumPy type of one value.
        values: the length of a list; None if the column is not a list.
        size: the size of a `bytea`, 0 if it is always NULL; None if the column is not a `bytea`.
    """

    name: str
    kind: str
    values: int | None = None
    size: int | None = None


def split_rows(messages: Sequence[bytes]) -> list[bytes]:
    """
    Return the rows of the messages of a binary COPY, one message for each row.

    >>> split_rows([_HEADER + b"one", b"two", _TRAILER]), split_rows([_HEADER + _TRAILER])
    ([b'one', b'two'], [])
    """
    rows = [messages[0].removeprefix(_HEADER), *messages[1:]]
    rows[-1] = rows[-1].removesuffix(_TRAILER)
    return [row for row in rows if row]


def by_length(rows: Iterable[bytes]) -> dict[int, list[bytes]]:
    """Group rows by length."""
    sorted_rows: dict[int, list[bytes]] = defaultdict(list)
    for row in rows:
        sorted_rows[len(row)].append(row)
    return sorted_rows


def row_type(columns: Sequence[Column]) -> np.dtype[Any]:
    """
    Return the NumPy type of rows with these columns.

    >>> row_type([Column("number", INTEGER), Column("stacks", BIG, 3)]).itemsize
    70
    """
    fields: list[tuple[Any, ...]] = [("", ">i2")]
    for column in columns:
        fields.append((f"{column.name} length", ">i4"))
        if column.values is not None:
            fields.append((f"{column.name} list", ">i4", (5,)))
            fields.append((column.name, [("length", ">i4"), ("value", column.kind)], (column.values,)))
        elif column.size is not None:
            fields.append((column.name, column.kind, (column.size,)))
        else:
            fields.append((column.name, column.kind))
    return np.dtype(fields)


def read_rows(rows: Sequence[bytes], columns: Sequence[Column]) -> Rows:
    """Parse rows of these columns, without validating them."""
    return np.frombuffer(b"".join(rows), row_type(columns))


def read_regular(rows: Sequence[bytes], columns: Sequence[Column]) -> Rows:
    """
    Parse rows that have exactly these columns, and no NULL.

    >>> read_regular([bytes.fromhex("0001 00000002 0007")], [Column("seat", SMALL)])["seat"].tolist()
    [7]

    Raises:
        ValueError: a row has another layout.
    """
    size = row_type(columns).itemsize
    if {size}.union(map(len, rows)) != {size}:
        raise ValueError(f"a row has not the {size} bytes of its columns")
    read = read_rows(rows, columns)
    if not are_regular(read, columns).all():
        raise ValueError("a row is not laid out as its columns are")
    return read


def are_regular(rows: Rows, columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Return for each row whether it has these columns, and is not only as long as rows that have."""
    regular: NDArray[np.bool_] = rows["f0"] == len(columns)
    for column in columns:
        size = np.dtype(column.kind).itemsize
        if column.values is not None:
            regular &= rows[f"{column.name} length"] == 20 + column.values * (4 + size)
            dimensions, nulls, _, length, first = rows[f"{column.name} list"].T
            regular &= (dimensions == 1) & (nulls == 0) & (length == column.values) & (first == 1)
            regular &= (rows[column.name]["length"] == size).all(axis=1)
        else:
            length = size if column.size is None else column.size or NULL
            regular &= rows[f"{column.name} length"] == length
    return regular


def values(rows: Rows, name: str, kind: Any = np.int64) -> NDArray[Any]:
    """Return the values of a column; lists become the second dimension."""
    column = rows[name]
    if column.dtype.names:
        column = column["value"]
    return column.astype(kind)
