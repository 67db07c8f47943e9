"""Metrics of standbys: the lag of each, for a role that may see it."""

from collections.abc import Iterator

import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.db import SERVICE_ROLE
from service.http import gauges
from service.server.embedded import OWNER
from tests.support.application import House, house_on
from tests.support.database.postgres import Logins, Server
from tests.support.database.replicated_pair import Pair, replicated_pair
from tests.support.server_process import wait_until

STANDBY = "walreceiver"
"""The name of a standby whose configuration has none."""


@pytest.fixture
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with replicated_pair(tmp_path_factory.mktemp("pair")) as pair:
        yield pair


@pytest.fixture
def primary(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A service on the primary, whose metrics are read from the database for every request."""
    monkeypatch.setattr(gauges, "SECONDS", 0.0)
    cluster = pair.primary.cluster
    with house_on(Logins(owner=cluster.url(OWNER), service=cluster.url(SERVICE_ROLE))) as house:
        yield house


def read_lag(house: House) -> dict[tuple[str, str], float]:
    """Return the metrics of standbys by unit and name of the standby."""
    return {
        (sample.name.removeprefix("ofc_replica_lag_"), sample.labels["standby"]): sample.value
        for family in text_string_to_metric_families(house.app.test_client().get("/metrics").text)
        for sample in family.samples
        if sample.name.startswith("ofc_replica_lag_")
    }


def test_the_lag_of_a_standby_grows_until_it_replays_and_is_absent_without_it(pair: Pair, primary: House) -> None:
    assert read_lag(primary) == {}, "the role may not see standbys"
    primary.change(f"GRANT pg_read_all_stats TO {SERVICE_ROLE}")
    assert primary.new_client().get("/readyz").status == 200
    assert read_lag(primary).keys() == {("bytes", STANDBY), ("seconds", STANDBY)}

    pair.standby.query("SELECT pg_wal_replay_pause()")
    primary.change("CREATE SCHEMA written")
    primary.change("CREATE TABLE written.rows AS SELECT repeat('x', 1000) FROM generate_series(1, 5000)")
    assert wait_until(lambda: read_lag(primary)["bytes", STANDBY] > 1_000_000)

    pair.standby.query("SELECT pg_wal_replay_resume()")
    assert wait_until(lambda: read_lag(primary)["bytes", STANDBY] == 0)
    assert 0 <= read_lag(primary)["seconds", STANDBY] < 60

    pair.standby.cluster.stop()
    assert wait_until(lambda: read_lag(primary) == {})


def test_a_standby_that_reports_nothing_is_later_with_every_second(pair: Pair, primary: House) -> None:
    primary.change(f"GRANT pg_read_all_stats TO {SERVICE_ROLE}")
    assert wait_until(lambda: read_lag(primary).get(("bytes", STANDBY)) == 0)
    receivers = [
        process
        for process in psutil.Process(pair.standby.cluster.pid).children()
        if "walreceiver" in " ".join(process.cmdline())
    ]
    for process in receivers:
        process.suspend()
    try:
        primary.change("CREATE SCHEMA written")
        assert wait_until(lambda: read_lag(primary)["seconds", STANDBY] > 2)
        assert read_lag(primary)["bytes", STANDBY] > 0
    finally:
        for process in receivers:
            process.resume()


def test_a_server_without_standbys_has_no_lag(embedded_postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gauges, "SECONDS", 0.0)
    logins = embedded_postgres.create_database()
    with house_on(logins) as house:
        assert read_lag(house) == {}
    embedded_postgres.drop_database(logins)
