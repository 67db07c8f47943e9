"""
Measure how many stored hands workers audit per second, against reading the same rows and throwing them away.

The floor runs the very queries of the audit through ADBC, and looks at nothing that comes.
Both take the rounds in the stretches that a worker takes: of each size the same number, spread over all of it, so that
what grows with size shows and the run does not last. The sizes take turns, each in a database of its own, and of each
the floor, one worker, and two at once: a slow moment of the machine meets all. Rounds are imported and then copied by
the owner of the tables, with other ids and times: what is read was filled in the order of its ids, as it is in life.

Example: python -m benchmarks.recompute --runs 5 --hands 100000 1000000 3000000
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from random import Random
from statistics import median
from typing import Final
from uuid import UUID

import psutil
import psycopg
from psycopg import sql
from sqlalchemy import text

from benchmarks.copy_floor import COLUMNS
from benchmarks.database import time_of_server
from benchmarks.import_rounds import Bench, bench, make_lines
from service.db import Database, Transaction
from service.db.arrays import read_arrays
from service.recomputations.job import MOST_HANDS
from service.replays.in_bulk import replay_in_bulk
from service.replays.packed.queries import packed_queries, planner_settings
from service.replays.stretches import Stretch, divide, stretch_parameters
from service.rulesets import queries as rulesets

FORGETFUL: Final = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "8GB",
}
"""Filling takes most of the time otherwise; who reads does not notice."""
IMPORTED: Final = 1000
"""Rounds of three hands that are played; all others are copies of them."""

Work = Callable[[Transaction, Stretch], int]
_elsewhere: Database | None = None
"""The database of a process that works beside another."""


def fill(database: Bench, hands: int) -> None:
    """Fill the database with so many hands, a thousand rounds an hour, one hour after the other."""
    with psycopg.connect(database.superuser) as connection:
        connection.execute("SET session_replication_role = replica")  # copies of what was checked are right
        connection.execute("""
            CREATE FUNCTION pg_temp.later(id uuid, hours integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
                SELECT (lpad(to_hex(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
                    + hours * 3600000::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid
            $$
        """)
        copying = [
            copying_statement(connection, table, columns)
            for table, columns in COLUMNS.items()
            if table not in ("events", "submissions")  # no audit reads them
        ]
        for hours in range(1, hands // (3 * IMPORTED)):
            for statement in copying:
                connection.execute(statement, [hours])
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")


def copying_statement(connection: psycopg.Connection, table: str, columns: str) -> sql.Composed:
    """Set aside what was imported into a table, and say how it is copied to so many hours later."""
    copied = sql.Identifier("pg_temp", f"imported_{table}")
    connection.execute(sql.SQL("CREATE TEMP TABLE {} AS TABLE {}").format(copied, sql.Identifier(table)))
    shown = [
        f"pg_temp.later({name}, hours)"
        if name in ("id", "round_id", "hand_id")
        else f"{name} || '/' || hours"
        if name == "reference"
        else f"{name} + hours * {IMPORTED}"
        if name == "table_sequence"
        else name
        for name in (name.strip() for name in columns.split(","))
    ]
    statement = "INSERT INTO {} ({}) SELECT {} FROM {}, CAST(%s AS integer) AS hours"
    return sql.SQL(statement).format(sql.Identifier(table), sql.SQL(columns), sql.SQL(", ".join(shown)), copied)


@dataclass(frozen=True)
class Run:
    """
    What one turn took of each hand, in microseconds.

    Attributes:
        clock: by the clock.
        python: processor time of the worker.
        database: processor time of the database.
    """

    clock: float
    python: float
    database: float


@dataclass(frozen=True)
class Turns:
    """
    What turns took in which rows of one size were read, one worker audited, and two did; and how busy all cores were.

    Attributes:
        database: the database of this size.
        workers: two processes that work there.
        stretches: what is read in each turn.
    """

    database: Bench
    workers: Executor
    stretches: Sequence[Stretch]
    reads: list[Run] = field(default_factory=list)
    audits: list[Run] = field(default_factory=list)
    in_two: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)


@contextmanager
def filled(hands: int, most: int) -> Iterator[Turns]:
    """Make a database with so many hands, and workers that take so many stretches of them."""
    with bench(FORGETFUL) as database:
        database.import_lines(make_lines(IMPORTED, Random(1)), 500)
        fill(database, hands)
        with ProcessPoolExecutor(2, get_context("spawn"), open_elsewhere, [database.service_url]) as workers:
            yield Turns(database, workers, stretches_of(database, most))


def stretches_of(database: Bench, most: int) -> list[Stretch]:
    """Cut all rounds as a worker does, and take so many stretches from all over them."""
    with database.service.transaction(database.club) as transaction:
        cut = [each.stretch for each in divide(transaction, Stretch(), MOST_HANDS).parts]
    count = min(most, len(cut))
    return [cut[place * len(cut) // count] for place in range(count)]


def read(transaction: Transaction, stretch: Stretch) -> int:
    """Read what an audit reads, and throw it away; count the hands."""
    names = [(each.name, each.version) for each in rulesets.list_readable(transaction)]
    parameters = {
        **stretch_parameters(transaction, stretch),
        "names": [name for name, _ in names],
        "numbers": [version for _, version in names],
    }
    queries = packed_queries(stretch.scope)
    with read_arrays(transaction, **planner_settings(stretch.scope)) as arrays:
        results = {name: arrays.query(query, parameters) for name, query in queries.items()}
    return len(results["hands"].values("number"))


def audit(transaction: Transaction, stretch: Stretch) -> int:
    """Audit, and count the hands."""
    rules = {(each.name, each.version): each.rules for each in rulesets.list_readable(transaction)}
    bulk = replay_in_bulk(transaction, stretch, rules)
    _, suspects = bulk.digest()
    if suspects:
        raise SystemExit("a round differs that is right")
    return bulk.hands


def measure(database: Database, club: UUID, stretches: Sequence[Stretch], work: Work) -> tuple[int, Run]:
    """Do some work with every stretch, and give the hands and the time that each took."""
    with database.transaction(club) as transaction:
        backend = int(transaction.execute(text("SELECT pg_backend_pid()")).scalar_one())
    server = psutil.Process(psutil.Process(backend).ppid())
    clock, python, before, hands = time.perf_counter(), time.process_time(), time_of_server(server), 0
    for stretch in stretches:
        with database.transaction(club) as transaction:
            hands += work(transaction, stretch)
    in_database = time_of_server(server) - before
    each = 1e6 / hands
    run = Run((time.perf_counter() - clock) * each, (time.process_time() - python) * each, in_database * each)
    return hands, run


def open_elsewhere(url: str) -> None:
    """Open the database in another process."""
    global _elsewhere
    _elsewhere = Database(url)


def audit_elsewhere(club: UUID, stretches: Sequence[Stretch]) -> tuple[int, int]:
    """Audit in another process, and give the hands, and the most memory that it has had, in MB."""
    assert _elsewhere is not None
    hands, _ = measure(_elsewhere, club, stretches, audit)
    return hands, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def take_turns(turns: Turns, *, counts: bool) -> int:
    """Measure each contender in turn on the same stretches; return the most memory of a worker, in MB."""
    database, stretches = turns.database, turns.stretches
    _, reading = measure(database.service, database.club, stretches, read)
    _, auditing = measure(database.service, database.club, stretches, audit)
    psutil.cpu_percent()
    started = time.perf_counter()
    done = list(turns.workers.map(audit_elsewhere, [database.club] * 2, [stretches[::2], stretches[1::2]]))
    seconds, busy = time.perf_counter() - started, psutil.cpu_percent()
    if counts:
        turns.reads.append(reading)
        turns.audits.append(auditing)
        turns.in_two.append(seconds * 1e6 / sum(hands for hands, _ in done))
        turns.busy.append(busy)
    return max(memory for _, memory in done)


def report(size: int, turns: Turns) -> None:
    """Print what the turns with a size took."""
    ratio = median(reading.clock / auditing.clock for reading, auditing in zip(turns.reads, turns.audits, strict=True))
    faster = median(one.clock / two for one, two in zip(turns.audits, turns.in_two, strict=True))
    print(
        f"{size} hands: read {1e6 / of(turns.reads, 'clock'):.0f}/s, audited {1e6 / of(turns.audits, 'clock'):.0f}/s,"
        f" ratio {ratio:.2f}; {of(turns.audits, 'clock'):.1f} µs a hand, processor"
        f" {of(turns.audits, 'python'):.1f} in Python and {of(turns.audits, 'database'):.1f} in PostgreSQL (read"
        f" {of(turns.reads, 'python'):.1f} and {of(turns.reads, 'database'):.1f}); two workers"
        f" {1e6 / median(turns.in_two):.0f}/s, {faster:.2f} times one, cores {median(turns.busy):.0f} % busy",
        flush=True,
    )


def of(runs: Sequence[Run], what: str) -> float:
    """Return the median of one time over several runs."""
    return median(getattr(run, what) for run in runs)


def main() -> int:
    """Print what every size takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="turns of each (default 5)")
    parser.add_argument("--hands", type=int, nargs="+", default=[60_000], help="how many are stored (default 60000)")
    parser.add_argument("--stretches", type=int, default=6, help="of 20,000 hands, at most, in each turn (default 6)")
    chosen = parser.parse_args()
    memory = 0
    with ExitStack() as stack:
        sizes = {size: stack.enter_context(filled(size, chosen.stretches)) for size in sorted(chosen.hands)}
        for run in range(chosen.runs + 1):
            memory = max(memory, *(take_turns(turns, counts=run > 0) for turns in sizes.values()))
        for size, turns in sizes.items():
            report(size, turns)
    print(f"most memory of a worker {memory} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
