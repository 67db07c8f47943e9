"""PostgreSQL's plans for reading ranges of rounds."""

from typing import Any

from service.db import Database
from service.recomputations.packed.queries import (
    EVERY,
    Scope,
    Stretch,
    joined_whole,
    packed_queries,
    stretch_parameters,
)
from tests.support.database.insert_records import add_club
from tests.support.database.postgres import Logins


def test_a_stretch_is_joined_as_a_whole_though_a_single_round_is_expected(database: Database, logins: Logins) -> None:
    stretch = Stretch(Scope(), *EVERY)
    with database.transaction(add_club(logins.owner)) as transaction:
        parameters = {**stretch_parameters(transaction, stretch), "names": ["pineapple"], "numbers": [1]}
        driver: Any = transaction.connection.connection.driver_connection

        def plans() -> str:
            queries = packed_queries(stretch.scope).values()
            return str([driver.execute(f"EXPLAIN {query}", parameters).fetchall() for query in queries])

        assert "Nested Loop" in plans()
        with joined_whole(transaction, stretch.scope):
            assert "Nested Loop" not in plans()
        with joined_whole(transaction, Scope(round_ids=EVERY)):
            assert "Nested Loop" in plans(), "few rounds are looked up"
        assert "Nested Loop" in plans(), "single rounds are read after it"
