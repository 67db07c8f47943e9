"""A posted hand waits for PostgreSQL twice, counted in the messages of the protocol, and sees what was committed."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from tempfile import TemporaryFile
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import event

from schemas.base import load
from schemas.hands import HandRequestSchema
from service.ledger.actions.hand_charges import HandCharges
from service.rounds.actions.recording import record_hand
from tests.service.links.linked_table import link_to
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import HIGH, LOW, MID, THREE, add_table, hand, open_round, start_round
from tests.support.server_process import wait_until

pytestmark = pytest.mark.smoke

CountRoundTrips = Callable[[Callable[[], Any]], int]


@pytest.fixture
def count_round_trips(house: House) -> Iterator[CountRoundTrips]:
    """A function that counts the round trips of all connections to PostgreSQL while it calls another."""
    engine = database_of(house).engine
    with TemporaryFile("w+") as trace:

        def begin(driver: psycopg.Connection[Any], *_: object) -> None:
            driver.pgconn.trace(trace.fileno())

        def end(driver: psycopg.Connection[Any], *_: object) -> None:
            driver.pgconn.untrace()

        def count(work: Callable[[], Any]) -> int:
            trace.truncate(0)
            work()
            trace.seek(0)
            return len(re.findall("ReadyForQuery", trace.read()))

        event.listen(engine, "checkout", begin)
        event.listen(engine, "checkin", end)
        yield count
        event.remove(engine, "checkout", begin)
        event.remove(engine, "checkin", end)


def post(api: Api, round_id: str, number: int, players: dict[int, str]) -> ApiResponse:
    return api.post(f"/v1/rounds/{round_id}/hands", hand(number, number, players))


def accept(api: Api, round_id: str, number: int, players: dict[int, str]) -> None:
    response = post(api, round_id, number, players)
    assert response.status == 201, response


def test_a_posted_hand_takes_two_round_trips(api: Api, count_round_trips: CountRoundTrips) -> None:
    round_id = start_round(api)
    deals = [THREE, {1: MID, 2: LOW, 3: HIGH}, {1: LOW, 2: HIGH, 3: MID}]
    counts = [
        count_round_trips(partial(accept, api, round_id, number, players)) for number, players in enumerate(deals, 1)
    ]
    assert counts == [2, 2, 2]


def test_a_hand_of_a_scorekeeper_takes_two_round_trips(
    api: Api, house: House, count_round_trips: CountRoundTrips
) -> None:
    table = add_table(api)
    round_id = open_round(api, table)["id"]
    link = link_to(house, api, table)
    assert link.get(f"/v1/rounds/{round_id}").status == 200, "its use is recorded"
    assert count_round_trips(partial(accept, link, round_id, 1, THREE)) == 2


def test_a_hand_that_waits_for_the_round_sees_the_hand_before_it(api: Api, house: House) -> None:
    round_id = start_round(api)
    first = hand(1, 1, THREE)
    waiting = (
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event IN ('transactionid', 'tuple')"
    )
    with ThreadPoolExecutor(1) as threads:
        with database_of(house).transaction(club_of(house, api)) as transaction:
            record_hand(transaction, UUID(round_id), load(HandRequestSchema(), first), b"{}", HandCharges(transaction))
            transaction.send()
            second = threads.submit(post, api, round_id, 2, THREE)
            assert wait_until(lambda: house.query(waiting) == [()], 10)
        assert (second.result().status, second.result()["code"]) == (409, "same-deal")
