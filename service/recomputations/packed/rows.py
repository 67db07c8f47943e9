"""Rows of COPY's binary format as arrays: many thousands at once, without a Python object for each value."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_HEADER: Final = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_TRAILER: Final = b"\xff\xff"
NULL: Final = -1
"""The length of what is not there."""

Rows = NDArray[Any]
"""Rows whose fields are named like the columns, and hold what they hold as PostgreSQL sent it."""

ID: Final = "S16"
SMALL: Final = ">i2"
INTEGER: Final = ">i4"
BIG: Final = ">i8"
FLAG: Final = "?"
BYTE: Final = "u1"


class Column(NamedTuple):
    """
    A column whose values are all of one size.

    Attributes:
        name: what its field is called.
        kind: numpy's name for one value.
        values: how many a list has; None where the column is no list.
        size: bytes of a `bytea`, 0 where it is NULL throughout; None where it is none.
    """

    name: str
    kind: str
    values: int | None = None
    size: int | None = None


def split_rows(messages: Sequence[bytes]) -> list[bytes]:
    """
    Take the messages of a binary COPY, one for each row, for the rows alone.

    >>> split_rows([_HEADER + b"one", b"two", _TRAILER]), split_rows([_HEADER + _TRAILER])
    ([b'one', b'two'], [])
    """
    rows = [messages[0].removeprefix(_HEADER), *messages[1:]]
    rows[-1] = rows[-1].removesuffix(_TRAILER)
    return [row for row in rows if row]


def by_length(rows: Iterable[bytes]) -> dict[int, list[bytes]]:
    """Sort rows by their lengths."""
    sorted_rows: dict[int, list[bytes]] = defaultdict(list)
    for row in rows:
        sorted_rows[len(row)].append(row)
    return sorted_rows


def row_type(columns: Sequence[Column]) -> np.dtype[Any]:
    """
    Say how rows are laid out.

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
    """Read rows of the length that these columns have."""
    return np.frombuffer(b"".join(rows), row_type(columns))


def read_regular(rows: Sequence[bytes], columns: Sequence[Column]) -> Rows:
    """
    Read rows that have no other columns, and none that is empty.

    >>> read_regular([bytes.fromhex("0001 00000002 0007")], [Column("seat", SMALL)])["seat"].tolist()
    [7]

    Raises:
        ValueError: one is laid out otherwise.
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
    """Give a column, the values of lists side by side."""
    column = rows[name]
    if column.dtype.names:
        column = column["value"]
    return column.astype(kind)
