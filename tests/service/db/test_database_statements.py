"""Compiled statements: parameters, preparation and errors."""

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import DataError, IntegrityError, ProgrammingError

from service.db import Database, Statement
from service.errors import Conflict
from tests.support.database.insert_records import add_club
from tests.support.database.postgres import Logins

pytestmark = pytest.mark.every_server

NOTHING: Final[dict[str, Any]] = {}
ECHO: Final = Statement(
    text("""
        SELECT CAST(:words AS text) AS words, CAST(:number AS bigint) AS number, CAST(:yes AS boolean) AS yes,
            CAST(:content AS bytea) AS content, CAST(:at AS timestamptz) AS at, CAST(:id AS uuid) AS id,
            CAST(:many AS text[]) AS many, CAST(:stacks AS bigint[]) AS stacks, CAST(:fouls AS boolean[]) AS fouls,
            CAST(:nothing AS integer) AS nothing, '100 %' AS percent
    """)
)
WORDS: Final = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
NUMBER: Final = st.integers(-(2**63), 2**63 - 1)
VALUES: Final = st.fixed_dictionaries(
    {
        "words": WORDS,
        "number": NUMBER,
        "yes": st.booleans(),
        "content": st.binary(),
        "at": st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)),
        "id": st.uuids(),
        "many": st.lists(WORDS | st.none()),
        "stacks": st.lists(NUMBER | st.none()),
        "fouls": st.lists(st.booleans()),
        "nothing": st.none(),
    }
)


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


@given(sent=VALUES)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_parameters_round_trip(database: Database, club_id: UUID, sent: dict[str, Any]) -> None:
    with database.reading(club_id) as transaction:
        assert transaction.query(ECHO, sent) == [{**sent, "percent": "100 %"}]


def test_text_with_nul_is_rejected(database: Database, club_id: UUID) -> None:
    sent = dict.fromkeys(["number", "yes", "content", "at", "id", "many", "stacks", "fouls", "nothing"])
    for words, many in (("ann\0bob", None), ("ann", ["bob\0"])):
        with database.reading(club_id) as transaction, pytest.raises(DataError):
            transaction.query(ECHO, {**sent, "words": words, "many": many})


@pytest.mark.parametrize("value", [{1}, [1, "ann"], object()])
def test_unsupported_parameter_types_are_rejected(database: Database, club_id: UUID, value: object) -> None:
    with database.reading(club_id) as transaction, pytest.raises((ProgrammingError, DataError)):
        transaction.query(Statement(text("SELECT CAST(:value AS text)")), {"value": value})


def test_a_frequent_statement_is_prepared_once_and_survives_errors(database: Database, club_id: UUID) -> None:
    divide = Statement(text("SELECT 1 / CAST(:by AS integer) AS result"))
    known = text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT 1 / CAST%'")
    for _ in range(2):
        for _ in range(8):
            with database.reading(club_id) as transaction:
                assert transaction.query(divide, {"by": 1}) == [{"result": 1}]
        with database.reading(club_id) as transaction:
            assert transaction.execute(known).scalar_one() == 1
        with database.reading(club_id) as transaction, pytest.raises(DataError):
            transaction.query(divide, {"by": 0})


def test_nothing_runs_after_a_statement_that_failed(database: Database, club_id: UUID) -> None:
    add = Statement(
        text(
            "INSERT INTO events (club_id, id, kind, at, heading, content, hash)"
            r" VALUES (:club_id, :id, 'example', now(), '', '', sha256('\x00'))"
        )
    )
    once = {"club_id": club_id, "id": UUID(int=1)}
    with pytest.raises(IntegrityError), database.transaction(club_id) as transaction:  # noqa: PT012 - it fails at the end
        for _ in range(2):
            transaction.write(add, once)
    with database.reading(club_id) as transaction:
        assert transaction.query(Statement(text("SELECT id FROM events WHERE kind = 'example'")), NOTHING) == []


ADD: Final = Statement(
    text(
        "INSERT INTO events (club_id, id, kind, at, heading, content, hash)"
        r" VALUES (:club_id, :id, 'example', now(), '', '', sha256('\x00'))"
    )
)
COUNT: Final = Statement(text("SELECT count(*) AS events FROM events WHERE kind = 'example'"))


def count_events(database: Database, club_id: UUID) -> int:
    with database.reading(club_id) as transaction:
        [counted] = transaction.query(COUNT, NOTHING)
    return int(counted["events"])


def test_started_statements_run_while_the_process_goes_on(database: Database, logins: Logins, club_id: UUID) -> None:
    with psycopg.connect(logins.owner) as owner, database.transaction(club_id) as transaction:
        owner.execute("LOCK TABLE events")
        for number in range(1, 4):
            transaction.write(ADD, {"club_id": club_id, "id": UUID(int=number)})
            # It returns although the statement has to wait for the lock.
            transaction.start()
        owner.rollback()
        transaction.send()
        assert transaction.query(COUNT, NOTHING) == [{"events": 3}]
    assert count_events(database, club_id) == 3


def test_started_statements_are_committed(database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        transaction.write(ADD, {"club_id": club_id, "id": UUID(int=1)})
        transaction.start()
    assert count_events(database, club_id) == 1


def test_a_failure_of_a_started_statement_is_raised_by_the_next_call_that_waits(
    database: Database, club_id: UUID
) -> None:
    once = {"club_id": club_id, "id": UUID(int=1)}
    conflict = Conflict("the event exists")
    with pytest.raises(Conflict, match="the event exists"), database.transaction(club_id) as transaction:  # noqa: PT012 - it fails when it waits
        transaction.write(ADD, once)
        transaction.write(ADD, once, events_pkey=conflict)
        transaction.start()
        transaction.send()
    assert count_events(database, club_id) == 0


@pytest.mark.parametrize("failure", [RuntimeError("the process failed"), KeyboardInterrupt()])
def test_a_connection_with_started_statements_is_used_again_after_an_exception(
    database: Database, club_id: UUID, failure: BaseException
) -> None:
    once = {"club_id": club_id, "id": UUID(int=1)}
    for _ in range(3):
        with pytest.raises(type(failure)), database.transaction(club_id) as transaction:  # noqa: PT012 - the block has begun more
            transaction.write(ADD, once)
            transaction.write(ADD, once)
            transaction.start()
            raise failure
        assert count_events(database, club_id) == 0
