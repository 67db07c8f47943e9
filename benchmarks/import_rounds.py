"""
Measure how many hands one worker imports per second, against a floor in the same run.

The floor (`benchmarks/copy_floor.py`) reads the same lines with `json.loads` and brings the same rows to the same
tables by COPY. Runs alternate, each in a database of its own size: a slow moment of the machine meets both.

Example: python -m benchmarks.import_rounds --runs 5 --rounds 2000 --at-once 500
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Final
from uuid import UUID

import psycopg
from sqlalchemy import text

from benchmarks.copy_floor import CopyFloor, Taken, report
from benchmarks.database import open_cluster
from benchmarks.post_hands import RULESET, SEATS, STACK, make_hands
from service.clubs.actions import create_club_with_key
from service.db import Database
from service.imports.actions.rounds import import_rounds
from service.server.embedded import OWNER
from service.server.embedded.cluster import DURABLE

TABLES: Final = 20


@dataclass(frozen=True)
class Bench:
    """A database, and the ways into it."""

    superuser: str
    service_url: str
    service: Database
    club: UUID

    def import_lines(self, lines: Sequence[bytes], at_once: int) -> Taken:
        """Import lines as a worker does, so many in each transaction, and give the time taken."""
        numbered = list(enumerate(lines))
        with self.service.transaction(self.club) as transaction:
            backend = int(transaction.execute(text("SELECT pg_backend_pid()")).scalar_one())
        before = Taken.until_now(backend)
        for start in range(0, len(numbered), at_once):
            with self.service.transaction(self.club) as transaction:
                imported = import_rounds(transaction, numbered[start : start + at_once], is_final=True)
            if any(each.status != "stored" for each in imported):
                raise SystemExit("a line was not stored")
        return Taken.until_now(backend).since(before)

    def analyze(self) -> None:
        """Remove dead rows, and have PostgreSQL count the others, as its own worker does after some time."""
        with psycopg.connect(self.superuser, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


@contextmanager
def bench(settings: Mapping[str, str] = DURABLE) -> Iterator[Bench]:
    """Make a database on an embedded PostgreSQL, with the settings of one that is there to stay."""
    with open_cluster(settings) as (_home, cluster):
        owner = cluster.url(OWNER)
        create_club_with_key(owner, "bench")
        with psycopg.connect(owner) as connection:
            [(club,)] = connection.execute("SELECT id FROM clubs").fetchall()
        url = cluster.url("ofc_service")
        service = Database(url)
        yield Bench(owner, url, service, club)
        service.close()


def make_lines(count: int, rng: Random) -> list[bytes]:
    """Deal complete rounds of three hands, at a few tables."""
    seats = [{"seat": seat, "player": f"player {seat}", "stack": STACK} for seat in SEATS]
    return [
        json.dumps(
            {
                "ruleset": RULESET,
                "table": f"table {number % TABLES}",
                "reference": f"{rng.getrandbits(64):x}",
                "seats": seats,
                "hands": [json.loads(hand) for hand in hands],
            }
        ).encode()
        for number, hands in enumerate(make_hands(count, rng))
    ]


def main() -> int:
    """Print both rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="alternating runs of each (default 5)")
    parser.add_argument("--rounds", type=int, default=2000, help="rounds of three hands a run (default 2000)")
    parser.add_argument("--at-once", type=int, default=500, help="rounds in one transaction (default 500)")
    chosen = parser.parse_args()
    rng = Random(1)
    floors, imports = [], []
    hands = chosen.rounds * len(SEATS)
    with bench() as database:
        floor = CopyFloor(database.superuser)
        for run in range(chosen.runs + 1):
            lines = make_lines(chosen.rounds, rng)
            mine = database.import_lines(lines, chosen.at_once)
            copied = floor.measure(lines, floor.take_rows())
            if run:  # the first warms both up
                imports.append(mine)
                floors.append(copied)
                report(f"run {run}", "import", hands, [copied.clock], [mine.clock])
    report("median", "import", hands, [each.clock for each in floors], [each.clock for each in imports])
    processor = [each.processor for each in floors], [each.processor for each in imports]
    report("median of processor time", "import", hands, *processor)
    return 0


if __name__ == "__main__":
    sys.exit(main())
