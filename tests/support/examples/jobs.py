"""The part of the story with jobs: an import and a recomputation."""

from service.db import Database
from service.http.request_body import BODY_STATE, BodyState
from service.http.services import services_of
from service.jobs.queries import jobs
from tests.support.application import House
from tests.support.examples.record_examples import Recorder, next_cursor
from tests.support.process_jobs import work_on_job
from tests.support.worker_process import lines_of, post_import, rounds_to_import


def import_a_file(recorder: Recorder, house: House) -> None:
    """Rounds of another year, of which one is there already and one cannot be read."""
    lines = [*rounds_to_import(2, "cellar"), b'{"ruleset": "pineapple"}']
    content = lines_of([*lines, lines[0]])
    packed = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    recorder.refuse("body-unreadable", "start_import", data=content, headers=packed)
    # As the web server says that it holds no further large body.
    busy = {"Content-Type": "application/x-ndjson", BODY_STATE: BodyState.TOO_MANY}
    recorder.refuse("imports-busy", "start_import", data=b"", headers=busy)
    post_import(recorder.api, lines_of(lines[1:2]))
    sent = recorder.send_lines("start_import", content, lines_of(lines[:1]).decode(), state="final")
    job = {"import_id": str(sent["id"])}
    recorder.record("pause_import", job, None)
    recorder.record("resume_import", job, None)
    work_on(house, str(sent["id"]))
    recorder.call("get_import", job)
    recorder.record("cancel_import", job, None)
    recorder.refuse("job-ended", "pause_import", job)
    listed = recorder.call("list_imports", {"limit": 1})
    recorder.call("list_imports", {"limit": 1, "state": "queued", "cursor": next_cursor(listed)})
    recorder.read("list_import_results", f"/v1/imports/{sent['id']}/results", ".")


def play_it_again(recorder: Recorder, house: House, round_id: str) -> None:
    """What would the round have come to under other rules?"""
    body = {"scope": {"rounds": [round_id]}, "mode": "audit", "ruleset": "progressive", "reason": "ann wants to know"}
    recorder.api.post("/v1/recomputations", {"scope": {}, "mode": "audit", "reason": "yearly audit"})
    sent = recorder.record("start_recomputation", {}, body)
    job = {"recomputation_id": str(sent["id"])}
    recorder.record("pause_recomputation", job, None)
    recorder.record("resume_recomputation", job, None)
    work_on(house, str(sent["id"]))
    recorder.call("get_recomputation", job)
    recorder.record("cancel_recomputation", job, None)
    listed = recorder.call("list_recomputations", {"limit": 1})
    recorder.call("list_recomputations", {"limit": 1, "state": "queued", "cursor": next_cursor(listed)})
    page = recorder.call("list_differences", {**job, "limit": 1})
    recorder.call("list_differences", {**job, "limit": 1, "cursor": next_cursor(page)})
    recorder.read_in("application/x-ndjson", "list_differences", job)


def work_on(house: House, job_id: str) -> None:
    """Do what a worker does, here and now."""
    database: Database = services_of(house.app).database
    with database.outside_clubs() as connection:
        [job] = [job for job in jobs.list_unfinished(connection) if str(job.id) == job_id]
    work_on_job(database, job.club_id, job.id)
