"""A wipe of a test club beside requests and jobs of the same club, on real connections."""

import io
import json
from collections.abc import Callable
from contextlib import closing
from threading import Thread
from typing import Any
from uuid import UUID

import psycopg
import pytest
from uuid_utils.compat import uuid7

from service.clubs.actions import create_club, create_key
from service.clubs.queries.clubs import StoredClub
from service.db import Database
from service.errors import OperatorError
from service.jobs.queries import chunks
from service.verification.verify_database import verify_database
from service.wipe import wipe_club
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.import_lines import database_of
from tests.support.log_capture import Log
from tests.support.process_jobs import Club, work_on_job
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, document_of, play, start_round

pytestmark = pytest.mark.thorough

LOCK = "SELECT pg_advisory_xact_lock{}(hashtextextended(%s, 3))"
WAITING = """
    SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@pytest.fixture
def club(house: House) -> StoredClub:
    return create_club(house.owner, f"club {uuid7()}", is_test=True)


@pytest.fixture
def api(house: House, club: StoredClub) -> Api:
    return Api(house.app, create_key(house.owner, club, name="first").secret)


def wait_for_a_lock(house: House) -> None:
    while house.query(WAITING) == [(0,)]:
        pass


def findings(house: House, club: StoredClub) -> list[object]:
    return [finding for page in verify_database(house.owner, [club.id]) for finding in page.findings]


def test_a_wipe_waits_for_a_transaction_in_progress_and_deletes_what_it_recorded(
    house: House, club: StoredClub, api: Api
) -> None:
    start_round(api, name="before")
    with psycopg.connect(house.owner_url) as writer:
        writer.execute(LOCK.format("_shared").encode(), [str(club.id)])
        wiping = Thread(target=wipe_club, args=(house.owner, club.name))
        wiping.start()
        wait_for_a_lock(house)
        assert len(api.get("/v1/rounds")["rounds"]) == 1
    wiping.join()
    assert api.get("/v1/rounds")["rounds"] == []
    assert findings(house, club) == []


def test_a_request_waits_for_a_wipe_and_a_request_of_another_club_does_not(
    house: House, club: StoredClub, api: Api, other_api: Api
) -> None:
    statuses: list[int] = []

    def create_table() -> None:
        statuses.append(api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple"}).status)

    with psycopg.connect(house.owner_url) as wipe:
        wipe.execute(LOCK.format("").encode(), [str(club.id)])
        waiting = Thread(target=create_table)
        waiting.start()
        wait_for_a_lock(house)
        assert other_api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple"}).status == 201
        assert statuses == []
    waiting.join()
    assert statuses == [201]


def test_a_wipe_that_waits_too_long_deletes_nothing(house: House, club: StoredClub, api: Api) -> None:
    start_round(api, name="before")
    impatient = Database(f"{house.logins.owner}&options=-c%20lock_timeout%3D100ms", role=None, pool_size=1)
    with closing(impatient), psycopg.connect(house.owner_url) as writer:
        writer.execute(LOCK.format("_shared").encode(), [str(club.id)])
        with pytest.raises(OperatorError, match="is in use: a request or a job did not end in time"):
            wipe_club(impatient, club.name)
    assert len(api.get("/v1/rounds")["rounds"]) == 1


def test_requests_beside_wipes_are_recorded_whole_or_not_at_all(house: House, club: StoredClub, api: Api) -> None:
    def record(number: int) -> None:
        table = api.post("/v1/tables", {"name": f"table {number}", "ruleset": "pineapple"})
        assert table.status == 201
        seats = [{"seat": seat, "player": f"player {seat}", "stack": 100} for seat in (1, 2, 3)]
        opened = api.post(f"/v1/tables/{table['id']}/rounds", {"seats": seats})
        assert opened.status in (201, 404)
        if opened.status == 201:
            hand = api.post(f"/v1/rounds/{opened['id']}/hands", COMPLETE[0])
            assert hand.status in (201, 404)

    def wipe() -> None:
        for _ in range(3):
            wipe_club(house.owner, club.name)

    at_once(wipe, *(lambda number=number: record(number) for number in range(6)))
    assert findings(house, club) == []
    wipe_club(house.owner, club.name)
    assert api.get("/v1/tables")["tables"] == []
    play(api, start_round(api, name="after"), *COMPLETE)
    assert findings(house, club) == []


def test_a_worker_drops_the_jobs_of_a_wiped_club(house: House, club: StoredClub, api: Api) -> None:
    lines = [document_of(hands=COMPLETE, reference=f"{number}") for number in range(3)]
    body = "\n".join(json.dumps(line) for line in lines)
    started = api.request("POST", "/v1/imports", data=body, headers={"Content-Type": "application/x-ndjson"})
    assert started.status == 202
    wipe_club(house.owner, club.name)
    work_on_job(database_of(house), club.id, UUID(started["id"]))
    assert api.get(f"/v1/imports/{started['id']}").status == 404
    assert api.get("/v1/rounds")["rounds"] == []
    assert findings(house, club) == []


class WipedDuringUpload(io.BytesIO):
    """The bytes of a file, during whose upload the club is wiped: before the byte at `place`."""

    def __init__(self, content: bytes, place: int, wipe: Callable[[], object]) -> None:
        super().__init__(content)
        self._place, self._wipe, self._is_wiped = place, wipe, False

    def readinto(self, buffer: Any, /) -> int:
        if not self._is_wiped and self.tell() == self._place:
            self._wipe()
            self._is_wiped = True
        size = len(buffer) if self._is_wiped else min(len(buffer), self._place - self.tell())
        return super().readinto(memoryview(buffer)[:size])


def rows_of(house: House, club: StoredClub) -> list[int]:
    """Return the number of jobs, chunks, messages, pieces and results of a club."""
    tables = ("jobs", "job_chunks", "import_pieces", "import_results", "rounds", "idempotent_responses")
    return [house.query(f"SELECT count(*) FROM {table} WHERE club_id = %s", club.id)[0][0] for table in tables]


@pytest.mark.parametrize("lines_before", [1, 700, 900])
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "import-1"}])
def test_an_import_that_is_received_during_a_wipe_is_refused(
    house: House, club: StoredClub, api: Api, other_api: Api, lines_before: int, headers: dict[str, str]
) -> None:
    lines = [json.dumps(document_of(hands=COMPLETE, reference=f"{number}")).encode() + b"\n" for number in range(900)]
    lines += [b"\n"] * 2
    body, place = b"".join(lines), len(b"".join(lines[:lines_before]))
    sent = WipedDuringUpload(body, place, lambda: wipe_club(house.owner, club.name))
    refused = send(api, sent, **headers)
    assert (refused.status, refused["code"]) == (409, "import-deleted")
    assert "records of the test club were deleted" in refused["detail"]
    assert rows_of(house, club) == [0] * 6
    assert api.get("/v1/imports")["imports"] == []
    assert findings(house, club) == []
    again = send(api, io.BytesIO(body), **headers)
    assert again.status == 202
    ended = Club(house, api).work_on(f"/v1/imports/{again['id']}")
    assert ended["summary"]["rounds"] == 900


def send(api: Api, body: io.BytesIO, **headers: str) -> ApiResponse:
    headers = {"Content-Type": "application/x-ndjson", **headers}
    return api.request("POST", "/v1/imports", input_stream=body, headers=headers)


def test_a_worker_drops_a_chunk_of_an_import_that_a_wipe_deleted(
    house: House, club: StoredClub, api: Api, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [document_of(hands=COMPLETE, reference=f"{number}") for number in range(3)]
    started = api.request(
        "POST",
        "/v1/imports",
        data="\n".join(json.dumps(line) for line in lines),
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert started.status == 202

    lock = chunks.lock

    def wiped_before(*arguments: Any) -> bool:
        """Wipe the club after an attempt was counted and before its work begins."""
        wipe_club(house.owner, club.name)
        return lock(*arguments)

    monkeypatch.setattr(chunks, "lock", wiped_before)
    work_on_job(database_of(house), club.id, UUID(started["id"]))
    assert rows_of(house, club) == [0] * 6
    assert "chunk_failed" not in [event["event"] for event in log.events]
    assert findings(house, club) == []
