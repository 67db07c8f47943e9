"""
Measure how many hands are recorded per second over HTTP, against a floor in the same run.

The floor (`benchmarks/floor.py`) is a minimal Flask application under the same gunicorn, with as many workers and
threads and on the same database server, that inserts the same JSON as one row and commits. Runs alternate, so that a
slow moment of the machine meets both. Then hands come at a steady rate, and the time of each answer is taken.

Example: python -m benchmarks.post_hands --runs 5 --clients 4
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final

import psycopg

from benchmarks.score_hands import deal, set_well
from scoring.presets import PRESETS
from service.config import Config
from service.database import migrate
from service.embedded import OWNER, Cluster
from service.running.address import address_of, listen
from service.usecases.found_club import found_club

RULESET: Final = "pineapple-1-6-us-none"
SEATS: Final = (1, 2, 3)
STACK: Final = 1_000_000
STEADY: Final = 100


@dataclass(frozen=True)
class Server:
    """An application under gunicorn."""

    port: int
    headers: dict[str, str]

    def connect(self) -> http.client.HTTPConnection:
        """Open a connection that is kept."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def post(self, connection: http.client.HTTPConnection, path: str, body: bytes) -> Any:
        """Post a document, and insist that it is taken."""
        connection.request("POST", path, body, {"Content-Type": "application/json", **self.headers})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 201:
            raise SystemExit(f"{path} answered {answer.status}: {content.decode()}")
        return json.loads(content)


@contextmanager
def gunicorn(application: str, url: str, workers: int, headers: dict[str, str]) -> Iterator[Server]:
    """Serve an application as the service is served."""
    with listen("127.0.0.1", 0) as listener:
        command = [sys.executable, "-m", "gunicorn", "--config", "python:service.gunicorn_config"]
        options = ["--bind", f"fd://{listener.fileno()}", "--workers", str(workers), application]
        environment = {**os.environ, "OFC_DATABASE_URL": url}
        process = subprocess.Popen([*command, *options], env=environment, pass_fds=[listener.fileno()])
        try:
            yield Server(address_of(listener).port, headers)
        finally:
            process.terminate()
            process.wait(30)


def make_hands(count: int, rng: Random) -> list[list[bytes]]:
    """Deal complete rounds: each seat has the button once, and nobody enters Fantasyland."""
    return [[_hand(number, button, rng) for number, button in enumerate(SEATS, start=1)] for _ in range(count)]


def _hand(number: int, button: int, rng: Random) -> bytes:
    boards = deal(set_well, PRESETS[RULESET], rng)
    players = [
        {"seat": seat, **{row.value: [str(card) for card in cards] for row, cards in board.items()}}
        for seat, board in zip(SEATS, boards, strict=True)
    ]
    return json.dumps({"number": number, "button": button, "players": players}).encode()


def set_up_tables(service: Server, count: int) -> list[str]:
    """Set up tables, and give their ids."""
    connection = service.connect()
    tables = [json.dumps({"name": f"table {number}", "ruleset": RULESET}).encode() for number in range(count)]
    return [service.post(connection, "/v1/tables", table)["id"] for table in tables]


def open_rounds(service: Server, tables: Sequence[str]) -> list[str]:
    """Open a round at each table, and give their ids."""
    connection = service.connect()
    seats = [{"seat": seat, "player": f"player {seat}", "stack": STACK} for seat in SEATS]
    body = json.dumps({"seats": seats}).encode()
    return [service.post(connection, f"/v1/tables/{table}/rounds", body)["id"] for table in tables]


def hands_per_second(server: Server, paths: Sequence[str], rounds: Sequence[Sequence[bytes]], clients: int) -> float:
    """Post every round's hands in their order, from several clients at once."""

    def play(place: int) -> None:
        connection = server.connect()
        for path, hands in list(zip(paths, rounds, strict=True))[place::clients]:
            for hand in hands:
                server.post(connection, path, hand)

    started = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(play, range(clients)))
    return sum(map(len, rounds)) / (time.perf_counter() - started)


def steady_seconds(server: Server, paths: Sequence[str], rounds: Sequence[Sequence[bytes]], rate: int) -> list[float]:
    """Post hands at a steady rate, each at its time whether the one before is answered or not; give the times taken."""
    posts = [(path, hands[turn]) for turn in range(len(SEATS)) for path, hands in zip(paths, rounds, strict=True)]
    started = time.perf_counter() + 0.1

    def post(at: int) -> float:
        due = started + at / rate
        time.sleep(max(0.0, due - time.perf_counter()))
        path, hand = posts[at]
        server.post(server.connect(), path, hand)
        return time.perf_counter() - due

    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(post, range(len(posts))))


def main() -> int:
    """Print both rates, their ratio, and the answer times at a steady rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="alternating runs of each (default 5)")
    parser.add_argument("--rounds", type=int, default=200, help="rounds of three hands a run (default 200)")
    parser.add_argument("--clients", type=int, default=4, help="clients at once (default 4)")
    parser.add_argument("--workers", type=int, default=2, help="gunicorn workers of each (default 2)")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ofc-bench-")))
        cluster = stack.enter_context(Cluster(home))
        owner = cluster.url(OWNER)
        migrate(owner)
        cluster.allow_login("ofc_service")
        with psycopg.connect(owner) as connection:
            connection.execute("CREATE TABLE floor (id bigserial PRIMARY KEY, hand jsonb NOT NULL)")
        key = found_club(owner, "bench")
        config = Config(cluster.url("ofc_service"), owner)
        headers = {"Authorization": f"Bearer {key}"}
        service = stack.enter_context(gunicorn("service.wsgi:app", config.database_url, chosen.workers, headers))
        floor = stack.enter_context(gunicorn("benchmarks.floor:app", owner, chosen.workers, {}))
        report(service, floor, chosen)
    return 0


def report(service: Server, floor: Server, chosen: argparse.Namespace) -> None:
    """Run, and print the figures."""
    rng = Random(1)
    tables = set_up_tables(service, chosen.rounds)
    floors, services = [], []
    for run in range(chosen.runs + 1):
        rounds = make_hands(chosen.rounds, rng)
        opened = open_rounds(service, tables)
        floor_rate = hands_per_second(floor, ["/hands"] * len(rounds), rounds, chosen.clients)
        service_rate = hands_per_second(
            service, [f"/v1/rounds/{each}/hands" for each in opened], rounds, chosen.clients
        )
        if run:  # the first warms both up
            floors.append(floor_rate)
            services.append(service_rate)
            print(
                f"run {run}: floor {floor_rate:6.0f}/s, service {service_rate:6.0f}/s, {service_rate / floor_rate:.2f}"
            )
    ratios = [mine / least for mine, least in zip(services, floors, strict=True)]
    print(f"median: floor {median(floors):.0f}/s, service {median(services):.0f}/s, ratio {median(ratios):.2f}")
    opened = open_rounds(service, tables)
    rounds = make_hands(chosen.rounds, rng)
    times = steady_seconds(service, [f"/v1/rounds/{each}/hands" for each in opened], rounds, STEADY)
    cuts = quantiles(times, n=100)
    print(f"at {STEADY}/s: median {median(times) * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
