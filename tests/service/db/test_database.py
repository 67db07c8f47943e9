"""Transactions: commit, rollback, and errors of the connection."""

import os
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import InternalError
from uuid_utils.compat import uuid7

from service.database_errors import DatabaseUnreachable
from service.db import SERVICE_ROLE, Database, Statement, connections
from service.errors import Busy, NotFound
from service.tables import queries as tables
from tests.support.database.insert_records import add_club, add_table
from tests.support.database.postgres import Logins, text_of
from tests.support.database.recorded_statements import PING, recorded_statements

pytestmark = pytest.mark.every_server

ADD_EVENT = Statement(
    text(
        "INSERT INTO events (club_id, id, kind, at, heading, content, hash)"
        r" VALUES (:club_id, :id, 'example', now(), '', '', sha256('\x00'))"
    )
)
COUNT_EVENTS = Statement(text("SELECT count(*) AS events FROM events WHERE kind = 'example'"))


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def names_of_tables(database: Database, club_id: UUID) -> list[str]:
    with database.reading(club_id) as transaction:
        return [table.name for table in tables.list_page(transaction, limit=10)]


def test_a_transaction_commits_when_the_block_ends(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        add_table(transaction)
        assert names_of_tables(database, club_id) == []
    assert names_of_tables(database, club_id) == ["kitchen"]


def test_a_transaction_rolls_back_after_an_exception(database: Database, club_id: UUID) -> None:
    def fail_halfway() -> None:
        with database.transaction(club_id) as transaction:
            add_table(transaction)
            tables.get(transaction, uuid7())

    with pytest.raises(NotFound):
        fail_halfway()
    assert names_of_tables(database, club_id) == []


def test_a_dry_run_is_rolled_back(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id, rolled_back=True) as transaction:
        table = add_table(transaction)
        assert tables.get(transaction, table.id) == table
    assert names_of_tables(database, club_id) == []


def test_after_commit_functions_run_when_the_connection_is_returned(logins: Logins, club_id: UUID) -> None:
    database = Database(logins.service, pool_size=1)
    names: list[list[str]] = []
    with database.transaction(club_id) as transaction:
        add_table(transaction)
        transaction.after_commit.append(lambda: names.append(names_of_tables(database, club_id)))
    assert names == [["kitchen"]]
    database.close()


def test_a_connection_in_use_is_closed_when_it_is_returned_to_a_closed_database(logins: Logins) -> None:
    database = Database(logins.service)
    with database.outside_clubs() as connection:
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, psycopg.Connection)
        database.close()
        assert connection.scalar(text("SELECT 1")) == 1
    assert driver.closed


def test_a_closed_database_can_be_used_again(database: Database) -> None:
    database.close()
    database.check_head()
    with database.outside_clubs() as connection:
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, psycopg.Connection)
    assert not driver.closed
    database.check_head()


def test_the_club_is_set_for_one_transaction_only(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        add_table(transaction)
    with database.outside_clubs() as connection:
        assert connection.scalar(text("SELECT count(*) FROM tables")) == 0
    assert names_of_tables(database, uuid7()) == []


def test_reading_sees_one_snapshot_and_is_read_only(database: Database, club_id: UUID) -> None:
    with database.reading(club_id) as reading:
        assert tables.list_page(reading, limit=10) == []
        with database.transaction(club_id) as transaction:
            add_table(transaction)
        assert tables.list_page(reading, limit=10) == []
    with pytest.raises(InternalError, match="read-only"), database.reading(club_id) as reading:
        add_table(reading, name="parlour")
    with database.transaction(club_id) as transaction:
        add_table(transaction, name="parlour")


@pytest.mark.parametrize("login", ["owner", "service"])
def test_every_session_has_the_role_of_the_service_and_timeouts(logins: Logins, login: str) -> None:
    database = Database(getattr(logins, login))
    with database.outside_clubs() as connection:
        assert connection.scalar(text("SELECT current_user")) == SERVICE_ROLE
        assert connection.scalar(text("SELECT current_setting('is_superuser')")) == "off"
        connection.execute(text("RESET ROLE"))
        assert connection.scalar(text("SELECT current_user")) == SERVICE_ROLE
        settings = {
            name: connection.scalar(text("SELECT current_setting(:name)"), {"name": name})
            for name in ("timezone", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        }
    database.close()
    assert settings == {
        "timezone": "UTC",
        "statement_timeout": "30s",
        "lock_timeout": "10s",
        "idle_in_transaction_session_timeout": "1min",
    }


def test_settings_of_the_operator_take_precedence_except_the_role(logins: Logins) -> None:
    url = make_url(logins.owner).update_query_dict(
        {"options": "-c statement_timeout=7s -c role=none", "application_name": "mine"}
    )
    database = Database(text_of(url))
    with database.outside_clubs() as connection:
        assert connection.scalar(text("SELECT current_setting('statement_timeout')")) == "7s"
        assert connection.scalar(text("SELECT current_setting('application_name')")) == "mine"
        assert connection.scalar(text("SELECT current_user")) == SERVICE_ROLE
    database.close()


def test_both_url_schemes_are_accepted(database_url: str) -> None:
    database = Database(database_url.replace("postgresql://", "postgres://", 1))
    database.check_head()
    database.close()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"host": "127.0.0.1", "port": 1}, "Connection refused"),
        ({"host": None, "port": None, "query": {"host": "/no/such/directory"}}, "No such file or directory"),
        ({"database": "no_such_database"}, 'database "no_such_database" does not exist'),
        ({"username": "no_such_login"}, "no_such_login"),
    ],
)
def test_the_error_of_an_unreachable_database_names_it(
    database_url: str, changes: dict[str, object], reason: str
) -> None:
    url = make_url(database_url).set(password="a secret")
    if changes.get("host"):
        url = url.set(query={})
    database = Database(text_of(url.set(**changes)))
    for use in (database.check_head, lambda: names_of_tables(database, uuid7())):
        with pytest.raises(DatabaseUnreachable, match=reason) as caught:
            use()
        message = str(caught.value)
        assert message.startswith("The database ")
        assert message.endswith(".")
        assert "\n" not in message
        assert "a secret" not in message
    database.close()


