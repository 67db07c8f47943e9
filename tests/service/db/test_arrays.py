"""Results of queries as NumPy arrays: what they are, and what the connection of ADBC sees."""

import gc
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import make_url, text

from service.database_errors import DatabaseUnreachable
from service.db import Database, Transaction
from service.db.arrays import read_arrays
from service.errors import ServiceError, StatementTimeout
from tests.support.database.insert_records import add_club, add_table
from tests.support.database.poolers import NO_PGBOUNCER, PGBOUNCER, options_dropped, pgbouncer
from tests.support.database.postgres import Logins, text_of

NEEDS_PGBOUNCER = pytest.mark.skipif(PGBOUNCER is None, reason=NO_PGBOUNCER)
POOLERS = ["options dropped", *(pytest.param(mode, marks=NEEDS_PGBOUNCER) for mode in ("session", "transaction"))]
ROLE = "SELECT current_user::text, current_setting('statement_timeout') AS timeout, current_setting('ofc.club') AS club"
TABLES = "SELECT name FROM tables"


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


@pytest.fixture
def reading(database: Database, club_id: UUID) -> Iterator[Transaction]:
    with database.reading(club_id) as transaction:
        yield transaction


def rows(transaction: Transaction, query: str, **parameters: object) -> list[tuple[bytes, ...]]:
    with read_arrays(transaction) as arrays:
        return list(arrays.query(query, parameters).tuples())


def test_values_and_lists_are_arrays_that_outlive_the_connection(reading: Transaction) -> None:
    query = """
        SELECT n::smallint, n * 10000000000 AS big, n > 2 AS flag, lpad(n::text, 32, '0')::uuid AS id,
            array_fill(n, ARRAY[n]) AS list, array_fill(n > 2, ARRAY[n]) AS flags, repeat('x', n) AS text
        FROM generate_series(1, %(most)s) AS n ORDER BY n
    """
    with read_arrays(reading) as arrays:
        columns = arrays.query(query, {"most": 3})
    numbers, lists, flags = columns.values("n"), columns.lists("list"), columns.lists("flags").values
    ids, texts = columns.values("id"), columns.lists("text").to_bytes()
    assert (columns.values("big").tolist(), columns.values("flag").tolist()) == (
        [10**10, 2 * 10**10, 3 * 10**10],
        [0, 0, 1],
    )
    del columns
    gc.collect()
    others = [np.ones(9, np.int16) for _ in range(1000)]
    assert (numbers.dtype, numbers.tolist(), len(others)) == (np.int16, [1, 2, 3], 1000)
    assert (lists.lengths.tolist(), lists.values.tolist()) == ([1, 2, 3], [1, 2, 2, 3, 3, 3])
    assert lists.values_of(np.array([True, False, True])).tolist() == [1, 3, 3, 3]
    assert not numbers.flags.owndata
    assert not lists.values.flags.owndata
    assert (flags.tolist(), texts) == ([False] * 3 + [True] * 3, [b"x", b"xx", b"xxx"])
    assert ids[2].ljust(16, b"\0") == UUID(int=3).bytes


def test_a_result_can_be_empty(reading: Transaction) -> None:
    with read_arrays(reading) as arrays:
        columns = arrays.query("SELECT 1 AS n, ARRAY[1] AS list WHERE false", {})
    assert (len(columns.values("n")), len(columns.lists("list").values)) == (0, 0)
    assert rows(reading, "SELECT '' WHERE false") == []


def test_null_is_an_error_among_values_and_empty_among_lists(reading: Transaction) -> None:
    with read_arrays(reading) as arrays:
        columns = arrays.query("SELECT NULL::integer AS n, NULL::integer[] AS none, ARRAY[1, NULL] AS list", {})
    with pytest.raises(ValueError, match="the column n has a NULL"):
        columns.values("n")
    assert columns.lists("none").lengths.tolist() == [0]
    assert (columns.lists("list").lengths.tolist(), columns.lists("list").have_null.tolist()) == ([2], [True])


def test_the_connection_has_the_role_the_club_and_the_settings_of_the_transaction(
    database: Database, logins: Logins, reading: Transaction
) -> None:
    with database.transaction(add_club(logins.owner, "another")) as transaction:
        add_table(transaction, name="not visible")
    reading.execute(text("SELECT set_config('statement_timeout', '7s', true)"))
    assert rows(reading, ROLE) == [(b"ofc_service", b"7s", str(reading.club_id).encode())]
    assert rows(reading, TABLES) == []


def test_both_connections_see_the_same_snapshot(database: Database, club_id: UUID) -> None:
    with database.reading(club_id) as before:
        before.execute(text("SELECT 1"))
        with database.transaction(club_id) as transaction:
            add_table(transaction, name="later")
            assert rows(transaction, TABLES) == []
        assert rows(before, TABLES) == []
    with database.reading(club_id) as after:
        assert rows(after, TABLES) == [(b"later",)]


def test_errors_are_those_of_the_service(database: Database, club_id: UUID) -> None:
    expected: dict[str, type[ServiceError]] = {
        "SELECT pg_sleep(9)::text FROM generate_series(1, 9)": StatementTimeout,
        "SELECT pg_terminate_backend(pg_backend_pid())": DatabaseUnreachable,
    }
    for query, kind in expected.items():
        with pytest.raises(kind):
            read_quickly(database, club_id, query)


def read_quickly(database: Database, club_id: UUID, query: str) -> None:
    with database.reading(club_id) as transaction:
        transaction.execute(text("SELECT set_config('statement_timeout', '100ms', true)"))
        rows(transaction, query)


@pytest.mark.thorough
@pytest.mark.parametrize("login", ["owner", "service"])
@pytest.mark.parametrize("pooler", POOLERS)
def test_arrays_are_read_through_a_pooler(tmp_path: Path, logins: Logins, pooler: str, login: str) -> None:
    club_id = add_club(logins.owner)
    opened = options_dropped(logins) if pooler == "options dropped" else pgbouncer(tmp_path, logins, pooler)
    with opened as pooled:
        database = Database(getattr(pooled, login))
        with database.reading(club_id) as transaction:
            assert rows(transaction, ROLE) == [(b"ofc_service", b"30s", str(club_id).encode())]
        database.close()


def test_the_url_can_name_several_servers(logins: Logins, club_id: UUID) -> None:
    url = make_url(logins.service)
    host, port = url.host or url.query["host"], url.port or url.query.get("port", "5432")
    several = url.set(host=None, port=None).update_query_dict({"host": f"127.0.0.1,{host}", "port": f"1,{port}"})
    database = Database(text_of(several))
    with database.reading(club_id) as transaction:
        assert rows(transaction, ROLE) == [(b"ofc_service", b"30s", str(club_id).encode())]
    database.close()
