"""One transaction: what it keeps, what it leaves, and what is said when the database is not there."""

import os
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import InternalError
from uuid_utils.compat import uuid7

from service.db import SERVICE_ROLE, Database, Statement, connections
from service.errors import Busy, DatabaseUnreachable, NotFound
from service.tables import queries as tables
from tests.support.insert_records import add_club, add_table
from tests.support.postgres import Logins, text_of
from tests.support.recorded_statements import recorded_statements

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


def test_what_a_block_wrote_is_kept_when_it_ends(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        add_table(transaction)
        assert names_of_tables(database, club_id) == []
    assert names_of_tables(database, club_id) == ["kitchen"]


def test_an_error_leaves_everything_as_it_was(database: Database, club_id: UUID) -> None:
    def fail_halfway() -> None:
        with database.transaction(club_id) as transaction:
            add_table(transaction)
            tables.get(transaction, uuid7())

    with pytest.raises(NotFound):
        fail_halfway()
    assert names_of_tables(database, club_id) == []


def test_a_dry_run_does_the_work_and_keeps_nothing(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id, rolled_back=True) as transaction:
        table = add_table(transaction)
        assert tables.get(transaction, table.id) == table
    assert names_of_tables(database, club_id) == []


def test_what_follows_a_commit_finds_the_connection_free(logins: Logins, club_id: UUID) -> None:
    database = Database(logins.service, pool_size=1)
    found: list[list[str]] = []
    with database.transaction(club_id) as transaction:
        add_table(transaction)
        transaction.after_commit.append(lambda: found.append(names_of_tables(database, club_id)))
    assert found == [["kitchen"]]
    database.close()


def test_a_connection_that_is_in_use_while_the_database_is_closed_is_closed_when_it_is_returned(logins: Logins) -> None:
    database = Database(logins.service)
    with database.outside_clubs() as connection:
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, psycopg.Connection)
        database.close()
        assert connection.scalar(text("SELECT 1")) == 1
    assert driver.closed


def test_a_database_that_was_closed_can_be_used_again(database: Database) -> None:
    database.close()
    database.check_head()
    with database.outside_clubs() as connection:
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, psycopg.Connection)
    assert not driver.closed
    database.check_head()


def test_the_club_ends_with_its_transaction(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        add_table(transaction)
    with database.outside_clubs() as connection:
        assert connection.scalar(text("SELECT count(*) FROM tables")) == 0
    assert names_of_tables(database, uuid7()) == []


def test_reading_sees_one_moment_and_writes_nothing(database: Database, club_id: UUID) -> None:
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
def test_every_session_works_as_the_service_s_role_and_with_time_limits(logins: Logins, login: str) -> None:
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


def test_the_operator_s_own_settings_win_but_for_the_role(logins: Logins) -> None:
    url = make_url(logins.owner).update_query_dict(
        {"options": "-c statement_timeout=7s -c role=none", "application_name": "mine"}
    )
    database = Database(text_of(url))
    with database.outside_clubs() as connection:
        assert connection.scalar(text("SELECT current_setting('statement_timeout')")) == "7s"
        assert connection.scalar(text("SELECT current_setting('application_name')")) == "mine"
        assert connection.scalar(text("SELECT current_user")) == SERVICE_ROLE
    database.close()


def test_both_ways_to_write_the_scheme_are_understood(database_url: str) -> None:
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
def test_a_database_that_does_not_answer_is_named_in_one_sentence(
    database_url: str, changes: dict[str, object], reason: str
) -> None:
    url = make_url(database_url).set(password="a secret")
    if changes.get("host"):
        url = url.set(query={})
    database = Database(text_of(url.set(**changes)))
    for use in (database.check_head, lambda: names_of_tables(database, uuid7())):
        with pytest.raises(DatabaseUnreachable, match=reason) as caught:
            use()
        said = str(caught.value)
        assert said.startswith("The database ")
        assert said.endswith(".")
        assert "\n" not in said
        assert "a secret" not in said
    database.close()


def test_a_connection_that_was_cut_is_replaced(database: Database, club_id: UUID, logins: Logins) -> None:
    assert names_of_tables(database, club_id) == []
    cut_connections(logins)
    assert names_of_tables(database, club_id) == []


def test_a_connection_is_asked_whether_it_lives_only_where_it_was_idle(
    database: Database, club_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    names_of_tables(database, club_id)
    monkeypatch.setattr(connections, "TRUSTED_SECONDS", 60.0)
    with recorded_statements(with_pings=True) as busy:
        names_of_tables(database, club_id)
    monkeypatch.setattr(connections, "TRUSTED_SECONDS", 0.0)
    with recorded_statements(with_pings=True) as idle:
        names_of_tables(database, club_id)
    assert busy[0] == "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    assert idle == ["", *busy]


def test_what_is_written_waits_for_company(database: Database, club_id: UUID) -> None:
    names_of_tables(database, club_id)
    with recorded_statements() as statements, database.transaction(club_id) as transaction:
        assert statements == []
        assert transaction.ask(COUNT_EVENTS, {}) == [{"events": 0}]
        assert len(statements) == 3, "begin, name the club, ask"
        transaction.write(ADD_EVENT, {"club_id": club_id, "id": uuid7()})
        assert len(statements) == 3
    assert len(statements) == 5, "write, commit"


def test_what_is_written_is_there_for_what_follows(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        transaction.write(ADD_EVENT, {"club_id": club_id, "id": uuid7()})
        assert transaction.ask(COUNT_EVENTS, {}) == [{"events": 1}]
        transaction.write(ADD_EVENT, {"club_id": club_id, "id": uuid7()})
        assert transaction.execute(text(COUNT_EVENTS.query.decode())).scalar_one() == 2


def test_a_write_that_is_refused_is_the_conflict_that_it_means_and_nothing_is_kept(
    database: Database, club_id: UUID
) -> None:
    def write_twice() -> None:
        with database.transaction(club_id) as transaction:
            again = {"club_id": club_id, "id": uuid7()}
            transaction.write(ADD_EVENT, again)
            transaction.write(ADD_EVENT, again, events_pkey=Busy("it is there"))

    with pytest.raises(Busy, match="it is there"):
        write_twice()
    with database.reading(club_id) as transaction:
        assert transaction.ask(COUNT_EVENTS, {}) == [{"events": 0}]


def test_a_transaction_that_is_cut_says_so_and_keeps_nothing(database: Database, club_id: UUID, logins: Logins) -> None:
    def be_cut_halfway() -> None:
        with database.transaction(club_id) as transaction:
            add_table(transaction)
            cut_connections(logins)
            add_table(transaction, name="parlour")

    with pytest.raises(DatabaseUnreachable, match="stopped answering"):
        be_cut_halfway()
    assert names_of_tables(database, club_id) == []


def test_a_statement_that_takes_too_long_is_given_up(database_url: str) -> None:
    url = make_url(database_url).update_query_dict({"options": "-c statement_timeout=50ms"})
    database = Database(text_of(url))
    with pytest.raises(Busy), database.outside_clubs() as connection:
        connection.execute(text("SELECT pg_sleep(5)"))
    database.close()


def test_a_forked_child_leaves_the_parent_s_connection_alone(database: Database, club_id: UUID) -> None:
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
    with os.fdopen(reader) as answer:
        its = int(answer.read())
    os.waitpid(child, 0)
    assert its != mine
    assert backend() == mine


def cut_connections(logins: Logins) -> None:
    with psycopg.connect(logins.owner) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
