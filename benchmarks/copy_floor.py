"""
The floor of records: the same rows, brought to the same tables by COPY, their keys and checks on.

They go there as a superuser, whom row-level security lets copy, and without the triggers that watch the chips.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Self

import psutil
import psycopg
from psycopg import sql

from service.audit_trail.models import EventRecord
from service.rounds import models
from service.rounds.queries.player_results import RoundStatisticsRecord

Rows = Mapping[str, bytes]
"""The rows of each table, as COPY writes them: a line each."""

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


@dataclass(frozen=True, slots=True)
class CopyFloor:
    """Takes the rows of rounds out of a database, and copies them back."""

    superuser: str

    def read_rows(self) -> Rows:
        """Return the rows of every table."""
        with psycopg.connect(self.superuser) as connection:
            return {table: _copy_out(connection, table, columns) for table, columns in COLUMNS.items()}

    def take_rows(self) -> Rows:
        """Return the rows of every table, and remove them."""
        rows = self.read_rows()
        self._clear()
        return rows

    def measure(self, lines: Sequence[bytes], rows: Rows, before: Rows | None = None) -> Taken:
        """
        Measure how long it takes to read lines and to copy rows; afterwards there are none.

        Args:
            lines: JSON documents.
            rows: the rows to copy.
            before: the rows that are there already.
        """
        self._set_triggers("DISABLE")
        if before is not None:
            with psycopg.connect(self.superuser) as connection:
                _copy_in(connection, before)
        with psycopg.connect(self.superuser) as connection:
            backend = connection.info.backend_pid
            started = Taken.until_now(backend)
            for line in lines:
                json.loads(line)
            _copy_in(connection, rows)
            connection.commit()
            taken = Taken.until_now(backend).since(started)
        self._set_triggers("ENABLE")
        self._clear()
        return taken

    def _set_triggers(self, action: str) -> None:
        statement = sql.SQL("ALTER TABLE {} " + action + " TRIGGER stacks_add_up")
        with psycopg.connect(self.superuser) as connection:
            for table in ("hand_scores", "payouts"):
                connection.execute(statement.format(sql.Identifier(table)))

    def _clear(self) -> None:
        """Remove all records of rounds."""
        with psycopg.connect(self.superuser) as connection:
            connection.execute("SET session_replication_role = replica")  # records refuse to go otherwise
            names = sql.SQL(", ").join(map(sql.Identifier, COLUMNS))
            connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))


def subtract_rows(rows: Rows, before: Rows) -> Rows:
    """Return the rows that were not there before."""
    old = {table: set(content.splitlines()) for table, content in before.items()}
    return {
        table: b"".join(row for row in content.splitlines(keepends=True) if row.rstrip(b"\n") not in old[table])
        for table, content in rows.items()
    }


def _copy_out(connection: psycopg.Connection, table: str, columns: str) -> bytes:
    statement = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(sql.SQL(columns), sql.Identifier(table))
    with connection.cursor().copy(statement) as copy:
        return b"".join(bytes(part) for part in copy)


def _copy_in(connection: psycopg.Connection, rows: Rows) -> None:
    for table, content in rows.items():
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), sql.SQL(COLUMNS[table]))
        with connection.cursor().copy(statement) as copy:
            copy.write(content)


def report(what: str, name: str, hands: int, floors: Sequence[float], others: Sequence[float]) -> None:
    """Print the rates of the floor and of what is compared with it, and the median of their ratios."""
    floor, other = hands / median(floors), hands / median(others)
    ratio = median(one / each for one, each in zip(floors, others, strict=True))
    print(f"{what}: floor {floor:.0f} hands/s, {name} {other:.0f} hands/s, ratio {ratio:.2f}")
