"""
Measure how many hands are recorded per second over HTTP, against a floor in the same run.

The floor (`benchmarks/floor.py`) is a minimal Flask application under the same web server, with as many workers and
threads and on the same database server, that inserts the same JSON as one row and commits. Many short runs alternate,
so that a slow moment of the machine meets both. The processor time used is counted too, for a request is
bound by them. Then hands come at a steady rate, and the time of each response is taken.

Example: python -m benchmarks.post_hands --runs 15 --clients 4
"""

import argparse
import http.client
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final

import psutil
import psycopg

from benchmarks.database import open_cluster
from benchmarks.floor import create_table
from benchmarks.score_hands import deal, set_well
from scoring.presets import PRESETS
from service.clubs.actions import create_club_with_key
from service.config import Config
from service.metrics.workers import DIRECTORY
from service.server.address import address_of, listen
from service.server.embedded import OWNER

RULESET: Final = "pineapple-1-6-us-none"
SEATS: Final = (1, 2, 3)
STACK: Final = 1_000_000
STEADY: Final = 100
STEADY_SECONDS: Final = 10


@dataclass(frozen=True)
class Server:
    """An application under the web server."""

    port: int
    headers: dict[str, str]
    processes: list[psutil.Popen]

    @property
    def processor_seconds(self) -> float:
        """What its processes have used."""
        return sum(sum(process.cpu_times()[:2]) for process in self.processes)

    def connect(self) -> http.client.HTTPConnection:
        """Open a persistent connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def post(self, connection: http.client.HTTPConnection, path: str, body: bytes) -> Any:
        """Post a document, and insist that it is taken."""
        connection.request("POST", path, body, {"Content-Type": "application/json", **self.headers})
        response = connection.getresponse()
        content = response.read()
        if response.status != 201:
            raise SystemExit(f"{path} responded with {response.status}: {content.decode()}")
        return json.loads(content)


@contextmanager
def serve(application: str, url: str, workers: int, headers: dict[str, str], log: Path) -> Iterator[Server]:
    """Serve an application as the service is served; it logs as it does, into a file."""
    with listen("127.0.0.1", 0) as listener, tempfile.TemporaryDirectory() as metrics, log.open("a") as stderr:
        environment = {**os.environ, "OFC_DATABASE_URL": url, "OFC_RATE_LIMIT": "0", DIRECTORY: metrics}
        command = [sys.executable, "-m", "service.server.web", application]
        processes = [
            psutil.Popen(
                [*command, str(place), str(workers), str(listener.fileno())],
                env=environment,
                pass_fds=[listener.fileno()],
                stderr=stderr,
            )
            for place in range(workers)
        ]
        try:
            yield Server(address_of(listener).port, headers, processes)
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
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


def set_up_tables(service: Server, count: int, prefix: str = "table") -> list[str]:
    """Set up tables, and give their ids."""
    connection = service.connect()
    tables = [json.dumps({"name": f"{prefix} {number}", "ruleset": RULESET}).encode() for number in range(count)]
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
    """Post hands at a steady rate, each at its time, without waiting for earlier responses; return the times taken."""
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


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """Add the options for the number of clients, rounds and hands."""
    parser.add_argument("--rounds", type=int, default=50, help="rounds of three hands a run (default 50)")
    parser.add_argument("--clients", type=int, default=4, help="clients at once (default 4)")
    parser.add_argument("--workers", type=int, default=2, help="web processes of each (default 2)")


def main() -> int:
    """Print both rates, their ratio, and the response times at a steady rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15, help="alternating runs of each (default 15)")
    add_sizes(parser)
    chosen = parser.parse_args()
    with ExitStack() as stack:
        home, cluster = stack.enter_context(open_cluster())
        owner = cluster.url(OWNER)
        create_table(owner)
        key = create_club_with_key(owner, "bench")
        config = Config(cluster.url("ofc_service"), owner)
        headers = {"Authorization": f"Bearer {key}"}
        log = home / "log"
        service = stack.enter_context(serve("service.wsgi:app", config.database_url, chosen.workers, headers, log))
        floor = stack.enter_context(serve("benchmarks.floor:app", owner, chosen.workers, {}, log))
        measure(service, floor, owner, chosen)
    return 0


@dataclass
class Turns:
    """The results of the runs of one server."""

    rates: list[float]
    server_seconds: float = 0.0
    database_seconds: float = 0.0
    hands: int = 0

    def play(
        self, server: Server, owner: str, paths: Sequence[str], rounds: Sequence[Sequence[bytes]], clients: int
    ) -> None:
        """Take one turn: post every round's hands, and add up what it took."""
        before = server.processor_seconds, database_seconds(owner)
        self.rates.append(hands_per_second(server, paths, rounds, clients))
        self.hands += sum(map(len, rounds))
        self.server_seconds += server.processor_seconds - before[0]
        self.database_seconds += database_seconds(owner) - before[1]

    def show(self) -> str:
        """Write the figures of all runs."""
        mine, database = (1000 * each / self.hands for each in (self.server_seconds, self.database_seconds))
        return (
            f"{median(self.rates):.0f}/s, processor {mine:.2f} ms in Python and {database:.2f} ms in PostgreSQL a hand"
        )


def measure(service: Server, floor: Server, owner: str, chosen: argparse.Namespace) -> None:
    """Run, and print the figures."""
    rng = Random(1)
    tables = set_up_tables(service, chosen.rounds)
    turns = {"floor": Turns([]), "service": Turns([])}
    for run in range(chosen.runs + 1):
        if run == 1:  # the first warmed both up
            turns = {name: Turns([]) for name in turns}
        rounds = make_hands(chosen.rounds, rng)
        paths = [f"/v1/rounds/{each}/hands" for each in open_rounds(service, tables)]
        turns["floor"].play(floor, owner, ["/hands"] * len(rounds), rounds, chosen.clients)
        turns["service"].play(service, owner, paths, rounds, chosen.clients)
    show_ratios(turns)
    measure_steady(service, tables, rng)


def show_ratios(turns: Mapping[str, Turns]) -> None:
    """Print the figures of the floor and of what was measured beside it, and how they compare."""
    for name, turn in turns.items():
        print(f"{name}: median of {len(turn.rates)} runs {turn.show()}")
    floor, *others = turns
    for name in others:
        ratios = [rate / least for rate, least in zip(turns[name].rates, turns[floor].rates, strict=True)]
        print(f"ratio of {name}: median {median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")


def database_seconds(owner: str) -> float:
    """Add up the processor time that the sessions of the database's clients have used."""
    others = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    with psycopg.connect(owner) as connection:
        rows = connection.execute(others).fetchall()
    seconds = 0.0
    for (pid,) in rows:
        with suppress(psutil.NoSuchProcess):  # it has just ended
            seconds += sum(psutil.Process(pid).cpu_times()[:2])
    return seconds


def measure_steady(service: Server, tables: Sequence[str], rng: Random) -> None:
    """Post hands at a steady rate, and print how long the responses took."""
    times: list[float] = []
    while len(times) < STEADY * STEADY_SECONDS:
        paths = [f"/v1/rounds/{each}/hands" for each in open_rounds(service, tables)]
        rounds = make_hands(len(tables), rng)
        times += steady_seconds(service, paths, rounds, STEADY)
    cuts = quantiles(times, n=100)
    print(f"at {STEADY}/s: median {median(times) * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms, {len(times)} responses")


if __name__ == "__main__":
    sys.exit(main())
