"""
Measure how many events a second `ofc-server verify` holds against their bytes and chains, their rounds, and the tree.

Rounds of three hands are imported, five events each, and join the tree. One process looks at all of it, page by page,
with PostgreSQL on the same machine; each pass is timed by itself.

Example: python -m benchmarks.verify --rounds 20000 --runs 3
"""

import argparse
import resource
import sys
import time
from collections import defaultdict
from random import Random
from statistics import median

from benchmarks.import_rounds import Bench, bench, make_lines
from benchmarks.recompute import FORGETFUL
from service.database import Database
from service.usecases.make_checkpoint import join_events
from service.usecases.verify_database import Pass, Position, verify_database

_AT_ONCE = 2000


def fill(made: Bench, rounds: int) -> None:
    """Import so many rounds, and let their events join the tree."""
    rng = Random(1)
    for start in range(0, rounds, _AT_ONCE):
        made.import_lines(make_lines(min(_AT_ONCE, rounds - start), rng), 500)
    while join_events(made.service, made.club, None):
        pass


def measure(owner: Database, made: Bench) -> dict[Pass, tuple[int, float, float]]:
    """Look at all of it once; of each pass the events, and the seconds by the clock and of the processor in Python."""
    events: dict[Pass, int] = defaultdict(int)
    clock: dict[Pass, float] = defaultdict(float)
    processor: dict[Pass, float] = defaultdict(float)
    passing, began, worked = Pass.CLUB, time.perf_counter(), time.process_time()
    for page in verify_database(owner, [made.club], start=Position(made.club, passing)):
        if page.findings:
            raise SystemExit(f"something is found that is right: {page.findings[0]}")
        ended, done = time.perf_counter(), time.process_time()
        events[passing] += page.events
        clock[passing] += ended - began
        processor[passing] += done - worked
        passing = page.position.passing if page.position else passing
        began, worked = ended, done
    return {each: (events[each], clock[each], processor[each]) for each in events}


def main() -> int:
    """Print the rate of every pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="times that all of it is looked at (default 3)")
    parser.add_argument("--rounds", type=int, default=20_000, help="rounds of three hands (default 20000)")
    chosen = parser.parse_args()
    with bench(FORGETFUL) as made:
        fill(made, chosen.rounds)
        owner = Database(made.superuser, role=None, pool_size=1)
        runs = [measure(owner, made) for _ in range(chosen.runs + 1)][1:]  # the first warms up
        owner.close()
    for passing, (events, _, _) in runs[0].items():
        if events > _AT_ONCE:
            clock, processor = (median(run[passing][place] for run in runs) for place in (1, 2))
            print(
                f"{passing.value}: {events} events, {events / clock:.0f} events/s; {1e6 * clock / events:.1f} µs each,"
                f" {1e6 * processor / events:.1f} of the processor in Python"
            )
    print(f"most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
