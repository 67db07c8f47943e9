"""Records get into the columns with their names, whatever the order of a table's columns is."""

from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text

from schemas.hands import SubmittedHand
from service.db import Database
from service.errors import Busy, DatabaseAltered
from service.rounds.queries import hands
from tests.support.database.insert_records import EXAMPLE, add_club, add_hand, add_round, add_table, example_round
from tests.support.database.postgres import Logins

PAID = text("SELECT payer, payee, paid FROM transfers ORDER BY position")


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
        "ALTER TABLE transfers RENAME payer TO other",
        "ALTER TABLE transfers RENAME payee TO payer",
        "ALTER TABLE transfers RENAME other TO payee",
    )
    with database.transaction(club_id) as transaction:
        add_hand(transaction, add_round(transaction, add_table(transaction), example_round()), SubmittedHand(EXAMPLE))
        assert [tuple(each) for each in transaction.execute(PAID)] == [(2, 1, 3), (3, 1, 2), (2, 3, 1)]


def test_a_column_added_while_connected_fails_one_request(logins: Logins, database: Database, club_id: UUID) -> None:
    with database.transaction(club_id) as transaction:
        before = add_round(transaction, add_table(transaction), example_round())
    alter(logins, "ALTER TABLE hands ADD COLUMN note text", "ALTER TABLE hands DROP COLUMN note")
    alter(logins, "ALTER TABLE hands ADD COLUMN dealer text DEFAULT 'eve'")
    with pytest.raises(Busy, match="columns of a table"), database.transaction(club_id) as transaction:
        add_hand(transaction, before, SubmittedHand(EXAMPLE))
    with database.transaction(club_id) as transaction:
        add_hand(transaction, before, SubmittedHand(EXAMPLE))
        assert [each.hand for each in hands.list_page(transaction, before.id, 1)] == [EXAMPLE]
        assert transaction.execute(text("SELECT dealer FROM hands")).scalar_one() == "eve"


def test_a_missing_column_is_reported(logins: Logins, database: Database, club_id: UUID) -> None:
    alter(logins, "ALTER TABLE rounds RENAME reference TO name")
    with (
        pytest.raises(DatabaseAltered, match=r"rounds .* column reference"),
        database.transaction(club_id) as transaction,
    ):
        add_round(transaction, add_table(transaction), example_round())
