"""Corrupts several random records at once, in every known way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from service.db import Transaction
from service.replays.comparing import AUDITED, Comparison
from service.verification.queries import audited
from tests.support.database.corrupt_records import Columns, Table

Row = Mapping[str, Any]

_SAY_WHAT_IS_RECORDED: Final = (
    *("club.", "key.", "ruleset.", "table.", "link", "payment.", "charge.", "proposal."),
    *("metadata.", "texts.", "player.erased"),
)
"""The beginnings of kinds of events that belong to no round, and make records: with one of them all these are lost."""

_OF_WHOLE_ROUNDS: Final = {"events", "round_statistics"}
"""Tables of which a record follows from others of its round, or these from it."""

_SIGNED: Final = {"checkpoints", "tree_heads", "round_map_tiles"}
"""What says the same of what was signed last, and could be changed alike; without a head no map is looked at."""


@dataclass(frozen=True)
class Damage:
    """
    One thing that somebody has done to records of a table.

    Attributes:
        rows: of each record what names it: one of these is enough.
        column: what must be named of it; None where it is the whole record.
    """

    table: str
    how: str
    rows: Sequence[Sequence[Row]]
    column: str | None = None


class RandomCorruption:
    """Damages records at random, but never so that one damage hides another."""

    def __init__(self, transaction: Transaction, rng: Random) -> None:
        self.transaction = transaction
        self.rng = rng
        self.types = Columns.of(transaction).types
        self._touched: set[Any] = set()
        """Records that were damaged, and the tables and rounds that they are of."""
        self._spoilt: set[UUID | None] = set()
        """Rounds of which an event or a sum was damaged, so that nothing else of them can be compared with it."""
        self._rounds_of_disputes = {row["id"]: row["round_id"] for row in Table(transaction, "disputes").rows()}

    def damage(self) -> Damage:
        """Do something more."""
        while True:
            name = self.rng.choice(list(AUDITED))
            # Of a table with one record for each club another would be another club's.
            how = self.rng.choice(("change", "delete", "swap") + ("insert",) * (len(AUDITED[name].key) > 1))
            records = Table(self.transaction, name).rows()
            rows = self.rng.sample(records, min(len(records), 2 if how == "swap" else 1))
            if not rows or (how == "swap" and not self._differ(name, rows)):
                continue
            if not all(self._may(name, row) for row in rows):
                continue
            self.transaction.execute(text("SAVEPOINT damage"))
            done = self._do(Table(self.transaction, name), how, rows)
            after = {_key(name, row) for named in done.rows for row in named}
            if (after - {_key(name, row) for row in rows}) & {_key(name, row) for row in records}:
                # Primary keys hold against everybody.
                self.transaction.execute(text("ROLLBACK TO SAVEPOINT damage"))
                continue
            for row in rows:
                self._touch(name, row)
            self._touched |= after
            return done

    def _do(self, table: Table, how: str, rows: Sequence[Row]) -> Damage:
        types = self.types[table.name]
        if how == "delete":
            table.delete(rows[0])
            return Damage(table.name, how, [rows])
        if how == "insert":
            return Damage(table.name, how, [[table.insert(rows[0], types)]])
        if how == "swap":
            table.swap(*rows)
            return Damage(table.name, how, [[row] for row in rows])
        covers = AUDITED[table.name].columns
        column = self.rng.choice([column for column, cover in covers.items() if cover is not Comparison.NOTHING])
        named = None if covers[column] is Comparison.KEY else column
        return Damage(table.name, how, [table.change(column, types[column], rows[0])], named)

    def _differ(self, name: str, rows: Sequence[Row]) -> bool:
        columns = [column for column in AUDITED[name].columns if column not in AUDITED[name].key]
        return len(rows) > 1 and any(rows[0][column] != rows[1][column] for column in columns)

    def _may(self, name: str, row: Row) -> bool:
        if _key(name, row) in self._touched or (name in _SIGNED and self._touched.intersection(_SIGNED)):
            return False
        if name in _OF_WHOLE_ROUNDS:
            makes_records = row["round_id"] is None and str(row["kind"]).startswith(_SAY_WHAT_IS_RECORDED)
            return not makes_records and row["round_id"] not in self._touched and None not in self._touched
        return not self._is_of_rounds(name) or not {self._round_of(name, row), None} & self._spoilt

    def _touch(self, name: str, row: Row) -> None:
        self._touched |= {_key(name, row), name}
        if name in _OF_WHOLE_ROUNDS:
            if row["round_id"] is not None:
                self._spoilt.add(row["round_id"])
                self._touched.add(row["round_id"])
        elif self._is_of_rounds(name):
            self._touched.add(self._round_of(name, row))

    def _is_of_rounds(self, name: str) -> bool:
        return name in audited.OF_ROUNDS or name == "submissions"

    def _round_of(self, name: str, row: Row) -> UUID | None:
        """Return the round of a record; None if the record has none."""
        round_id: UUID | None = row["id"] if name == "rounds" else row.get("round_id")
        return round_id or self._rounds_of_disputes.get(row.get("dispute_id"))


def _key(name: str, row: Row) -> tuple[Any, ...]:
    return name, *(row[column] for column in AUDITED[name].key)
