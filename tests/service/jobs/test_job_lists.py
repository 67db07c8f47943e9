"""Lists of imports and recomputations over HTTP."""

from collections.abc import Callable

import pytest

from schemas.jobs.progress import STATES
from service.db import Database
from service.http.services import services_of
from service.jobs.queries import jobs
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.process_jobs import work_on_job
from tests.support.sample_rounds import complete_round, walk
from tests.support.worker_process import lines_of, post_import, rounds_to_import

NDJSON = {"Content-Type": "application/x-ndjson"}


def start_import(api: Api, number: int) -> ApiResponse:
    return post_import(api, lines_of(rounds_to_import(number + 1)))


def start_recomputation(api: Api, number: int) -> ApiResponse:
    return api.post("/v1/recomputations", {"scope": {}, "mode": "audit", "reason": f"check {number}"})


@pytest.fixture(params=["imports", "recomputations"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def start(kind: str) -> Callable[[Api, int], ApiResponse]:
    return {"imports": start_import, "recomputations": start_recomputation}[kind]


def start_jobs(api: Api, start: Callable[[Api, int], ApiResponse], count: int) -> list[str]:
    """Start jobs, and return their IDs, newest first."""
    started = [start(api, number) for number in range(count)]
    assert [job.status for job in started] == [202] * count
    return [str(job["id"]) for job in reversed(started)]


def work(house: House) -> None:
    """Process all unfinished jobs."""
    database: Database = services_of(house.app).database
    with database.outside_clubs() as connection:
        unfinished = jobs.list_unfinished(connection)
    for job in unfinished:
        work_on_job(database, job.club_id, job.id)


def test_jobs_are_listed_newest_first_page_by_page(
    api: Api, other_api: Api, kind: str, start: Callable[[Api, int], ApiResponse]
) -> None:
    newest_first = start_jobs(api, start, 3)
    pages = list(walk(api, f"/v1/{kind}?limit=2"))
    assert [[job["id"] for job in page[kind]] for page in pages] == [newest_first[:2], newest_first[2:]]
    assert [job["id"] for job in api.get(f"/v1/{kind}")[kind]] == newest_first
    assert other_api.get(f"/v1/{kind}")[kind] == []


def test_a_listed_job_equals_the_job(
    house: House, api: Api, kind: str, start: Callable[[Api, int], ApiResponse]
) -> None:
    complete_round(api)
    start_jobs(api, start, 2)
    work(house)
    start(api, 7)
    listed = api.get(f"/v1/{kind}")[kind]
    assert [(job["state"], job["progress"]["done"] > 0) for job in listed] == [
        ("queued", False),
        ("succeeded", True),
        ("succeeded", True),
    ]
    for job in listed:
        assert job == api.get(f"/v1/{kind}/{job['id']}").document


def test_jobs_are_listed_by_state(api: Api, kind: str, start: Callable[[Api, int], ApiResponse]) -> None:
    queued, paused, cancelled = start_jobs(api, start, 3)
    assert api.post(f"/v1/{kind}/{paused}/pause", {}).status == 200
    assert api.post(f"/v1/{kind}/{cancelled}/cancel", {})["state"] == "cancelling"
    listed = {state: [job["id"] for job in api.get(f"/v1/{kind}?state={state}")[kind]] for state in STATES}
    assert {state: ids for state, ids in listed.items() if ids} == {
        "queued": [queued],
        "paused": [paused],
        "cancelling": [cancelled],
    }


def test_a_page_of_jobs_needs_as_many_statements_as_one_job(
    api: Api, kind: str, start: Callable[[Api, int], ApiResponse]
) -> None:
    newest_first = start_jobs(api, start, 3)
    with recorded_statements() as of_one:
        assert len(api.get(f"/v1/{kind}?limit=1")[kind]) == 1
    with recorded_statements() as of_all:
        assert [job["id"] for job in api.get(f"/v1/{kind}")[kind]] == newest_first
    assert len(of_all) == len(of_one)
    assert sum("job_chunks" in statement for statement in of_all) == 1


def test_a_file_that_was_not_received_is_no_import(api: Api) -> None:
    started = start_import(api, 1)
    repeated = start_import(api, 1)
    assert repeated["id"] == started["id"]
    assert [job["id"] for job in api.get("/v1/imports")["imports"]] == [started["id"]]


@pytest.mark.parametrize(
    ("query", "code"),
    [("state=receiving", "not-a-choice"), ("state=done", "not-a-choice"), ("limit=101", "out-of-range"),
     ("cursor=next", "not-a-cursor"), ("player=ann", "field-unknown")],
)  # as a table  # fmt: skip
def test_an_invalid_filter_of_jobs_is_refused(api: Api, kind: str, query: str, code: str) -> None:
    refused = api.get(f"/v1/{kind}?{query}")
    assert (refused.status, refused.mistakes) == (422, {f"#/query/{query.partition('=')[0]}": code})
