"""PostgreSQL's plans for reading ranges of rounds."""

from typing import Any

from service.db import Database
from service.replays.packed.queries import (
    packed_queries,
    planner_settings,
)
from service.replays.stretches import FIRST, LAST, Stretch, stretch_parameters
from service.rounds.queries.round_filter import RoundFilter
from tests.support.database.insert_records import add_club
from tests.support.database.postgres import Logins


def test_a_stretch_is_joined_as_a_whole_though_a_single_round_is_expected(database: Database, logins: Logins) -> None:
    stretch = Stretch()
    with database.transaction(add_club(logins.owner)) as transaction:
        parameters = {**stretch_parameters(transaction, stretch), "names": ["pineapple"], "numbers": [1]}
        driver: Any = transaction.connection.connection.driver_connection

        def plans() -> str:
            queries = packed_queries(stretch.scope).values()
            return str([driver.execute(f"EXPLAIN {query}", parameters).fetchall() for query in queries])

        assert "Nested Loop" in plans()
        assert planner_settings(RoundFilter(round_ids=(FIRST, LAST))) == {}, "few rounds are looked up"
        for name, setting in planner_settings(stretch.scope).items():
            driver.execute("SELECT set_config(%s, %s, true)", [name, setting])
        assert "Nested Loop" not in plans()
