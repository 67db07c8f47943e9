"""Metrics that are read from the database: what waits in all clubs, and the age of periodic tasks."""

from collections.abc import Iterator

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.app import create_app
from service.config import Config
from service.http import gauges
from service.http.services import services_of
from tests.support.api_client import Api
from tests.support.api_disputes import dispute
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.log_capture import Log
from tests.support.sample_rounds import COMPLETE, play, start_round
from tests.support.worker_process import lines_of, post_import, rounds_to_import


@pytest.fixture
def own_house(embedded_postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A service of its own, whose metrics are read from the database for every request."""
    monkeypatch.setattr(gauges, "SECONDS", 0.0)
    with open_house(embedded_postgres) as opened:
        yield opened


def read(house: House) -> dict[str, float]:
    text = house.app.test_client().get("/metrics").text
    return {
        sample.name + "".join(sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if family.type == "gauge"
    }


def test_what_waits_in_all_clubs_is_counted_together(own_house: House) -> None:
    before = read(own_house)
    names = {name for name, _ in gauges.GAUGES.values()}
    assert names <= set(before)
    assert before["ofc_database_up"] == 1
    some = names - {"ofc_database_connections", "ofc_database_connections_max", "ofc_database_bytes"}
    assert {before[name] for name in some} == {0}
    for api in (own_house.new_client(), own_house.new_client()):
        round_id = start_round(api)
        play(api, round_id, *COMPLETE)
        assert dispute(api, round_id).status == 201
        assert post_import(api, lines_of(rounds_to_import(2))).status == 202
    own_house.change("INSERT INTO shared.moments VALUES ('grow_trees', now() - interval '90 seconds')")
    own_house.change("UPDATE jobs SET created_at = created_at - interval '5 minutes'")
    after = read(own_house)
    assert (after["ofc_disputes_waiting"], after["ofc_jobs_unfinished"], after["ofc_chunks_waiting"]) == (2, 2, 0)
    assert 300 <= after["ofc_job_queued_seconds"] < 400
    assert after["ofc_events_outside_trees"] == own_house.query("SELECT count(*) FROM waiting_events")[0][0]
    assert 90 <= after["ofc_periodic_task_age_secondsgrow_trees"] < 190
    assert (after["ofc_events_unsigned"], after["ofc_checkpoint_age_seconds"]) == (0, 0)


def test_metrics_contain_no_club_and_are_read_again_after_some_seconds(
    own_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gauges, "SECONDS", 60.0)
    before = read(own_house)
    post_import(own_house.new_client(), lines_of(rounds_to_import(2)))
    assert read(own_house)["ofc_jobs_unfinished"] == before["ofc_jobs_unfinished"]
    monkeypatch.setattr(gauges, "SECONDS", 0.0)
    assert read(own_house)["ofc_jobs_unfinished"] == before["ofc_jobs_unfinished"] + 1
    [(club,)] = own_house.query("SELECT name FROM clubs ORDER BY created_at DESC LIMIT 1")
    assert club not in own_house.app.test_client().get("/metrics").text


def test_metrics_without_a_database_have_the_counters(log: Log) -> None:
    app = create_app(Config("postgresql://ofc@127.0.0.1:1/ofc"))
    response = app.test_client().get("/metrics")
    assert response.status_code == 200
    assert "ofc_database_up 0.0" in response.text
    assert "ofc_requests_in_flight" in response.text
    assert "ofc_jobs_unfinished" not in response.text
    assert "metrics_incomplete" in [event["event"] for event in log.events]
    services_of(app).database.close()


def test_the_database_shows_no_records_of_clubs_beside_the_numbers(own_house: House) -> None:
    api = own_house.new_client()
    play(api, start_round(api), *COMPLETE)
    with psycopg.connect(own_house.logins.service) as connection:
        connection.execute("SELECT * FROM count_backlog()")
        assert connection.execute("SELECT count(*) FROM rounds").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM clubs").fetchone() == (0,)


def test_successful_polls_are_logged_once_a_minute(own_house: House, log: Log) -> None:
    client = own_house.app.test_client()
    for _ in range(3):
        for path in ("/healthz", "/readyz", "/metrics"):
            assert client.get(path).status_code == 200
        assert client.get("/v1/tables").status_code == 401
    operations = [event["operation"] for event in log.events if event["event"] == "request"]
    assert sorted(operations) == ["check_health", "check_readiness", "get_metrics", *["list_tables"] * 3]
    services_of(own_house.app).polls_logged_at["check_health"] -= 61
    client.get("/healthz")
    assert log.events[-1]["operation"] == "check_health"


def test_every_failed_poll_is_logged(log: Log) -> None:
    app = create_app(Config("postgresql://ofc@127.0.0.1:1/ofc"))
    for _ in range(2):
        assert Api(app, None).get("/readyz").status == 503
    assert [event["status"] for event in log.events if event["event"] == "request"] == [503, 503]
    services_of(app).database.close()
