"""
Results of queries as NumPy arrays, read through ADBC.

ADBC opens a connection of its own. It has the snapshot, the role and the settings of a transaction, so that both see
the same records; what the transaction has written and not committed is invisible there.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import adbc_driver_manager
import adbc_driver_postgresql
import nanoarrow
import numpy as np
import psycopg
from adbc_driver_manager import AdbcConnection, AdbcDatabase, AdbcStatement, AdbcStatusCode
from nanoarrow.c_array import CArray
from numpy.typing import NDArray
from psycopg.conninfo import make_conninfo
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.db.transactions import Transaction

_OPTIONS: Final = {
    # A result is one array for each column.
    "adbc.postgresql.batch_size_hint_bytes": str(1 << 40),
    # An error in the middle of a COPY would have no SQLSTATE.
    "adbc.postgresql.use_copy": "false",
}
_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# The view lists neither the club nor the role, which comes last, because it may not be allowed to set the rest.
_SHARED: Final = text("""
    SELECT pg_export_snapshot() AS snapshot, array_agg(ARRAY[name, value]) AS settings FROM (
        SELECT name, current_setting(name) AS value FROM pg_settings
        WHERE source = 'session' AND NOT starts_with(name, 'transaction_')
        UNION ALL SELECT name, current_setting(name)
        FROM unnest(ARRAY['ofc.club', 'ofc.table', 'ofc.round', 'ofc.player', 'role']) AS name
    ) AS settings
