"""One club per transaction: row-level security hides the records of other clubs."""

import re
from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from migrations.privileges import SERVICE_PRIVILEGES
from service.db import SERVICE_ROLE
from tests.support.database.owned_database import SERVERS, Filled, filled_database, tables_of

# Whoever makes clubs and keys sees them all: the owner of the tables finds a club by its name and a key by its prefix.
SEEN_BY_THE_OWNER = {"clubs", "api_keys"}


@pytest.fixture(scope="module", params=SERVERS)
def filled(request: pytest.FixtureRequest) -> Iterator[Filled]:
    with filled_database(request.getfixturevalue(f"{request.param}_postgres")) as database:
        yield database


@pytest.fixture
def service(filled: Filled) -> Iterator[psycopg.Connection]:
    with psycopg.connect(filled.logins.service) as connection:
        yield connection
        connection.rollback()


def club_column(table: str) -> sql.Identifier:
    return sql.Identifier("id" if table == "clubs" else "club_id")


def set_club(connection: psycopg.Connection, club_id: UUID | None) -> None:
    connection.execute("SELECT set_config('ofc.club', %s, true)", [str(club_id or "")])


def clubs_seen(connection: psycopg.Connection, table: str) -> set[UUID]:
    query = sql.SQL("SELECT DISTINCT {} FROM {}").format(club_column(table), sql.Identifier(table))
    return {club for (club,) in connection.execute(query)}


def test_every_table_has_a_club_and_forced_row_level_security(filled: Filled) -> None:
    with psycopg.connect(filled.admin) as admin:
        for table in tables_of(filled.admin):
            enabled, forced = admin.execute(
                "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s::regclass", [table]
            ).fetchone() or (False, False)
            assert enabled, f"{table} has no row-level security"
            assert forced, f"{table} lets its owner see every club"
            assert clubs_seen(admin, table) == {filled.home, filled.away}, f"{table} is not filled for both clubs"


def test_a_transaction_sees_its_own_club_in_every_table(filled: Filled, service: psycopg.Connection) -> None:
    for club in (filled.home, filled.away):
        set_club(service, club)
        assert {table: clubs_seen(service, table) for table in tables_of(filled.admin)} == {
            table: {club} for table in tables_of(filled.admin)
        }


def test_no_rows_are_visible_without_a_club(filled: Filled, service: psycopg.Connection) -> None:
    for step in ("never set", "set to nothing"):
        for table in tables_of(filled.admin):
            assert clubs_seen(service, table) == set(), (table, step)
        set_club(service, None)


def test_the_owner_of_the_tables_sees_one_club_too(filled: Filled) -> None:
    with psycopg.connect(filled.logins.owner) as owner:
        for table in set(tables_of(filled.admin)) - SEEN_BY_THE_OWNER:
            assert clubs_seen(owner, table) == set(), table
        set_club(owner, filled.home)
        for table in set(tables_of(filled.admin)) - SEEN_BY_THE_OWNER:
            assert clubs_seen(owner, table) == {filled.home}, table


def test_rows_of_another_club_or_of_none_cannot_be_written(filled: Filled, service: psycopg.Connection) -> None:
    for table in tables_of(filled.admin):
        row = row_of(filled, table)
        for club in (None, filled.away):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                copy_row(service, club, table, row)
        if "INSERT" in SERVICE_PRIVILEGES[table]:
            # Under its own club the row is refused only because it is there already.
            with pytest.raises(psycopg.errors.IntegrityError):
                copy_row(service, filled.home, table, row)


def copy_row(connection: psycopg.Connection, club_id: UUID | None, table: str, row: object) -> None:
    name = sql.Identifier(table)
    copy = sql.SQL("INSERT INTO {} SELECT (jsonb_populate_record(NULL::{}, %s)).*").format(name, name)
    with connection.transaction():
        set_club(connection, club_id)
        connection.execute(copy, [Jsonb(row)])


def changes_of(table: str) -> list[str]:
    """Return every statement that the service can change or delete rows of a table with, without a filter."""
    privileges = SERVICE_PRIVILEGES[table]
    columns = re.search(r"UPDATE \(([^)]+)\)", privileges)
    changes = [f"UPDATE {table} SET {name} = {name}" for name in columns[1].split(", ")] if columns else []
    return changes + ([f"DELETE FROM {table}"] if "DELETE" in privileges else [])


def test_a_change_without_a_club_filter_never_changes_another_club(filled: Filled, service: psycopg.Connection) -> None:
    tables = tables_of(filled.admin)
    assert {"round_heads", "api_keys", "players", "jobs"} <= {table for table in tables if changes_of(table)}
    for table in tables:
        for change in changes_of(table):
            for club, expected in ((None, set()), (filled.home, {filled.home})):
                set_club(service, club)
                changed = service.execute(f"{change} RETURNING club_id".encode()).fetchall()
                assert {club_id for (club_id,) in changed} == expected, change
                service.rollback()
            set_club(service, filled.home)
            assert service.execute(f"{change} WHERE club_id = %s".encode(), [filled.away]).rowcount == 0, change
            service.rollback()


@pytest.mark.parametrize(
    "change", ["UPDATE round_heads SET stacks = stacks", "UPDATE api_keys SET last_used_at = now()"]
)
def test_changes_are_limited_to_the_own_club(filled: Filled, service: psycopg.Connection, change: str) -> None:
    set_club(service, None)
    assert service.execute(change.encode()).rowcount == 0
    set_club(service, filled.home)
    mine = service.execute(change.encode()).rowcount
    assert mine > 0
    assert service.execute(f"{change} WHERE club_id = %s".encode(), [filled.away]).rowcount == 0


def test_the_role_of_the_service_owns_nothing_and_bypasses_nothing(filled: Filled) -> None:
    with psycopg.connect(filled.admin) as admin:
        owned = admin.execute(
            "SELECT classid::regclass, objid FROM pg_shdepend"
            " WHERE refobjid = %s::regrole AND deptype = 'o' AND dbid IN (0, (SELECT oid FROM pg_database"
            " WHERE datname = current_database()))",
            [SERVICE_ROLE],
        ).fetchall()
        assert owned == []
        mighty = admin.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication FROM pg_roles"
            " WHERE rolname = %s",
            [SERVICE_ROLE],
        ).fetchone()
        assert mighty == (False,) * 5
        memberships = admin.execute("SELECT 1 FROM pg_auth_members WHERE member = %s::regrole", [SERVICE_ROLE])
        assert memberships.fetchall() == []


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE more (id uuid)",
        "CREATE FUNCTION more() RETURNS int LANGUAGE sql RETURN 1",
        "ALTER TABLE hands DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
        "DROP TABLE hands",
        "UPDATE alembic_version SET version_num = '9999'",
    ],
)
def test_the_service_cannot_create_or_disable_anything(service: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        service.execute(statement.encode())


def row_of(filled: Filled, table: str) -> object:
    """Return a row of the club `home` as JSON."""
    with psycopg.connect(filled.admin) as admin:
        query = sql.SQL("SELECT to_jsonb(found) FROM {} AS found WHERE {} = %s LIMIT 1")
        row = admin.execute(query.format(sql.Identifier(table), club_column(table)), [filled.home]).fetchone()
    assert row is not None
    return row[0]
