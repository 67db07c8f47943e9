"""Records get into the columns with their names, whatever the order of a table's columns is."""

from datetime import UTC, datetime
from operator import itemgetter
from typing import Any
from uuid import UUID

import orjson
import psycopg
import pytest
import uuid_utils
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Boolean, MetaData, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import CreateTable

from schemas.hands import SubmittedHand
from service.database_errors import DatabaseAltered
from service.db import Database, Statement
from service.db.base import Base, Big, Json, Key, PointsList, Small, SmallList, TextList
from service.db.batch import Batch
from service.rounds.queries import hands
from tests.support.database.insert_records import EXAMPLE, add_club, add_hand, add_round, add_table, example_round
from tests.support.database.postgres import Logins

PAID = text("SELECT payer, payee, paid FROM hand_scores CROSS JOIN unnest(transfers)")


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def alter(logins: Logins, *statements: str) -> None:
    with psycopg.connect(logins.owner) as owner:
        for statement in statements:
            owner.execute(statement.encode())


def test_columns_in_another_order_get_their_values(logins: Logins, database: Database, club_id: UUID) -> None:
    alter(
        logins,
        "ALTER TYPE transfer RENAME ATTRIBUTE payer TO other CASCADE",
        "ALTER TYPE transfer RENAME ATTRIBUTE payee TO payer CASCADE",
        "ALTER TYPE transfer RENAME ATTRIBUTE other TO payee CASCADE",
    )
    with database.transaction(club_id) as transaction:
        add_hand(transaction, add_round(transaction, add_table(transaction), example_round()), SubmittedHand(EXAMPLE))
        assert [tuple(each) for each in transaction.execute(PAID)] == [(2, 1, 3), (3, 1, 2), (2, 3, 1)]


def test_a_column_added_while_connected_gets_its_default(logins: Logins, database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        before = add_round(transaction, add_table(transaction), example_round())
    alter(logins, "ALTER TABLE hands ADD COLUMN note text", "ALTER TABLE hands DROP COLUMN note")
    alter(logins, "ALTER TABLE hands ADD COLUMN dealer text DEFAULT 'eve'")
    with database.transaction(club_id) as transaction:
        add_hand(transaction, before, SubmittedHand(EXAMPLE))
        assert [each.hand for each in hands.list_page(transaction, before.id, 1)] == [EXAMPLE]
        assert transaction.execute(text("SELECT dealer FROM hands")).scalar_one() == "eve"


def test_a_missing_column_is_reported(logins: Logins, database: Database, club_id: UUID) -> None:
    alter(logins, "ALTER TABLE rounds RENAME reference TO name")
    with (
        pytest.raises(DatabaseAltered, match=r'differs from that of this release: column "reference" .*does not exist'),
        database.transaction(club_id) as transaction,
    ):
        add_round(transaction, add_table(transaction), example_round())


class Example(Base):
    """A record with a column of every type that the tables have."""

    __tablename__ = "examples"
    __table_args__ = {"prefixes": ["TEMPORARY"]}  # noqa: RUF012 - as SQLAlchemy has it
    metadata = MetaData()
    id: Mapped[Key]
    words: Mapped[str]
    number: Mapped[Big | None]
    small: Mapped[Small]
    yes: Mapped[bool]
    content: Mapped[bytes]
    at: Mapped[datetime]
    document: Mapped[Json]
    many: Mapped[TextList]
    stacks: Mapped[PointsList | None]
    seats: Mapped[SmallList]
    fouls: Mapped[list[bool]] = mapped_column(ARRAY(Boolean))


WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
NUMBER = st.integers(-(2**63), 2**63 - 1)
SMALL = st.integers(-(2**15), 2**15 - 1)
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | NUMBER | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
)
RECORD = st.fixed_dictionaries(
    {
        "id": st.uuids() | st.builds(uuid_utils.uuid7),
        "words": WORDS,
        "number": NUMBER | st.none(),
        "small": SMALL,
        "yes": st.booleans(),
        "content": st.binary(),
        "at": st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)),
        "document": st.dictionaries(WORDS, JSON_VALUE, max_size=3),
        "many": st.lists(WORDS, max_size=3),
        "stacks": st.none() | st.lists(NUMBER, max_size=3),
        "seats": st.lists(SMALL, max_size=3).map(tuple),
        "fouls": st.lists(st.booleans(), max_size=3),
    }
)


@given(records=st.lists(RECORD, min_size=1, max_size=3, unique_by=lambda record: str(record["id"])))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_values_of_every_type_are_stored_as_they_are(
    database: Database, club_id: UUID, records: list[dict[str, Any]]
) -> None:
    with database.transaction(club_id, rolled_back=True) as transaction:
        transaction.connection.execute(CreateTable(Example.metadata.tables["examples"]))
        batch = Batch()
        batch.insert(Example, *[{**record, "document": orjson.dumps(record["document"])} for record in records])
        batch.write(transaction)
        stored = transaction.query(Statement(text("SELECT * FROM examples")), {})
    expected = [{**record, "id": UUID(str(record["id"])), "seats": list(record["seats"])} for record in records]
    assert sorted(stored, key=itemgetter("id")) == sorted(expected, key=itemgetter("id"))
