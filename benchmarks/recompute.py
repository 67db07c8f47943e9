"""
Measure how many stored hands one worker audits per second, against reading the same rows and throwing them away.

The floor sends the very queries of the audit, as `COPY … TO STDOUT (FORMAT binary)`, and looks at nothing that comes.
Both take the rounds in the stretches that a worker takes. Runs alternate, so that a slow moment of the machine meets
both. Rounds are imported once and then copied by the owner of the tables, with other ids and times.

Example: python -m benchmarks.recompute --runs 5 --hands 100000 1000000 3000000
"""

import argparse
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from random import Random
from statistics import median
from typing import Final

import psycopg
from psycopg import sql

from benchmarks.import_rounds import Bench, bench, make_lines
from service.jobs.recomputations import MOST_HANDS
from service.repository import rulesets
from service.repository.packed.queries import Scope, Stretch, packed_queries, stretch_parameters
from service.repository.recomputations import cut_stretches
from service.repository.whole_rounds import COLUMNS
from service.usecases.audit_rounds import audit_rounds

IMPORTED: Final = 1000
"""Rounds of three hands that are played; all others are copies of them."""


def fill(made: Bench, hands: int) -> None:
    """Fill the database with so many hands, a thousand rounds an hour."""
    with psycopg.connect(made.superuser) as connection:
        connection.execute("SET session_replication_role = replica")  # copies of what was checked are right
        connection.execute("""
            CREATE OR REPLACE FUNCTION pg_temp.later(id uuid, hours integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
                SELECT (lpad(to_hex(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
                    + hours * 3600000::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid
            $$
        """)
        [(there,)] = connection.execute("SELECT count(*) FROM rounds").fetchall()
        first, last = there // IMPORTED, hands // (3 * IMPORTED)
        for table, columns in COLUMNS.items():
            if table in ("events", "submissions"):
                continue  # no audit reads them
            names = [name.strip() for name in columns.split(",")]
            shown = [
                f"pg_temp.later({name}, copy)"
                if name in ("id", "round_id", "hand_id")
                else f"{name} || '/' || copy"
                if name == "reference"
                else name
                for name in names
            ]
            key = "id" if table == "rounds" else "round_id"
            statement = (
                f"INSERT INTO {table} ({columns}) SELECT {', '.join(shown)} FROM {table},"
                f" generate_series({first}, {last - 1}) AS copy WHERE {key} <= %s"
            )
            connection.execute(sql.SQL(statement), [imported(connection)])  # type: ignore[arg-type]  # no text of users
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")


def imported(connection: psycopg.Connection) -> object:
    """Find the last of the rounds that were played."""
    query = "SELECT id FROM rounds ORDER BY id LIMIT 1 OFFSET %s"
    [(last,)] = connection.execute(query, [IMPORTED - 1]).fetchall()
    return last


def stretches_of(made: Bench, hands: int) -> list[Stretch]:
    """Cut the first rounds, of so many hands together, as a worker does."""
    with made.service.transaction(made.club) as transaction:
        cut = [stretch for stretch, _ in cut_stretches(transaction, Scope(), MOST_HANDS)]
    return cut[: max(hands // MOST_HANDS, 1)]


def read(made: Bench, stretches: Sequence[Stretch]) -> float:
    """Read what an audit reads, and throw it away."""
    started = time.perf_counter()
    for stretch in stretches:
        with made.service.transaction(made.club) as transaction:
            names = [(each.name, each.version) for each in rulesets.list_readable(transaction)]
            parameters = {
                **stretch_parameters(transaction, stretch),
                "names": [name for name, _ in names],
                "numbers": [version for _, version in names],
            }
            for query in packed_queries(stretch.scope).values():
                transaction.copy_out(query, parameters)
    return time.perf_counter() - started


def audit(made: Bench, stretches: Sequence[Stretch]) -> tuple[float, int]:
    """Audit, and give the seconds taken and the hands that were found."""
    started, hands = time.perf_counter(), 0
    for stretch in stretches:
        with made.service.transaction(made.club) as transaction:
            rules = {(each.name, each.version): each.rules for each in rulesets.list_readable(transaction)}
            found = audit_rounds(transaction, stretch, rules, None)
            if found.suspects:
                raise SystemExit("a round differs that is right")
            hands += found.hands
    return time.perf_counter() - started, hands


def measure(made: Bench, sizes: Sequence[int], runs: int) -> Iterator[tuple[int, list[float], list[float]]]:
    """Give, for each size, the rates of reading and of auditing; the sizes take turns."""
    cuts = {size: stretches_of(made, size) for size in sizes}
    rates: dict[int, tuple[list[float], list[float]]] = {size: ([], []) for size in sizes}
    for run in range(runs + 1):
        for size, stretches in cuts.items():
            reading = read(made, stretches)
            seconds, hands = audit(made, stretches)
            if run:  # the first warms both up
                rates[size][0].append(hands / reading)
                rates[size][1].append(hands / seconds)
    for size, (floors, audits) in rates.items():
        yield size, floors, audits


def main() -> int:
    """Print both rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="alternating runs of each (default 5)")
    parser.add_argument("--hands", type=int, nargs="+", default=[60_000], help="how many are stored (default 60000)")
    chosen = parser.parse_args()
    with bench() as made:
        made.import_lines(make_lines(IMPORTED, Random(1)), 500)
        fill(made, max(chosen.hands))
        for size, floors, audits in measure(made, chosen.hands, chosen.runs):
            ratio = median(mine / floor for mine, floor in zip(audits, floors, strict=True))
            cost = 1e6 / median(audits)
            print(
                f"{size} hands: read {median(floors):.0f}/s, audited {median(audits):.0f}/s, {cost:.1f} µs a hand,"
                f" ratio {ratio:.2f}"
            )
    print(f"most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
