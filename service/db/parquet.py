"""Write Parquet files, in constant memory: from the results of queries, or from rows that the service computes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any, Final

_ROWS_AT_ONCE: Final = 100_000
"""The number of rows in a group, which is held in memory."""
_ROWS_OF_BATCH: Final = 10_000
_BLOCK: Final = 1 << 16
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_TYPES: Final = {"string": "string", "smallint": "int16", "int": "int32", "bigint": "int64", "boolean": "bool"}
"""The types of Spark, and the same of Arrow; `timestamp` is one too."""


def spool_parquet(write: Callable[[IO[bytes]], None]) -> Iterator[bytes]:
    """
    Yield the blocks of a file, which is complete before the first block.

    Args:
        write: writes the file.

    Raises:
        ImportError: the service is installed without the extra `parquet`.
    """
    with TemporaryFile() as file:
        write(file)
        file.seek(0)
        yield from iter(partial(file.read, _BLOCK), b"")


def write_stream(stream: Any, file: IO[bytes]) -> None:
    """
    Write a stream of Arrow arrays.

    Raises:
        ImportError: the service is installed without the extra `parquet`.
    """
    from arro3 import io

    io.write_parquet(stream, file, compression="snappy", max_row_group_size=_ROWS_AT_ONCE, skip_arrow_metadata=True)


def write_rows(columns: Mapping[str, str], rows: Iterable[Sequence[Any]], file: IO[bytes]) -> None:
    """
    Write rows, each with a value of every column.

    Args:
        columns: the types of the columns, by name: `string`, `smallint`, `int`, `bigint`, `boolean` or `timestamp`.
        rows: the rows; None is null.
        file: what to write to.

    Raises:
        ImportError: the service is installed without the extra `parquet`.
    """
    from arro3.core import Field, RecordBatch, RecordBatchReader, Schema

    schema = Schema([Field(name, _type_of(kind), nullable=True) for name, kind in columns.items()])
    unread: list[Exception] = []

    def read() -> Iterator[RecordBatch]:
        try:
            for batch in iter(lambda: [*islice(left, _ROWS_OF_BATCH)], []):
                arrays = map(_array_of, columns.values(), zip(*batch, strict=True))
                yield RecordBatch.from_arrays([*arrays], schema=schema)
        except Exception as error:
            # A library that reads Arrow arrays shows only the text of the error.
            unread.append(error)
            raise

    left = iter(rows)
    try:
        write_stream(RecordBatchReader.from_batches(schema, read()), file)
    except Exception:
        if unread:
            raise unread[0] from None
        raise


def _type_of(kind: str) -> Any:
    from arro3.core import DataType

    return DataType.timestamp("us", tz="UTC") if kind == "timestamp" else getattr(DataType, _TYPES[kind])()


def _array_of(kind: str, values: Sequence[Any]) -> Any:
    from arro3.core import Array, DataType

    if kind != "timestamp":
        return Array([*values], _type_of(kind))
    moments = [None if at is None else (at - _EPOCH) // _MICROSECOND for at in values]
    return Array(moments, DataType.int64()).cast(_type_of(kind))
