"""
Measure how many hands are recorded per second by `POST /v1/hands`, against a floor in the same run.

Each client posts batches of up to 500 lines: complete rounds of three hands. The floor (`benchmarks/floor.py`) is a
minimal Flask application under the same web server and PostgreSQL that inserts each line of a batch as one row and
commits. The runs alternate. Then single hands are posted at a steady rate while the same clients go on posting batches.

Example: python -m benchmarks.post_batches --runs 7 --clients 4
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from statistics import median, quantiles
from typing import Final

from benchmarks.database import open_cluster
from benchmarks.floor import create_table
from benchmarks.post_hands import (
    SEATS,
    STEADY,
    STEADY_SECONDS,
    Server,
    make_hands,
    open_rounds,
    serve,
    set_up_tables,
    steady_seconds,
)
from service.clubs.actions import create_club_with_key
from service.config import Config
from service.server.embedded import OWNER

ROUNDS_IN_A_BATCH: Final = 500 // len(SEATS)
NDJSON: Final = "application/x-ndjson"


@dataclass
class Clients:
    """Clients of the service that post batches at once, each to its own tables."""

    service: Server
    number: int
    rng: Random
    tables: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.tables = set_up_tables(self.service, self.number * ROUNDS_IN_A_BATCH)

    def make_batches(self) -> list[bytes]:
        """Open a round at every table and return a batch for each client."""
        opened = open_rounds(self.service, self.tables)
        dealt = make_hands(len(opened), self.rng)
        lines = [
            b"".join(json.dumps({"round": each, **json.loads(hand)}).encode() + b"\n" for hand in hands)
            for each, hands in zip(opened, dealt, strict=True)
        ]
        return [b"".join(lines[place :: self.number]) for place in range(self.number)]

    def post(self, batches: Sequence[bytes]) -> None:
        """Post one batch from every client, of which every hand must be recorded."""
        for content in post_at_once(self.service, "/v1/hands", batches):
            statuses = {json.loads(line)["status"] for line in content.splitlines()}
            if statuses != {"recorded"}:
                raise SystemExit(f"The hands of a batch are {statuses}; expected 'recorded' only.")


def post_at_once(server: Server, path: str, batches: Sequence[bytes]) -> list[bytes]:
    """Post one batch from every client at once and return the response bodies."""

    def post(batch: bytes) -> bytes:
        connection = server.connect()
        connection.request("POST", path, batch, {"Content-Type": NDJSON, **server.headers})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status not in (200, 201):
            raise SystemExit(f"{path} responded with {response.status}: {content.decode()[:500]}")
        return content

    with ThreadPoolExecutor(len(batches)) as pool:
        return list(pool.map(post, batches))


def measure(clients: Clients, floor: Server, runs: int) -> None:
    """Post batches to the floor and to the service in turn, and print the rates."""
    rates: dict[str, list[float]] = {"floor": [], "service": []}
    for run in range(runs + 1):
        if run == 1:  # the first warmed both up
            rates = {name: [] for name in rates}
        batches = clients.make_batches()
        hands = sum(batch.count(b"\n") for batch in batches)
        started = time.perf_counter()
        post_at_once(floor, "/batches", batches)
        between = time.perf_counter()
        clients.post(batches)
        rates["floor"].append(hands / (between - started))
        rates["service"].append(hands / (time.perf_counter() - between))
    for name, each in rates.items():
        print(f"{name}: median of {runs} runs {median(each):.0f} hands/s, from {min(each):.0f} to {max(each):.0f}")
    ratios = [rate / least for rate, least in zip(rates["service"], rates["floor"], strict=True)]
    print(f"ratio: median {median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")


def measure_single_hands(clients: Clients, seconds: int) -> None:
    """Post single hands at a steady rate while batches are posted, and print how long the responses took."""
    waiting = [clients.make_batches()]
    tables = set_up_tables(clients.service, STEADY * seconds // len(SEATS), prefix="single")
    paths = [f"/v1/rounds/{each}/hands" for each in open_rounds(clients.service, tables)]
    rounds = make_hands(len(tables), clients.rng)
    ended = threading.Event()
    posted = 0

    def post_batches() -> int:
        hands = 0
        while not ended.is_set():
            batches = waiting.pop() if waiting else clients.make_batches()
            clients.post(batches)
            hands += sum(batch.count(b"\n") for batch in batches)
        return hands

    with ThreadPoolExecutor(1) as pool:
        started = time.perf_counter()
        batches = pool.submit(post_batches)
        times = steady_seconds(clients.service, paths, rounds, STEADY)
        ended.set()
        posted = batches.result()
        taken = time.perf_counter() - started
    cuts = quantiles(times, n=100)
    print(
        f"single hands at {STEADY}/s beside {posted / taken:.0f} hands/s in batches and their openings:"
        f" median {median(times) * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms, {len(times)} responses"
    )


def main() -> int:
    """Print both rates, their ratio, and the response times of single hands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="alternating runs of each (default 7)")
    parser.add_argument("--clients", type=int, default=4, help="clients at once (default 4)")
    parser.add_argument("--workers", type=int, default=2, help="web processes of each (default 2)")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        home, cluster = stack.enter_context(open_cluster())
        owner = cluster.url(OWNER)
        create_table(owner)
        headers = {"Authorization": f"Bearer {create_club_with_key(owner, 'bench')}"}
        url = Config(cluster.url("ofc_service"), owner).database_url
        service = stack.enter_context(serve("service.wsgi:app", url, chosen.workers, headers, home / "log"))
        floor = stack.enter_context(serve("benchmarks.floor:app", owner, chosen.workers, {}, home / "log"))
        clients = Clients(service, chosen.clients, Random(1))
        measure(clients, floor, chosen.runs)
        measure_single_hands(clients, STEADY_SECONDS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
