"""Retention: expired records are removed, and later retries are recognised by content."""

from collections.abc import Iterator

import pytest

from service import periodic
from service.config import ConfigError, Retention, read_settings
from service.periodic import remove_expired
from tests.support.api_client import Api, ApiResponse, Document
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.import_lines import database_of
from tests.support.process_jobs import Club, rounds_to_import
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    SIXES,
    add_table,
    dealt_again,
    document_of,
    hand,
    seats,
)
from tests.support.server_process import wait_until
from tests.support.worker_process import lines_of, post_import, results_of, working

RETENTION = Retention()


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    """Return a separate database, because old records of all clubs are removed."""
    with open_house(embedded_postgres) as opened:
        yield opened


def post(api: Api, path: str, body: Document, key: str) -> ApiResponse:
    return api.request("POST", path, json=body, headers={"Idempotency-Key": key})


def let_pass(house: House, days: int) -> None:
    """Move the times of everything that expires back by some days."""
    house.change("UPDATE idempotent_responses SET stored_at = stored_at - make_interval(days => %s)", days)
    house.change("UPDATE jobs SET ended_at = ended_at - make_interval(days => %s) WHERE ended_at IS NOT NULL", days)


@pytest.mark.parametrize("removed", [False, True], ids=["not removed yet", "removed"])
def test_an_idempotency_key_is_stored_for_thirty_days(house: House, api: Api, removed: bool) -> None:
    first = post(api, "/v1/tables", {"name": "kitchen", "ruleset": "pineapple"}, "one-table")
    let_pass(house, 29)
    remove_expired(database_of(house), RETENTION)
    again = post(api, "/v1/tables", {"name": "kitchen", "ruleset": "pineapple"}, "one-table")
    assert (again.document, again.headers["Idempotent-Replayed"]) == (first.document, "true")
    let_pass(house, 2)
    if removed:
        remove_expired(database_of(house), RETENTION)
    other = post(api, "/v1/tables", {"name": "hall", "ruleset": "pineapple"}, "one-table")
    assert (other.status, other["name"]) == (201, "hall")
    assert "Idempotent-Replayed" not in other.headers


def test_records_are_recognised_by_content_after_the_key_expired(house: House, api: Api) -> None:
    table = add_table(api)
    sent: list[tuple[str, Document, ApiResponse]] = []

    def record(path: str, body: Document) -> ApiResponse:
        response = post(api, path, body, f"key-{len(sent)}")
        assert response.status in (200, 201), response
        sent.append((path, body, response))
        return response

    round_id = record(f"/v1/tables/{table}/rounds", {"seats": seats(SIXES), "reference": "friday"})["id"]
    for each in COMPLETE:
        record(f"/v1/rounds/{round_id}/hands", dealt_again(each))
    patch = [{"op": "replace", "path": "/hands/2/players", "value": hand(3, 3, {1: LOW, 2: MID, 3: HIGH})["players"]}]
    correction = {"patch": patch, "reason": "two boards were exchanged"}
    version = api.get(f"/v1/rounds/{round_id}")["version"]
    record(f"/v1/rounds/{round_id}/corrections", {**correction, "version": version})
    record("/v1/documents", document_of(table="hall", hands=COMPLETE, reference="saturday"))
    let_pass(house, 31)
    assert remove_expired(database_of(house), RETENTION)["responses"] >= len(sent)
    recorded = ("rounds", "hands", "corrections", "settlements", "events")
    before = {name: house.count_records()[name] for name in recorded}
    for number, (path, body, first) in enumerate(sent):
        again = post(api, path, body, f"key-{number}")
        assert again.status in (200, 201), (path, again)
        assert again.document.get("id") == first.document.get("id")
    assert {name: house.count_records()[name] for name in recorded} == before


def test_the_results_of_an_import_are_removed_and_its_rounds_stay(
    house: House, api: Api, other_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(periodic, "_AT_A_TIME", 2)
    jobs = []
    for each in (api, other_api):
        for number in range(3):
            sent = post_import(each, lines_of(rounds_to_import(2, f"table {number}")))
            jobs.append((each, sent.headers["Location"]))
            assert Club(house, each).work_on(sent.headers["Location"])["summary"]["rounds"] == 2
    let_pass(house, 89)
    assert remove_expired(database_of(house), RETENTION)["import_records"] == 0
    assert [len(results_of(each, job)) for each, job in jobs] == [2] * 6
    let_pass(house, 2)
    gone = jobs[0][0].get(f"{jobs[0][1]}/results")
    assert (gone.status, gone["code"]) == (404, "not-found")
    assert "were deleted 90 days after its end" in gone["detail"]
    assert remove_expired(database_of(house), RETENTION)["import_records"] == 6
    assert remove_expired(database_of(house), RETENTION)["import_records"] == 0
    assert house.count_records()["import_results"] == 0
    for each, job in jobs:
        assert each.get(job)["summary"]["rounds"] == 2
        assert len(each.get("/v1/rounds")["rounds"]) == 6


def test_pieces_of_a_failed_import_are_removed(house: House, api: Api) -> None:
    club = Club(house, api)
    job = post_import(api, lines_of(rounds_to_import(2))).headers["Location"]
    club.plan(job)
    house.change("DELETE FROM job_chunks WHERE job_id = %s", api.get(job)["id"])
    assert club.work_on(job)["state"] == "failed"
    pieces = "SELECT count(*) FROM import_pieces WHERE job_id = %s"
    remove_expired(database_of(house), RETENTION)
    assert house.query(pieces, api.get(job)["id"]) == [(1,)]
    let_pass(house, 91)
    remove_expired(database_of(house), RETENTION)
    assert house.query(pieces, api.get(job)["id"]) == [(0,)]


def test_a_worker_removes_expired_records(house: House, api: Api) -> None:
    post(api, "/v1/tables", {"name": "kitchen", "ruleset": "pineapple"}, "a-table")
    let_pass(house, 2)
    post(api, "/v1/tables", {"name": "hall", "ruleset": "pineapple"}, "another-table")
    with working(house.logins, OFC_IDEMPOTENCY_DAYS="1"):
        assert wait_until(lambda: house.count_records()["idempotent_responses"] == 1)
    assert house.query("SELECT key FROM idempotent_responses") == [("another-table",)]


def test_retention_days_are_configurable() -> None:
    environment = {"OFC_IDEMPOTENCY_DAYS": "7", "OFC_IMPORT_DAYS": "14"}
    assert read_settings(environment)["retention"] == Retention(7, 14)
    with pytest.raises(ConfigError, match="OFC_IDEMPOTENCY_DAYS is '0'; expected an integer from 1 to"):
        read_settings({"OFC_IDEMPOTENCY_DAYS": "0"})
