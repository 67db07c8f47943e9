"""
Measure how long the statistics of a player with 100,000 hands take, in a club with several times as many.

The club is made by import: in a third of its rounds `ann` is one of the three players. With `--copies`, the stored
results of the other players are copied under other names, as of more hands. `from the records` are the same sums as
the view computes them from hands, which is what nothing stored would cost.

Example: python -m benchmarks.read_statistics --hands 300000 --copies 9
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from itertools import islice
from random import Random
from statistics import median
from typing import Final

import psycopg
from sqlalchemy import text

from benchmarks.import_rounds import TABLES, Bench, bench
from benchmarks.post_hands import RULESET, SEATS, STACK, make_hands
from service.db import Transaction
from service.imports.actions.rounds import import_rounds
from service.rounds.queries.player_results import RoundStatisticsRecord
from service.statistics.actions import get_player_details, get_player_statistics, list_statistics
from service.statistics.queries.sums import FIGURES, StatisticsFilter

ANN: Final = "ann"
OTHERS: Final = 60
_AT_ONCE: Final = 500
_RUNS: Final = 20


def make_lines(rounds: int, rng: Random, tables: int = TABLES, others: int = OTHERS) -> Iterator[bytes]:
    """Deal complete rounds of three hands; the deals repeat, the players change. `ann` plays every third round."""
    deals = [[json.loads(hand) for hand in hands] for hands in make_hands(min(rounds, 2000), rng)]
    for number in range(rounds):
        players = rng.sample([f"player {other}" for other in range(others)], len(SEATS))
        if number % 3 == 0:
            players[0] = ANN
        yield json.dumps(
            {
                "ruleset": RULESET,
                "table": f"table {number % tables}",
                "reference": f"{number}",
                "opened_at": f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}T20:00:00Z",
                "seats": [
                    {"seat": seat, "player": player, "stack": STACK}
                    for seat, player in zip(SEATS, players, strict=True)
                ],
                "hands": deals[number % len(deals)],
            }
        ).encode()


def fill(database: Bench, lines: Iterator[bytes], *, is_final: bool = True) -> None:
    """Import rounds as a worker does."""
    numbered = enumerate(lines, start=1)
    while part := list(islice(numbered, _AT_ONCE)):
        with database.service.transaction(database.club) as transaction:
            imported = import_rounds(transaction, part, is_final=is_final)
        if any(each.status != "stored" for each in imported):
            raise SystemExit("a line was not stored")


def copy_others(database: Bench, copies: int) -> None:
    """Copy the stored results of the other players under other names."""
    with psycopg.connect(database.superuser, autocommit=True) as connection:
        columns = ", ".join(column.name for column in RoundStatisticsRecord.__table__.columns)
        copied = columns.replace("player,", "player || ' of ' || copy,", 1)
        connection.execute(
            f"INSERT INTO round_statistics ({columns}) SELECT {copied} FROM round_statistics,"
            " generate_series(1, %s) AS copy WHERE player <> 'ann'",
            [copies],
        )
        connection.execute("VACUUM ANALYZE")


def main() -> int:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=300_000, help="hands of the club (default 300,000)")
    parser.add_argument("--copies", type=int, default=0, help="copies of the other players' statistics (default 0)")
    chosen = parser.parse_args()
    rounds = chosen.hands // len(SEATS)
    with bench() as database:
        begun = time.perf_counter()
        fill(database, make_lines(rounds, Random(1)))
        print(f"imported {rounds * len(SEATS)} hands in {time.perf_counter() - begun:.0f} s", flush=True)
        copy_others(database, chosen.copies)
        for name, filter_ in (
            ("ann", StatisticsFilter(player=ANN)),
            ("ann, under one ruleset", StatisticsFilter(player=ANN, ruleset=RULESET)),
            ("every player", StatisticsFilter()),
        ):
            report(database, name, filter_)
        report_page(database)
    return 0


def report_page(database: Bench) -> None:
    """Print the times of everything that the page of ann in the console shows, and of her sums from the records."""
    for name, read in (("ann's page", get_player_details), ("ann, from the records", read_computed)):
        times = []
        for _ in range(_RUNS if read is get_player_details else 3):
            begun = time.perf_counter()
            with database.service.reading(database.club) as transaction:
                read(transaction, StatisticsFilter(player=ANN))
            times.append(1000 * (time.perf_counter() - begun))
        print(f"{name}: median {median(times):.0f} ms, longest {max(times):.0f} ms", flush=True)


_COMPUTED: Final = text(f"""
    SELECT {", ".join(f"sum({name})" for name in FIGURES)} FROM computed_statistics
    WHERE club_id = :club_id AND player = :player
""")


def read_computed(transaction: Transaction, filter_: StatisticsFilter) -> None:
    """Read the sums of a player from the records of all rounds."""
    transaction.execute(_COMPUTED, {"club_id": transaction.club_id, "player": filter_.player}).one()


def report(database: Bench, name: str, filter_: StatisticsFilter) -> None:
    """Print the median and the longest time of a query."""
    times = []
    for _ in range(_RUNS if filter_.player else 3):
        begun = time.perf_counter()
        with database.service.reading(database.club) as transaction:
            read = get_player_statistics if filter_.player else list_statistics
            view = read(transaction, filter_)
        times.append(1000 * (time.perf_counter() - begun))
    hands = sum(each.hands for each in view.players)
    print(f"{name}: {hands} hands, median {median(times):.0f} ms, longest {max(times):.0f} ms", flush=True)


if __name__ == "__main__":
    sys.exit(main())
