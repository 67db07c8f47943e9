"""The policies for links to one table leave PostgreSQL a sound estimate of the rows that a transaction sees."""

import psycopg
from sqlalchemy import text

from service.db import Database
from tests.support.database.insert_records import add_club, add_table
from tests.support.database.postgres import Logins

TABLES = 60


def test_the_policies_are_not_assumed_to_hide_almost_all_rows(database: Database, logins: Logins) -> None:
    with database.transaction(add_club(logins.owner)) as transaction:
        for number in range(TABLES):
            add_table(transaction, name=f"table {number}")
    with psycopg.connect(logins.owner) as owner:
        owner.execute("ANALYZE tables")
    with database.reading(transaction.club_id) as transaction:
        [[plan]] = transaction.execute(text("EXPLAIN (FORMAT JSON) SELECT FROM tables"))
    assert plan[0]["Plan"]["Plan Rows"] >= TABLES // 3


def test_every_policy_has_a_condition_that_can_be_estimated(logins: Logins) -> None:
    with psycopg.connect(logins.owner) as owner:
        alternatives = owner.execute(
            "SELECT tablename FROM pg_policies WHERE policyname = 'one_table' AND qual ~ 'IS NULL\\) OR'"
        ).fetchall()
    assert alternatives == []