""")
_SET: Final = (
    "SELECT set_config(name, value, true) FROM unnest(%(names)s::text[], %(values)s::text[]) AS set (name, value)"
)


class Lists:
    """
    A column of lists, or of texts and `bytea`, whose values are their bytes; NULL is an empty list.

    Attributes:
        values: the values of all lists, one list after the other.
        lengths: the number of values of each list.
        have_null: for each list, whether one of its values is NULL.
    """

    def __init__(self, column: CArray) -> None:
        view = column.view()
        self._offsets = np.asarray(view.buffer(1))
        self.lengths = np.diff(self._offsets).astype(np.int64)
        self.have_null = np.zeros(len(column), np.bool_)
        if view.storage_type != "list":
            self.values = np.asarray(view.buffer(2))
            return
        inner = column.child(0).view()
        self.values = _values(inner)
        if inner.null_count:
            is_null = ~_bits(inner.buffer(0), len(inner))
            self.have_null[np.repeat(np.arange(len(column)), self.lengths)[is_null]] = True

    def values_of(self, which: NDArray[np.bool_]) -> NDArray[Any]:
        """Return the values of some lists, one list after the other."""
        return self.values if which.all() else self.values[np.repeat(which, self.lengths)]

    def to_bytes(self) -> list[bytes]:
        """Return each text or `bytea`."""
        joined = self.values.tobytes()
        return [joined[start:end] for start, end in pairwise(self._offsets.tolist())]


class Columns:
    """The columns of a result, by name; arrays that view what ADBC has received."""

    def __init__(self, stream: Any) -> None:
        arrays = nanoarrow.c_array_stream(stream)
        schema = arrays.get_schema()
        [rows] = list(arrays) or [nanoarrow.c_array([], schema)]
        # A child's own view holds its memory, which a child of a view does not.
        self._columns = dict(zip((child.name for child in schema.children), rows.children, strict=True))

    def values(self, name: str) -> NDArray[Any]:
        """
        Return the values of a column without lists: numbers, booleans, or UUIDs of 16 bytes.

        Raises:
            ValueError: a value is NULL.
        """
        view = self._columns[name].view()
        if view.null_count:
            raise ValueError(f"the column {name} has a NULL")
        return _values(view)

    def lists(self, name: str) -> Lists:
        """Return the lists, texts or `bytea` of a column."""
        return Lists(self._columns[name])

    def tuples(self) -> Iterator[tuple[bytes, ...]]:
        """Yield the rows of a result whose columns are all texts or `bytea`; NULL is empty."""
        yield from zip(*(self.lists(name).to_bytes() for name in self._columns), strict=True)


class ArrayReader:
    """Runs queries on the connection of ADBC."""

    def __init__(self, connection: AdbcConnection, parameters: "psycopg.ClientCursor[Any]") -> None:
        self._connection = connection
        self._parameters = parameters

    def query(self, query: str, parameters: Mapping[str, Any]) -> Columns:
        """Run a query, with parameters as psycopg writes them, and return its columns."""
        with AdbcStatement(self._connection) as statement:
            statement.set_options(**_OPTIONS)
            # With parameters of its own, ADBC would run the query once for each row of them.
            statement.set_sql_query(self._parameters.mogrify(query, parameters))
            stream, _ = statement.execute_query()
            return Columns(stream)

    @contextmanager
    def stream(self, query: str, parameters: Mapping[str, Any]) -> Iterator[Any]:
        """Run a query, and yield its rows as a stream of Arrow arrays, which are received as they are read."""
        with AdbcStatement(self._connection) as statement:
            statement.set_sql_query(self._parameters.mogrify(query, parameters))
            stream, _ = statement.execute_query()
            try:
                yield stream
            except Exception as error:
                if "[libpq]" not in str(error):
                    raise
                # A library that reads Arrow arrays knows nothing of PostgreSQL's errors.
                raise adbc_driver_manager.OperationalError(str(error), status_code=AdbcStatusCode.IO) from None


@contextmanager
def read_arrays(transaction: Transaction, **settings: str) -> Iterator[ArrayReader]:
    """
    Open a connection of ADBC that sees what a transaction sees.

    Args:
        transaction: must not have an open savepoint.
        settings: further settings of the connection.

    Raises:
        DBAPIError: as the statements of a transaction.
    """
    shared = transaction.execute(_SHARED).one()
    driver: Any = transaction.connection.connection.driver_connection
    names, values = zip(*settings.items(), *shared.settings, strict=True)
    with _raising_as_psycopg(), AdbcConnection(_database(_address(driver))) as connection:
        reader = ArrayReader(connection, psycopg.ClientCursor(driver))
        reader.query(_BEGIN, {})
        reader.query("SET TRANSACTION SNAPSHOT %(snapshot)s", {"snapshot": shared.snapshot})
        reader.query(_SET, {"names": [*names], "values": [*values]})
        yield reader


def _address(driver: "psycopg.Connection[Any]") -> str:
    """Return how to connect to the server that a connection has found, if there are several."""
    info = driver.info
    address = {"host": info.host, "hostaddr": info.hostaddr, "port": info.port, "password": info.password}
    parameters: dict[str, Any] = info.get_parameters() | {name: value for name, value in address.items() if value}
    return make_conninfo(**parameters)


@lru_cache(maxsize=4)
def _database(address: str) -> AdbcDatabase:
    """Return a database of ADBC, which reads the types of PostgreSQL once; it holds no connection."""
    database: AdbcDatabase = adbc_driver_postgresql.connect(address)
    return database


@contextmanager
def _raising_as_psycopg() -> Iterator[None]:
    """Raise the errors of ADBC as SQLAlchemy raises those of psycopg."""
    try:
        yield
    except adbc_driver_manager.Error as error:
        kind = psycopg.errors.lookup(error.sqlstate) if error.sqlstate else psycopg.OperationalError
        # The rest of the message can have the query with its parameters.
        reason = kind(str(error).partition("ERROR:  ")[2].splitlines()[0] if "ERROR:  " in str(error) else str(error))
        explained = DBAPIError.instance(None, None, reason, psycopg.Error, hide_parameters=True)
        raise explained from None


def _values(view: Any) -> NDArray[Any]:
    """Return the values of a view, as an array that holds its memory."""
    values = view.buffer(1)
    return _bits(values, len(view)) if view.storage_type == "bool" else np.asarray(values)


def _bits(buffer: Any, count: int) -> NDArray[np.bool_]:
    """Unpack booleans, which are bits."""
    return np.unpackbits(np.frombuffer(buffer, np.uint8), count=count, bitorder="little").view(np.bool_)
