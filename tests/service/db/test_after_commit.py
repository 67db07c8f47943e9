"""Errors after a commit are only logged: the response says that the work is stored."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from service.db.transactions import Session
from service.rounds.queries import writer
from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.log_capture import Log
from tests.support.sample_rounds import THREE, hand, hands_of, record, start_round


def test_a_hand_is_recorded_even_if_its_metrics_fail(api: Api, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_hands: int) -> None:
        raise OSError("no space left on device")

    round_id = start_round(api)
    monkeypatch.setattr(writer, "count_stored_hands", fail)
    response = record(api, round_id, hand(1, 1, THREE))
    assert response.status == 201
    assert [each["id"] for each in hands_of(api, round_id)] == [response["id"]]
    [event] = [event for event in log.events if event["event"] == "after_commit_failed"]
    assert event["level"] == "error"
    assert "OSError" in event["exception"]


def test_a_connection_lost_after_the_commit_changes_nothing(
    api: Api, house: House, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Session._commit

    def commit_and_lose_the_connection(session: Session, *arguments: Any) -> None:
        commit(session, *arguments)
        driver = session.connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        house.query("SELECT pg_terminate_backend(%s, 5000)", driver.info.backend_pid)

    round_id = start_round(api)
    with monkeypatch.context() as patched:
        patched.setattr(Session, "_commit", commit_and_lose_the_connection)
        response = record(api, round_id, hand(1, 1, THREE))
    assert response.status == 201
    assert [each["id"] for each in hands_of(api, round_id)] == [response["id"]]


@pytest.fixture
def lonely(embedded_postgres: Server) -> Iterator[House]:
    """Return an application whose broker is unreachable."""
    with open_house(embedded_postgres, broker_url="amqp://127.0.0.1:9//") as opened:
        yield opened


def test_a_job_is_accepted_while_the_broker_is_down(lonely: House, log: Log) -> None:
    api = lonely.new_client()
    response = api.post("/v1/recomputations", {"scope": {}, "mode": "audit", "reason": "checked"})
    assert response.status == 202
    assert api.get(response.headers["Location"])["state"] == "queued"
    assert [event["level"] for event in log.events if event["event"] == "message_send_failed"] == ["warning"]
