"""
Measure how many events a second `ofc-server verify` holds against their bytes and chains, their rounds, and the tree.

Rounds of three hands are imported, five events each, and join the tree. One process looks at all of it, page by page,
with PostgreSQL on the same machine; each pass is timed by itself, by the clock and by processor time, that of Python
and that of PostgreSQL. Then as many processes as there are cores look at all of it side by side.

Example: python -m benchmarks.verify --rounds 20000 --runs 3
"""

import argparse
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from functools import reduce
from operator import add, sub
from random import Random
from statistics import median
from typing import NamedTuple

import psutil
from sqlalchemy import text

from benchmarks.database import time_of_server
from benchmarks.import_rounds import Bench, bench, make_lines
from benchmarks.recompute import FORGETFUL
from service.audit_trail.actions import join_events
from service.db import Database
from service.verification.verify_database import Page, Pass, verify_database
from service.verification.verify_in_parallel import verify_in_parallel

_AT_ONCE = 2000


def fill(database: Bench, rounds: int) -> None:
    """Import so many rounds, and let their events join the tree."""
    rng = Random(1)
    for start in range(0, rounds, _AT_ONCE):
        database.import_lines(make_lines(min(_AT_ONCE, rounds - start), rng), 500)
    while join_events(database.service, database.club, None):
        pass
    database.analyze()


class Taken(NamedTuple):
    """Events, and seconds: by the clock, and of the processor in Python and in PostgreSQL."""

    events: int
    clock: float
    python: float
    database: float

    def plus(self, other: "Taken") -> "Taken":
        """Add up."""
        return Taken(*map(add, self, other))


def measure(owner: Database, database: Bench) -> dict[Pass, Taken]:
    """Look at all of it once, and say what every pass has taken."""
    taken: dict[Pass, Taken] = defaultdict(lambda: Taken(0, 0, 0, 0))
    with owner.reading(database.club) as transaction:
        backend = psutil.Process(transaction.execute(text("SELECT pg_backend_pid()")).scalar_one())
    server = psutil.Process(backend.ppid())

    def now() -> Taken:
        return Taken(0, time.perf_counter(), time.process_time(), time_of_server(server))

    passing, before = Pass.CLUB, now()
    for page in verify_database(owner, [database.club]):
        refuse_findings(page)
        after = now()
        taken[passing] = taken[passing].plus(Taken(page.events, *map(sub, after[1:], before[1:])))
        passing, before = page.position.passing if page.position else passing, after
    return taken


def measure_side_by_side(owner: Database, database: Bench, processes: int) -> float:
    """Look at all of it once in several processes; seconds, with those in which the others are loaded."""
    began = time.perf_counter()
    for page in verify_in_parallel(owner, [database.club], processes=processes):
        refuse_findings(page)
    return time.perf_counter() - began


def refuse_findings(page: Page) -> None:
    """Stop where something is found that is right."""
    if page.findings:
        raise SystemExit(f"something is found that is right: {page.findings[0]}")


def main() -> int:
    """Print the rate of every pass, of all of them, and of all of them side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="times that all of it is looked at (default 3)")
    parser.add_argument("--rounds", type=int, default=20_000, help="rounds of three hands (default 20000)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="side by side (default: all cores)")
    chosen = parser.parse_args()
    with bench(FORGETFUL) as database:
        fill(database, chosen.rounds)
        owner = Database(database.superuser, role=None, pool_size=1)
        measure(owner, database)  # warms up
        alone, together = [], []
        for _ in range(chosen.runs):
            alone.append(measure(owner, database))
            together.append(measure_side_by_side(owner, database, chosen.processes))
        owner.close()
    events = alone[0][Pass.ROUNDS].events
    for passing in alone[0]:
        report(passing.value, alone[0][passing].events, [run[passing] for run in alone])
    report("all of it, in one process", events, [reduce(Taken.plus, run.values()) for run in alone])
    print(
        f"all of it, in {chosen.processes} processes: {events / median(together):.0f} events/s, from the first moment:"
        " until the others are loaded one looks at it alone"
    )
    print(f"most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    print(f"of a process beside others {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB")
    return 0


def report(what: str, events: int, runs: Sequence[Taken]) -> None:
    """Print the rate of a pass, and what each event took; of few events nothing."""
    if events > _AT_ONCE:
        clock, python, database = (1e6 * median(run[place] for run in runs) / events for place in (1, 2, 3))
        print(
            f"{what}: {events} events, {1e6 / clock:.0f} events/s; {clock:.1f} µs each, of the processor {python:.1f}"
            f" in Python and {database:.1f} in PostgreSQL: {1e6 / (python + database):.0f} events/s by processor time"
        )


if __name__ == "__main__":
    sys.exit(main())
