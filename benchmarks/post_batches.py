"""
Measure how many hands are recorded per second by `POST /v1/hands`, against a floor in the same run.

Each client posts batches of up to 500 lines, one after the other: complete rounds of three hands. The floor
(`benchmarks/copy_floor.py`) reads the same lines with `json.loads` and brings the rows that the batches have added to
the same tables by COPY, by one connection. The runs alternate. Then single hands are posted at a steady rate while the
same clients go on posting batches.

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

from benchmarks.copy_floor import CopyFloor, Taken, report, subtract_rows
from benchmarks.database import open_cluster
from benchmarks.post_hands import (
    SEATS,
    STEADY,
    STEADY_SECONDS,
    Server,
    database_seconds,
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
BATCHES_OF_A_CLIENT: Final = 4
"""In a run, so that its time is not that of the web process which happens to get one batch more than the other."""
NDJSON: Final = "application/x-ndjson"


@dataclass
class Clients:
    """Clients of the service that post batches at once, each to its own tables."""

    service: Server
    number: int
    rng: Random
    batches: int = field(init=False)
    tables: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.batches = self.number * BATCHES_OF_A_CLIENT
        self.tables = set_up_tables(self.service, self.batches * ROUNDS_IN_A_BATCH)

    def make_batches(self) -> list[bytes]:
        """Open a round at every table and return the batches of all clients."""
        opened = open_rounds(self.service, self.tables)
        dealt = make_hands(len(opened), self.rng)
        lines = [
            b"".join(json.dumps({"round": each, **json.loads(hand)}).encode() + b"\n" for hand in hands)
            for each, hands in zip(opened, dealt, strict=True)
        ]
        return [b"".join(lines[place :: self.batches]) for place in range(self.batches)]

    def measure(self, batches: Sequence[bytes], owner: str) -> Taken:
        """Post the batches, and return the time taken."""
        processor = self.service.processor_seconds + database_seconds(owner)
        started = time.perf_counter()
        self.post(batches)
        clock = time.perf_counter() - started
        return Taken(clock, self.service.processor_seconds + database_seconds(owner) - processor)

    def post(self, batches: Sequence[bytes]) -> None:
        """Post the batches, of which every hand must be recorded."""
        for content in post_at_once(self.service, "/v1/hands", batches, self.number):
            statuses = {json.loads(line)["status"] for line in content.splitlines()}
            if statuses != {"recorded"}:
                raise SystemExit(f"The hands of a batch are {statuses}; expected 'recorded' only.")


def post_at_once(server: Server, path: str, batches: Sequence[bytes], clients: int) -> list[bytes]:
    """Post batches from several clients at once and return the response bodies."""

    def post(batch: bytes) -> bytes:
        connection = server.connect()
        connection.request("POST", path, batch, {"Content-Type": NDJSON, **server.headers})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status not in (200, 201):
            raise SystemExit(f"{path} responded with {response.status}: {content.decode()[:500]}")
        return content

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(post, batches))


def measure(clients: Clients, owner: str, runs: int) -> None:
    """Post batches to the service and copy their rows in turn, and print the rates."""
    floor = CopyFloor(owner)
    floors, batches = [], []
    for run in range(runs + 1):
        posted = clients.make_batches()
        opened = floor.read_rows()
        taken = clients.measure(posted, owner)
        added = subtract_rows(floor.take_rows(), opened)
        # The state of a round changes with its hands; the floor inserts it.
        copied = floor.measure(b"".join(posted).splitlines(), added, {**opened, "round_heads": b""})
        if run:  # the first warmed both up
            floors.append(copied)
            batches.append(taken)
    hands = clients.batches * ROUNDS_IN_A_BATCH * len(SEATS)
    report("median", "batches", hands, [each.clock for each in floors], [each.clock for each in batches])
    processor = [each.processor for each in floors], [each.processor for each in batches]
    report("median of processor time", "batches", hands, *processor)


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
        headers = {"Authorization": f"Bearer {create_club_with_key(owner, 'bench')}"}
        url = Config(cluster.url("ofc_service"), owner).database_url
        service = stack.enter_context(serve("service.wsgi:app", url, chosen.workers, headers, home / "log"))
        clients = Clients(service, chosen.clients, Random(1))
        measure(clients, owner, chosen.runs)
        measure_single_hands(clients, STEADY_SECONDS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
