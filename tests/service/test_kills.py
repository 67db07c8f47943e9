"""
Processes are killed under load, at any moment: nothing answered is lost, nothing is half-done, nothing is done twice.

A failure names its seed. `OFC_SEED=1234` in the environment begins there.
"""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event

import psutil
import pytest

from service.embedded import OWNER, Cluster
from tests.oracle import PRESETS, random_document
from tests.service.house import Records
from tests.service.running import Running, running, wait_until
from tests.service.scorekeepers import Scorekeeper

KINDS = ["web worker"] * 4 + ["backend"] * 3 + ["PostgreSQL"] * 3
"""Who dies in one life of the service, in any order; at its end all of it does."""
PEOPLE = 6


@dataclass
class Killer:
    """Kills a part of the service after the other, and looks how long it is away."""

    rng: Random
    killed: list[tuple[str, float]] = field(default_factory=list)

    def kill_all(self, service: Running) -> None:
        for kind in self.rng.sample(KINDS, len(KINDS)):
            time.sleep(self.rng.uniform(0.05, 1.5))
            assert wait_until(lambda kind=kind: self._kill(kind, service)), f"no {kind} to kill"
        time.sleep(self.rng.uniform(0.05, 1.5))
        service.up.kill()
        self.killed.append(("all of it", time.monotonic()))

    def _kill(self, kind: str, service: Running) -> bool:
        try:
            found = list(self._find(kind, service))
            if found:
                self.rng.choice(found).kill()
                self.killed.append((kind, time.monotonic()))
        except psutil.NoSuchProcess:
            return False
        return bool(found)

    @staticmethod
    def _find(kind: str, service: Running) -> Iterator[psutil.Process]:
        parent = "gunicorn" if kind == "web worker" else "postgres"
        for process in psutil.Process(service.up.pid).children():
            if parent in " ".join(process.cmdline()[:3]):
                if kind == "PostgreSQL":
                    yield process
                elif kind == "web worker":
                    yield from process.children()
                else:
                    yield from (child for child in process.children() if "ofc_service" in " ".join(child.cmdline()))


def play_and_kill(directory: Path, lives: int, seed: int) -> None:
    print(f"seed {seed}")
    documents = [random_document(Random(f"{name} {seed}"), ruleset) for name, ruleset in PRESETS.items()]
    killer, enough = Killer(Random(f"kills {seed}")), Event()
    with ExitStack() as stack:
        service = stack.enter_context(running(directory, OFC_WORKERS="2"))
        urls = [service.url]
        people = [
            stack.enter_context(
                closing(
                    Scorekeeper(
                        f"keeper {number}",
                        Random(f"keeper {number} {seed}"),
                        (directory / "api-key").read_text().strip(),
                        lambda: urls[-1],
                        documents,
                    )
                )
            )
            for number in range(PEOPLE)
        ]
        with ThreadPoolExecutor(PEOPLE) as pool:
            playing = [pool.submit(person.play_until, enough) for person in people]
            try:
                for _ in range(lives):
                    killer.kill_all(service)
                    service = stack.enter_context(running(directory, OFC_WORKERS="2"))
                    urls.append(service.url)
            finally:
                enough.set()
            for player in playing:
                player.result()
        say_how_it_went(people, killer)
        with ThreadPoolExecutor(PEOPLE) as pool:
            assert list(pool.map(Scorekeeper.check, people)) == [None] * PEOPLE
        assert "ofc_points_imbalance 0.0" in service.get("/metrics").text
        check_records(Records(Cluster(directory).url(OWNER)), people)


def check_records(records: Records, people: list[Scorekeeper]) -> None:
    """Look for what nobody was told of: half a request, or one that was done twice."""
    rounds = [round_ for person in people for round_ in person.rounds]
    kept = sum(answered.key is not None for person in people for answered in person.answered)
    counted = records.count_records()
    assert counted["rounds"] == counted["round_heads"] == len(rounds)
    assert counted["hands"] == sum(round_.recordings for round_ in rounds)
    assert counted["kept_answers"] == kept
    assert counted["tables"] == len(rounds), "each is played at a table of its own"
    twice = "SELECT round_id FROM hand_scores GROUP BY round_id, revision, number HAVING count(*) > 1"
    unscored = "SELECT id FROM hands WHERE id NOT IN (SELECT hand_id FROM hand_scores)"
    events = "SELECT count(*) FROM events e WHERE e.round_id = h.round_id"
    with_gaps = f"SELECT round_id FROM round_heads h WHERE version <> ({events})"
    stray = "SELECT id FROM submissions WHERE id NOT IN (SELECT submission_id FROM hands)"
    for query in (twice, unscored, with_gaps):
        assert records.ask(query) == [], query
    without_hands = sum(not round_.document["hands"] for round_ in rounds)
    assert len(records.ask(stray)) <= without_hands


def say_how_it_went(people: list[Scorekeeper], killer: Killer) -> None:
    answered = [one for person in people for one in person.answered]
    rounds = sum(len(person.rounds) for person in people)
    repeated = sum(one.attempts > 1 for one in answered)
    replayed = sum("Idempotent-Replayed" in one.answer.headers for one in answered)
    print(f"{len(killer.killed)} kills, {rounds} rounds, {len(answered)} requests answered, {repeated} of them sent")
    print(f"more than once, {replayed} with what had been stored before")
    print(f"longest wait of a request: {max(one.ended - one.begun for one in answered):.2f} s")


def seed_of_this_run() -> int:
    return int(os.environ.get("OFC_SEED") or time.time_ns() % 1_000_000)


def test_whoever_is_killed_under_load_nothing_is_lost_and_nothing_is_done_twice(tmp_path: Path) -> None:
    play_and_kill(tmp_path, 1, seed_of_this_run())


@pytest.mark.verify
def test_fifty_kills_lose_nothing(tmp_path: Path) -> None:
    play_and_kill(tmp_path, 5, seed_of_this_run())
