"""
Measure how many hands one worker imports per second, against a floor in the same run.

The floor reads the same lines with `json.loads` and brings the same rows to the same tables by COPY, their keys and
checks on. It goes there as a superuser, whom row-level security lets copy, and without the triggers that watch
the chips. Runs alternate, each in a database of its own size: a slow moment of the machine meets both.

Example: python -m benchmarks.import_rounds --runs 5 --rounds 2000 --at-once 500
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Final, Self
from uuid import UUID

import psutil
import psycopg
from psycopg import sql
from sqlalchemy import text

from benchmarks.database import open_cluster
from benchmarks.post_hands import RULESET, SEATS, STACK, make_hands
from service.audit_trail.models import EventRecord
from service.clubs.actions import create_club_with_key
from service.db import Database
from service.imports.actions.rounds import import_rounds
from service.rounds import models
from service.server.embedded import OWNER
from service.server.embedded.cluster import DURABLE
from service.statistics.models import RoundStatisticsRecord

TABLES: Final = 20
COLUMNS: Final = {
    model.__tablename__: ", ".join(column.name for column in model.__table__.columns)
    for model in (
        models.RoundRecord,
        models.SettlementRecord,
        models.RoundSeatRecord,
        models.SubmissionRecord,
        models.HandRecord,
        models.HandScoreRecord,
        models.PayoutRecord,
        models.DepartureRecord,
        models.ClosingRecord,
        models.RoundHeadRecord,
        EventRecord,
        RoundStatisticsRecord,
    )
}
"""The tables of a round, each after those that it references, and their columns."""


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, and of processor time, of this process and of the database's that serves it."""

    clock: float
    processor: float

    @classmethod
    def until_now(cls, backend: int) -> Self:
        """Read both."""
        times = psutil.Process(backend).cpu_times()
        return cls(time.perf_counter(), time.process_time() + times.user + times.system)

    def since(self, before: Self) -> "Taken":
        """What has been taken since then."""
        return Taken(self.clock - before.clock, self.processor - before.processor)


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

    def take_rows(self) -> Mapping[str, bytes]:
        """Take the rows of every table out, as COPY writes them."""
        with psycopg.connect(self.superuser) as connection:
            taken = {table: copy_out(connection, table, columns) for table, columns in COLUMNS.items()}
            self.clear(connection)
        return taken

    def copy_rows(self, lines: Sequence[bytes], rows: Mapping[str, bytes]) -> Taken:
        """Read lines, copy rows, and give the time taken."""
        with psycopg.connect(self.superuser) as connection:
            for table in ("hand_scores", "payouts"):
                connection.execute(
                    sql.SQL("ALTER TABLE {} DISABLE TRIGGER stacks_add_up").format(sql.Identifier(table))
                )
            connection.commit()
            backend = connection.info.backend_pid
            before = Taken.until_now(backend)
            for line in lines:
                json.loads(line)
            for table, columns in COLUMNS.items():
                statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), sql.SQL(columns))
                with connection.cursor().copy(statement) as copy:
                    copy.write(rows[table])
            connection.commit()
            taken = Taken.until_now(backend).since(before)
            for table in ("hand_scores", "payouts"):
                connection.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER stacks_add_up").format(sql.Identifier(table)))
            self.clear(connection)
        return taken

    def clear(self, connection: psycopg.Connection) -> None:
        """Leave nothing of the rounds."""
        connection.execute("SET session_replication_role = replica")  # records refuse to go otherwise
        names = sql.SQL(", ").join(map(sql.Identifier, COLUMNS))
        connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))
        connection.execute("RESET session_replication_role")


def copy_out(connection: psycopg.Connection, table: str, columns: str) -> bytes:
    statement = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(sql.SQL(columns), sql.Identifier(table))
    with connection.cursor().copy(statement) as copy:
        return b"".join(bytes(part) for part in copy)


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
    with bench() as made:
        for run in range(chosen.runs + 1):
            lines = make_lines(chosen.rounds, rng)
            mine = made.import_lines(lines, chosen.at_once)
            floor = made.copy_rows(lines, made.take_rows())
            if run:  # the first warms both up
                imports.append(mine)
                floors.append(floor)
                report(f"run {run}", hands, [floor.clock], [mine.clock])
    report("median", hands, [each.clock for each in floors], [each.clock for each in imports])
    processor = [each.processor for each in floors], [each.processor for each in imports]
    report("median of processor time", hands, *processor)
    return 0


def report(what: str, hands: int, floors: Sequence[float], imports: Sequence[float]) -> None:
    """Print both rates, and the median of their ratios."""
    floor, mine = hands / median(floors), hands / median(imports)
    ratio = median(one / other for one, other in zip(floors, imports, strict=True))
    print(f"{what}: floor {floor:.0f} hands/s, import {mine:.0f} hands/s, ratio {ratio:.2f}")


if __name__ == "__main__":
    sys.exit(main())
