"""Every line and every round that a job received is accounted for, or the job fails."""

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest

from service.db import Transaction
from service.imports.actions import imports
from service.jobs.queries import chunks
from service.recomputations import job as recomputations
from service.recomputations.actions.recompute import Recomputation, Recomputed, recompute_rounds
from service.replays.stretches import Stretch
from tests.service.recomputations.test_recomputations import differences
from tests.support.application import open_house
from tests.support.database.postgres import Server
from tests.support.log_capture import Log
from tests.support.process_jobs import Club, rounds_to_import
from tests.support.worker_process import ENDED, lines_of, post_import, results_of

BATCH = 20
CHUNKS = 45
"""Two full batches of chunks, and a part of another."""


@pytest.fixture(scope="module")
def club(embedded_postgres: Server) -> Iterator[Club]:
    with open_house(embedded_postgres) as house:
        yield Club(house, house.new_client())


@pytest.mark.smoke
def test_an_import_of_many_chunks_stores_every_line(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "BATCH_SIZE", BATCH)
    monkeypatch.setattr(imports, "MOST_LINES", 1)
    job = post_import(club.api, lines_of(rounds_to_import(CHUNKS))).headers["Location"]
    ended = club.work_on(job)
    assert ended["state"] == "succeeded"
    assert ended["summary"] == {"rounds": CHUNKS, "replayed": 0, "refused": 0, "hands": CHUNKS}
    assert ended["progress"] == {"done": CHUNKS, "total": CHUNKS}
    results = [(result["line"], result["status"]) for result in results_of(club.api, job)]
    assert results == [(line, "stored") for line in range(1, CHUNKS + 1)]
    assert club.house.count_records()["rounds"] == CHUNKS


def test_a_recomputation_of_many_chunks_reads_every_round(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "BATCH_SIZE", BATCH)
    monkeypatch.setattr(recomputations, "MOST_HANDS", 1)
    sent = club.api.post("/v1/recomputations", {"scope": {}, "mode": "audit", "reason": "yearly audit"})
    ended = club.work_on(sent.headers["Location"])
    [(planned,)] = club.house.query("SELECT count(*) FROM job_chunks WHERE job_id = %s", sent["id"])
    assert planned == CHUNKS
    assert ended["state"] == "succeeded"
    assert (ended["summary"]["rounds"], ended["summary"]["hands"]) == (CHUNKS, CHUNKS)


def test_an_import_that_lost_a_chunk_fails(club: Club, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MOST_LINES", 2)
    job = post_import(club.api, lines_of(rounds_to_import(5, "hall"))).headers["Location"]
    club.plan(job)
    lose_chunk(club, job, 2)
    ended = club.work_on(job)
    assert (ended["state"], ended["progress"]) == ("failed", {"done": 3, "total": 5})
    assert ended["failure"] == (
        "5 lines were received and 3 are accounted for; start it again, and report this to the operator of the service"
    )
    [entry] = [entry for entry in log.events if entry["event"] == "job_unaccounted"]
    assert (entry["level"], entry["job"], entry["received"], entry["accounted"]) == ("error", ended["id"], 5, 3)
    assert [result["line"] for result in results_of(club.api, job)] == [1, 2, 5]
    pieces = club.house.query("SELECT first_line FROM import_pieces WHERE job_id = %s", ended["id"])
    assert pieces == [(3,)], "the lines that were lost are not there any more"


def test_a_recomputation_that_lost_a_chunk_fails(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recomputations, "MOST_HANDS", 1)
    api = club.house.new_client()
    other = Club(club.house, api)
    assert other.work_on(post_import(api, lines_of(rounds_to_import(4))).headers["Location"])["summary"]["rounds"] == 4
    job = api.post("/v1/recomputations", {"scope": {}, "mode": "audit", "reason": "audit"}).headers["Location"]
    other.plan(job)
    lose_chunk(other, job, 3)
    ended = other.work_on(job)
    assert ended["state"] == "failed"
    assert ended["failure"].startswith("4 rounds were received and 3 are accounted for")


def test_rounds_recorded_during_a_recomputation_are_not_counted(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """New rounds can get IDs between those of planned rounds."""
    api = club.house.new_client()
    other = Club(club.house, api)
    other.work_on(post_import(api, lines_of(rounds_to_import(4))).headers["Location"])
    monkeypatch.setattr(recomputations, "MOST_HANDS", 4)
    job = api.post("/v1/recomputations", {"scope": {}, "mode": "audit", "reason": "audit"}).headers["Location"]
    other.plan(job)
    lose_chunk(other, job, 1)
    widen = """UPDATE job_chunks SET part = part || '{"first": "00000000-0000-0000-0000-000000000000"}'"""
    club.house.change(f"{widen} WHERE job_id = %s", api.get(job)["id"])
    ended = other.work_on(job)
    assert (ended["state"], ended["summary"]["rounds"]) == ("failed", 4)


def test_other_rounds_are_recomputed_if_one_cannot_be(club: Club, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    api = club.house.new_client()
    other = Club(club.house, api)
    stored = other.work_on(post_import(api, lines_of(rounds_to_import(6))).headers["Location"])
    poison = UUID(results_of(api, f"/v1/imports/{stored['id']}")[3]["round"])

    def fail_at_poison(transaction: Transaction, stretch: Stretch, recomputation: Recomputation) -> Recomputed:
        if stretch.first <= poison <= stretch.upto:
            raise ArithmeticError("nobody has foreseen this round")
        return recompute_rounds(transaction, stretch, recomputation)

    monkeypatch.setattr(recomputations, "recompute_rounds", fail_at_poison)
    job = api.post("/v1/recomputations", {"scope": {}, "mode": "audit", "reason": "audit"}).headers["Location"]
    while (ended := other.work_once(job))["state"] not in ENDED:
        other.hasten(job)
    assert (ended["state"], ended["progress"]) == ("failed", {"done": 5, "total": 6})
    assert ended["summary"]["rounds"] == 5
    [lost] = [each for each in differences(api, ended) if each["kind"] == "dead-lettered"]
    assert f"from {poison} to {poison}" in lost["detail"]
    assert len([event for event in log.events if event["event"] == "chunk_split"]) == 1


def test_the_database_rejects_success_with_wrong_counts(club: Club) -> None:
    job = post_import(club.api, lines_of(rounds_to_import(2, "attic"))).headers["Location"]
    succeed = "UPDATE jobs SET state = 'succeeded', ended_at = now() WHERE id = %s"
    with pytest.raises(psycopg.errors.CheckViolation, match="received 2 and accounted for 0"):
        club.house.change(succeed, club.api.get(job)["id"])
    assert club.work_on(job)["state"] == "succeeded"


def lose_chunk(club: Club, job: str, number: int) -> None:
    """Delete a chunk, as if the plan had omitted it."""
    club.house.change("DELETE FROM job_chunks WHERE job_id = %s AND number = %s", club.api.get(job)["id"], number)
