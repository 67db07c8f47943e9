"""Compiled statements: parameters, preparation and errors."""

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import DataError, IntegrityError, ProgrammingError

from service.db import Database, Statement
from tests.support.insert_records import add_club
from tests.support.postgres import Logins

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
DIVIDES_SLOWLY: Final = Statement(text("SELECT 1 / CAST(:by AS integer) FROM pg_sleep(0.2)"))
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


@pytest.mark.parametrize("value", [0.5, {1}, [1, 0.5], ["ann", 0.5]])
def test_unsupported_parameter_types_are_rejected(value: object) -> None:
    with pytest.raises((TypeError, AttributeError)):
        Statement(text(":value")).sent({"value": value})


def test_statements_are_prepared_once_even_after_errors(database: Database, club_id: UUID) -> None:
    divide = Statement(text("SELECT 1 / CAST(:by AS integer) AS result"))
    for by in (0, 1, 0, 1):
        with database.reading(club_id) as transaction:
            if by:
                assert transaction.query(divide, {"by": by}) == [{"result": 1}]
            else:
                with pytest.raises(DataError):
                    transaction.query(divide, {"by": by})
    known = text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT 1 / CAST%'")
    with database.reading(club_id) as transaction:
        assert transaction.execute(known).scalar_one() == 1


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


def written(number: int) -> dict[str, bytes]:
    return {"by": number.to_bytes(4)}


def test_a_started_statement_finishes_before_the_next(database: Database, club_id: UUID) -> None:
    add = Statement(text("INSERT INTO chips SELECT CAST(:by AS integer) FROM pg_sleep(0.2)"))
    with database.transaction(club_id) as transaction:
        transaction.execute(text("CREATE TEMPORARY TABLE chips (points integer) ON COMMIT DROP"))
        for number, next_one in enumerate(
            (
                lambda: transaction.execute(text("SELECT count(*) FROM chips")).scalar_one(),
                lambda: transaction.query(Statement(text("SELECT count(*) FROM chips")), NOTHING)[0]["count"],
                lambda: len(transaction.copy_out("SELECT points FROM chips", {})) - 1,
            ),
            start=1,
        ):
            transaction.start(add, written(2))
            assert next_one() == number
        transaction.start(add, written(5))
        transaction.start(add, written(6))
        assert transaction.execute(text("SELECT sum(points) FROM chips")).scalar_one() == 17


@pytest.mark.parametrize("asks_more", [True, False])
def test_the_error_of_a_started_statement_is_raised_by_the_next(
    database: Database, club_id: UUID, asks_more: bool
) -> None:
    add = Statement(
        text(f"""
            INSERT INTO events (club_id, id, kind, at, content, heading, hash)
            SELECT '{club_id}', '{UUID(int=2)}', 'e', now(), '', '', sha256('\\x00')
            FROM pg_sleep(0.2), generate_series(1, 2)
        """)
    )
    with pytest.raises(IntegrityError), database.transaction(club_id) as transaction:  # noqa: PT012 - it fails later
        transaction.start(add, {})
        if asks_more:
            transaction.execute(text("SELECT 1"))
    with database.reading(club_id) as transaction:
        assert transaction.query(Statement(text("SELECT id FROM events WHERE kind = 'e'")), NOTHING) == []


def test_a_statement_that_cannot_start_raises_immediately(database: Database, club_id: UUID) -> None:
    with pytest.raises(ProgrammingError), database.transaction(club_id) as transaction:
        transaction.start(Statement(text("SELECT no_such_column")), {})


def test_an_exception_during_a_started_statement_keeps_the_connection_usable(database: Database, club_id: UUID) -> None:
    backend = Statement(text("SELECT pg_backend_pid() AS pid"))
    with database.reading(club_id) as transaction:
        before = transaction.query(backend, NOTHING)
    for number in (1, 0):
        with pytest.raises(KeyError), database.transaction(club_id) as transaction:  # noqa: PT012 - in its middle
            transaction.start(DIVIDES_SLOWLY, written(number))
            raise KeyError
        with database.reading(club_id) as transaction:
            assert transaction.query(backend, NOTHING) == before
