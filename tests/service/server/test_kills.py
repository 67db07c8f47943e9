"""
Processes are killed under load, at any moment: nothing confirmed by a response is lost, half-done or done twice.

A failure names its seed. `OFC_SEED=1234` in the environment begins there.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from random import Random
from threading import Event

import psutil
import pytest

from service.server.embedded import OWNER, Cluster
from tests.oracle import PRESETS, random_document
from tests.support.application import Records
from tests.support.scorekeepers import CompletedRequest, Scorekeeper
from tests.support.server_process import Running, command, running, wait_until

KINDS = ["web process"] * 4 + ["backend"] * 3 + ["PostgreSQL"] * 3
"""The processes that are killed in one run of the service, in any order; at its end all are."""
PEOPLE = 6


class Killer:
    """Kills one process of the service after the other at random times, and finally all of them."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(f"kills {seed}")

    def kill_all(self, service: Running) -> None:
        for kind in self._rng.sample(KINDS, len(KINDS)):
            time.sleep(self._rng.uniform(0.05, 1.5))
            assert wait_until(lambda kind=kind: self._kill(kind, service)), f"no {kind} to kill; {service.log}"
        time.sleep(self._rng.uniform(0.05, 1.5))
        service.up.kill()

    def _kill(self, kind: str, service: Running) -> bool:
        try:
            processes = list(self._find(kind, service))
            if processes:
                self._rng.choice(processes).kill()
        except psutil.NoSuchProcess:
            return False
        return bool(processes)

    @staticmethod
    def _find(kind: str, service: Running) -> Iterator[psutil.Process]:
        name = "service.server.web" if kind == "web process" else "postgres"
        for process in psutil.Process(service.up.pid).children():
            if name in " ".join(process.cmdline()[:3]):
                if kind in ("PostgreSQL", "web process"):
                    yield process
                else:
                    yield from (child for child in process.children() if "ofc_service" in " ".join(child.cmdline()))


def play_through(directory: Path, lives: Sequence[Callable[[Running], None]], seed: int) -> None:
    """Play while the service is killed and restarted several times; then check that every response is stored."""
    print(f"seed {seed}")
    documents = [random_document(Random(f"{name} {seed}"), ruleset) for name, ruleset in PRESETS.items()]
    enough = Event()
    with ExitStack() as stack:
        service = stack.enter_context(running(directory, OFC_WORKERS="2"))
        urls, key = [service.url], (directory / "api-key").read_text().strip()
        people = [
            Scorekeeper(
                f"scorekeeper {number}", Random(f"scorekeeper {number} {seed}"), key, lambda: urls[-1], documents
            )
            for number in range(PEOPLE)
        ]
        for person in people:
            stack.callback(person.close)
        with ThreadPoolExecutor(PEOPLE) as pool:
            playing = [pool.submit(person.play_until, enough) for person in people]
            try:
                for end in lives:
                    end(service)
                    service = stack.enter_context(running(directory, OFC_WORKERS="2"))
                    urls.append(service.url)
            finally:
                enough.set()
            for player in playing:
                player.result()
        say_how_it_went(people)
        with ThreadPoolExecutor(PEOPLE) as pool:
            assert list(pool.map(Scorekeeper.check, people)) == [None] * PEOPLE
        assert "ofc_points_imbalance 0.0" in service.get("/metrics").text
        check_records(Records(Cluster(directory).url(OWNER)), people)
        check_events(directory)


def check_records(records: Records, people: list[Scorekeeper]) -> None:
    """Check that no request was stored partially or twice."""
    rounds = [round_ for person in people for round_ in person.rounds]
    stored = sum(request.key is not None for person in people for request in person.completed)
    counted = records.count_records()
    assert counted["rounds"] == counted["round_heads"] == len(rounds)
    assert counted["hands"] == sum(round_.recordings for round_ in rounds)
    assert counted["idempotent_responses"] == stored
    assert counted["tables"] == len(rounds), "each is played at a table of its own"
    twice = "SELECT round_id FROM hand_scores GROUP BY round_id, revision, number HAVING count(*) > 1"
    unscored = "SELECT id FROM hands WHERE id NOT IN (SELECT hand_id FROM hand_scores)"
    events = "SELECT count(*) FROM events e WHERE e.round_id = h.round_id"
    with_gaps = f"SELECT round_id FROM round_heads h WHERE version <> ({events})"
    stray = "SELECT id FROM submissions WHERE id NOT IN (SELECT submission_id FROM hands)"
    for query in (twice, unscored, with_gaps):
        assert records.query(query) == [], query
    without_hands = sum(not round_.document["hands"] for round_ in rounds)
    assert len(records.query(stray)) <= without_hands


def check_events(directory: Path) -> None:
    """Verify every record, and the chains of the audit trail, against the events."""
    verified = command("verify", "--data", str(directory), "--json")
    summary = json.loads(verified.stdout.splitlines()[-1])["summary"]
    assert summary["found"] == {}, verified
    assert summary["events"] > 0


def say_how_it_went(people: list[Scorekeeper]) -> None:
    requests = [one for person in people for one in person.completed]
    rounds = sum(len(person.rounds) for person in people)
    batches = [one for one in requests if isinstance(one.document, str)]
    repeated = sum(one.attempts > 1 for one in requests)
    replayed = sum("Idempotent-Replayed" in one.response.headers for one in requests)
    print(f"{rounds} rounds, {len(requests)} requests completed, {repeated} of them sent more than once,")
    print(f"{replayed} with what had been stored before; the longest waited {max(map(waited, requests)):.2f} s")
    print(f"{len(batches)} batches, {sum(one.attempts > 1 for one in batches)} of them sent more than once")
    assert batches
    assert repeated, "nobody was disturbed, which is no proof"


def waited(request: CompletedRequest) -> float:
    return request.ended - request.begun


@pytest.fixture
def seed() -> int:
    return int(os.environ.get("OFC_SEED") or time.time_ns() % 1_000_000)


@pytest.mark.thorough
def test_kills_under_load_lose_and_repeat_nothing(tmp_path: Path, seed: int) -> None:
    play_through(tmp_path, [Killer(seed).kill_all], seed)


@pytest.mark.verify
def test_fifty_kills_lose_nothing(tmp_path: Path, seed: int) -> None:
    play_through(tmp_path, [Killer(seed).kill_all] * 5, seed)


@pytest.mark.thorough
def test_stopping_under_load_loses_nothing(tmp_path: Path, seed: int) -> None:
    def stop(service: Running) -> None:
        time.sleep(2)
        assert service.stop(signal.SIGTERM) == 0
        assert service.left_over() == []

    play_through(tmp_path, [stop], seed)