def test_a_broken_connection_is_replaced(database: Database, club_id: UUID, logins: Logins) -> None:
    assert names_of_tables(database, club_id) == []
    cut_connections(logins)
    assert names_of_tables(database, club_id) == []


def test_only_idle_connections_are_tested(database: Database, club_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    names_of_tables(database, club_id)
    monkeypatch.setattr(connections, "TRUSTED_SECONDS", 60.0)
    with recorded_statements(with_pings=True) as busy:
        names_of_tables(database, club_id)
    monkeypatch.setattr(connections, "TRUSTED_SECONDS", 0.0)
    with recorded_statements(with_pings=True) as idle:
        names_of_tables(database, club_id)
    assert busy[0] == "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    assert idle == [PING, *busy]


def test_writes_are_queued(database: Database, club_id: UUID) -> None:
    names_of_tables(database, club_id)
    with recorded_statements() as statements, database.transaction(club_id) as transaction:
        assert statements == []
        assert transaction.query(COUNT_EVENTS, {}) == [{"events": 0}]
        assert len(statements) == 3, "begin, name the club, query"
        transaction.write(ADD_EVENT, {"club_id": club_id, "id": uuid7()})
        assert len(statements) == 3
    assert len(statements) == 6, "write, wait for the standbys, commit"


def test_queued_writes_are_visible_to_later_statements(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        transaction.write(ADD_EVENT, {"club_id": club_id, "id": uuid7()})
        assert transaction.query(COUNT_EVENTS, {}) == [{"events": 1}]
        transaction.write(ADD_EVENT, {"club_id": club_id, "id": uuid7()})
        assert transaction.execute(text(COUNT_EVENTS.query.decode())).scalar_one() == 2


def test_a_violated_constraint_raises_its_conflict_and_rolls_back(database: Database, club_id: UUID) -> None:
    def write_twice() -> None:
        with database.transaction(club_id) as transaction:
            again = {"club_id": club_id, "id": uuid7()}
            transaction.write(ADD_EVENT, again)
            transaction.write(ADD_EVENT, again, events_pkey=Busy("it is there"))

    with pytest.raises(Busy, match="it is there"):
        write_twice()
    with database.reading(club_id) as transaction:
        assert transaction.query(COUNT_EVENTS, {}) == [{"events": 0}]


def test_a_lost_connection_rolls_the_transaction_back(database: Database, club_id: UUID, logins: Logins) -> None:
    def be_cut_halfway() -> None:
        with database.transaction(club_id) as transaction:
            add_table(transaction)
            cut_connections(logins)
            add_table(transaction, name="parlour")

    with pytest.raises(DatabaseUnreachable, match="was lost"):
        be_cut_halfway()
    assert names_of_tables(database, club_id) == []


def test_a_statement_times_out(database_url: str) -> None:
    url = make_url(database_url).update_query_dict({"options": "-c statement_timeout=500ms"})
    database = Database(text_of(url))
    with pytest.raises(Busy), database.outside_clubs() as connection:
        connection.execute(text("SELECT pg_sleep(30)"))
    database.close()


def test_a_forked_child_does_not_use_the_parent_s_connection(database: Database, club_id: UUID) -> None:
    def backend() -> int:
        with database.transaction(club_id) as transaction:
            return int(transaction.execute(text("SELECT pg_backend_pid()")).scalar_one())

    mine = backend()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            database.dispose_after_fork()
            os.write(writer, str(backend()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as output:
        its = int(output.read())
    os.waitpid(child, 0)
    assert its != mine
    assert backend() == mine


def cut_connections(logins: Logins) -> None:
    with psycopg.connect(logins.owner) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
