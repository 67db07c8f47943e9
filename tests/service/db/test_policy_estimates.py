"""
PostgreSQL has a sound estimate of the rows that a transaction sees: those of a new club, and those of one table.

With an estimate of one row for all of a club, it looks up each record of a list among all records of the club.
"""

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


def test_a_club_that_is_newer_than_the_statistics_is_not_taken_for_a_single_row(
    database: Database, logins: Logins
) -> None:
    for name, tables in (("large", 3 * TABLES), ("small", TABLES)):
        with database.transaction(add_club(logins.owner, name)) as transaction:
            for number in range(tables):
                add_table(transaction, name=f"table {number}")
    with psycopg.connect(logins.owner) as owner:
        owner.execute("ANALYZE tables")
    with database.reading(add_club(logins.owner, "new")) as transaction:
        [[plan]] = transaction.execute(text("EXPLAIN (FORMAT JSON) SELECT FROM tables"))
    assert plan[0]["Plan"]["Plan Rows"] >= TABLES // 3


def test_every_table_of_clubs_is_analyzed_soon_and_keeps_the_largest_club_only(logins: Logins) -> None:
    with psycopg.connect(logins.owner) as owner:
        tables = owner.execute("""
            SELECT class.relname, club.attstattarget, array_to_string(class.reloptions, ' ')
            FROM pg_class AS class JOIN pg_attribute AS club ON club.attrelid = class.oid AND club.attname = 'club_id'
            WHERE class.relkind = 'r' AND class.relrowsecurity
        """).fetchall()
    assert len(tables) > 30
    soon = "autovacuum_analyze_scale_factor=0.01 autovacuum_analyze_threshold=500"
    assert [name for name, target, options in tables if target != 1 or soon not in options] == []


def test_every_policy_has_a_condition_that_can_be_estimated(logins: Logins) -> None:
    with psycopg.connect(logins.owner) as owner:
        alternatives = owner.execute(
            "SELECT tablename FROM pg_policies WHERE policyname = 'one_table' AND qual ~ 'IS NULL\\) OR'"
        ).fetchall()
    assert alternatives == []
