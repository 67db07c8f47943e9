"""Changes any column of any record, as a database administrator can."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from evidence import Checkpoint
from service.db import Database, Transaction
from service.replays.comparing import AUDITED
from service.replays.findings import Finding
from service.replays.stretches import Stretch
from service.verification.club_records import expect_club_records, rulesets_of
from service.verification.queries import audited
from service.verification.rounds import prove_in_bulk
from service.verification.verify_database import Pass, Position, verify_page

_OTHER: Final[Mapping[str, str]] = {
    "uuid": "gen_random_uuid()",
    "text": "coalesce({0}, '') || 'x'",
    "smallint": "coalesce({0}, 0) + 1",
    "integer": "coalesce({0}, 0) + 1",
    "bigint": "coalesce({0}, 0) + 1",
    "numeric": "coalesce({0}, 0) + 1",
    "boolean": "NOT {0}",
    "timestamp with time zone": "coalesce({0}, now()) + interval '1 microsecond'",
    "time without time zone": "{0} + interval '1 minute'",
    "bytea": "CASE WHEN length({0}) > 0 THEN set_byte({0}, 0, get_byte({0}, 0) # 1) ELSE '\\x01' END",
    "jsonb": "CASE WHEN jsonb_typeof({0}) = 'object' THEN {0} || '{{\"more\": 1}}' ELSE '[1]' END",
    "text[]": "array_append({0}, 'x')",
    "smallint[]": "({0}[1] + 1) || {0}[2:]",
    "integer[]": "(coalesce({0}[1], 0) + 1) || {0}[2:]",
    "bigint[]": "({0}[1] + 1) || {0}[2:]",
    "numeric[]": "(coalesce({0}[1], 0) + 1) || {0}[2:]",
    "transfer[]": "array_append({0}, ROW(1, 2, 1, 1, NULL, 0, 0)::transfer)",
    "boolean[]": "(NOT {0}[1]) || {0}[2:]",
}
"""Another value, by the type of a column."""


@dataclass(frozen=True)
class Columns:
    """The columns of every table, by the catalogue's own account, each with its type."""

    types: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, transaction: Transaction) -> "Columns":
        """Ask the catalogue."""
        rows = transaction.execute(
            text("""
                SELECT relname, attname, format_type(atttypid, NULL) FROM pg_attribute
                JOIN pg_class ON pg_class.oid = attrelid
                WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND attnum > 0
                    AND NOT attisdropped ORDER BY relname, attnum
            """)
        )
        types: dict[str, dict[str, str]] = {}
        for table, column, type_ in rows:
            types.setdefault(table, {})[column] = type_
        return cls(types)


_COPIED: Final = "tampering"
"""The schema with a copy of every table as it was, and with the proven rounds and the submissions of their hands."""


# The columns of a row: what must not hold, and what makes it hold again; foreign keys are the first to go.
_RULES: Final = text("""
    SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', relname, conname),
        format('ALTER TABLE %I ADD CONSTRAINT %I %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
    FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
    WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'u', 'p', 'x')
    ORDER BY contype = 'f' DESC, contype
""")
_UNIQUE: Final = text("""
    SELECT format('DROP INDEX %I', relname), pg_get_indexdef(indexrelid)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indisunique AND relnamespace = 'public'::regnamespace
""")
_NOT_NULL: Final = text("""
    SELECT format('ALTER TABLE %I ALTER %I DROP NOT NULL', relname, attname),
        format('ALTER TABLE %I ALTER %I SET NOT NULL', relname, attname)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE attnotnull AND attnum > 0 AND relkind = 'r' AND relnamespace = 'public'::regnamespace
""")


@contextmanager
def tampering(owner: Database, club: UUID) -> Iterator[Transaction]:
    """Open a superuser's transaction with all triggers and constraints off, and restore everything at the end."""
    with owner.transaction(club, rolled_back=True) as transaction:
        proven = proven_ids(transaction)  # before the tables are locked
        rules = []
        for query in (_RULES, _UNIQUE, _NOT_NULL):
            for drop, add in transaction.execute(query).all():
                transaction.connection.exec_driver_sql(drop)
                rules.append(add)
        transaction.execute(text(f"CREATE SCHEMA {_COPIED}"))
        transaction.execute(
            text(f"CREATE TABLE {_COPIED}.proven AS SELECT unnest(CAST(:ids AS uuid[])) AS id"), {"ids": proven}
        )
        tables = Columns.of(transaction).types
        for table in tables:
            transaction.execute(text(f"CREATE TABLE {_COPIED}.{table} AS TABLE public.{table}"))
        _restore(transaction, tables)
        try:
            yield transaction
        finally:
            transaction.connection.exec_driver_sql("ROLLBACK AND CHAIN")
            for rule in (f"DROP SCHEMA {_COPIED} CASCADE", *reversed(rules)):
                transaction.connection.exec_driver_sql(rule.replace("%", "%%"))
            transaction.connection.exec_driver_sql("COMMIT AND CHAIN")


def commit(transaction: Transaction) -> None:
    """Commit what was done, so that other connections see it, and begin again without triggers."""
    transaction.connection.exec_driver_sql("COMMIT AND CHAIN")
    transaction.connection.exec_driver_sql("SET LOCAL session_replication_role = replica")


@contextmanager
def undone(transaction: Transaction) -> Iterator[None]:
    """Restore all records that were changed inside; each has the place in its table that it had before."""
    try:
        yield
    finally:
        transaction.connection.exec_driver_sql("ROLLBACK AND CHAIN")
        compared = [
            f"SELECT '{table}' WHERE (SELECT array_agg(({table})::text) FROM {table})"
            f" IS DISTINCT FROM (SELECT array_agg(({table})::text) FROM {_COPIED}.{table})"
            for table in Columns.of(transaction).types
        ]
        changed = transaction.connection.exec_driver_sql(" UNION ALL ".join(compared).replace("%", "%%"))
        _restore(transaction, changed.scalars())


def _restore(transaction: Transaction, tables: Iterable[str]) -> None:
    transaction.connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
    for table in list(tables):
        transaction.connection.exec_driver_sql(f"TRUNCATE {table}")
        transaction.connection.exec_driver_sql(f"INSERT INTO {table} TABLE {_COPIED}.{table}")
    commit(transaction)


_NOT_OF_ROUNDS: Final = {
    "api_keys",
    "clubs",
    "payment_claims",
    "payment_claim_outcomes",
    "players",
    "links",
    "tables",
    "units",
    "tree_nodes",
    "tree_heads",
    "round_map_tiles",
    "checkpoints",
    "waiting_events",
}
"""What is tampered with there is found without a look at the rounds, which takes longest."""


def verify(transaction: Transaction, checkpoints: Sequence[Checkpoint] = (), table: str | None = None) -> list[Finding]:
    """Look at all of the transaction's club; not at rounds, where only a table was touched that is not of any."""
    commit(transaction)
    findings: list[Finding] = []
    for passing in Pass:
        if passing is Pass.ROUNDS and table in _NOT_OF_ROUNDS:
            continue
        position: Position | None = Position(transaction.club_id, passing)
        while position is not None:
            page = verify_page(transaction, position, checkpoints)
            findings += page.findings
            position = page.position
    return findings


def proven_ids(transaction: Transaction) -> list[UUID]:
    """List the rounds whose results the audit in bulk proves, and the submissions of their hands."""
    rulesets = rulesets_of(expect_club_records(audited.list_loose_events(transaction))[0])
    proven = list(prove_in_bulk(transaction, Stretch(), rulesets).proven)
    received = text("SELECT submission_id FROM hands WHERE club_id = :club AND round_id = ANY (:proven)")
    rows = transaction.execute(received, {"club": transaction.club_id, "proven": proven})
    return [*proven, *rows.scalars()]


def verify_all(transaction: Transaction) -> list[Finding]:
    """Look at all clubs that there are, or that there are records of."""
    clubs = audited.list_clubs(transaction)
    return [finding for club in clubs for finding in verify(replace(transaction, club_id=club))]


class Table:
    """A table of the club's, to be tampered with."""

    def __init__(self, transaction: Transaction, name: str) -> None:
        self.transaction = transaction
        self.name = name
        self.key, covered = AUDITED[name].key, AUDITED[name].columns
        self.is_of_rounds = "round_id" in covered or name in ("rounds", "submissions")
        self.mine = f"{'id' if name == 'clubs' else 'club_id'} = '{transaction.club_id}'"

    def rows(self, condition: str = "true") -> list[Mapping[str, Any]]:
        """Read records, with the `ctid` of each; those of proven rounds first."""
        of_round = {"rounds": "id", "submissions": "id"}.get(self.name, "round_id")
        is_proven = f"coalesce({of_round} IN (SELECT proven.id FROM {_COPIED}.proven), false)"
        plain_first = f"{is_proven} DESC, " if self.is_of_rounds else ""
        query = (
            f"SELECT ctid::text, * FROM {self.name} WHERE {self.mine} AND ({condition})"
            f" ORDER BY {plain_first}{', '.join(self.key)}"
        )
        return [dict(row) for row in self.transaction.execute(text(query)).mappings()]

    def run(self, statement: str) -> None:
        """Change just one or two records."""
        changed = self.transaction.execute(text(statement.replace(":", "\\:")))
        assert changed.rowcount in (1, 2), statement

    def change(
        self, column: str, type_: str, row: Mapping[str, Any] | None = None
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Change a column, by default in a record in which it is not NULL; return the record before and after."""
        row = row or [*self.rows(f"{column} IS NOT NULL"), *self.rows()][0]
        other = _OTHER[type_].format(column)
        statement = f"UPDATE {self.name} SET {column} = {other} WHERE ctid = '{row['ctid']}' RETURNING *"
        return row, dict(self.transaction.execute(text(statement)).mappings().one())

    def empty(self, row: Mapping[str, Any]) -> None:
        """Take everything out of a record but its key."""
        columns = ", ".join(f"{name} = NULL" for name in row if name not in self.key and name != "ctid")
        self.run(f"UPDATE {self.name} SET {columns} WHERE ctid = '{row['ctid']}'")

    def delete(self, row: Mapping[str, Any]) -> None:
        """Take a record away."""
        self.run(f"DELETE FROM {self.name} WHERE ctid = '{row['ctid']}'")

    def insert(self, row: Mapping[str, Any], types: Mapping[str, str]) -> Mapping[str, Any]:
        """Insert a copy of a record with another key; return the key."""
        column = self.key[-1]
        other = "gen_random_uuid()" if types[column] == "uuid" else _OTHER[types[column]].format(column)
        if types[column] in ("smallint", "integer"):
            other = f"{column} + 1000"
        columns = [name for name in types if name != column]
        names = ", ".join(columns)
        returned = ", ".join(self.key)
        added = self.transaction.execute(
            text(
                f"INSERT INTO {self.name} ({names}, {column}) SELECT {names}, {other} FROM {self.name}"
                f" WHERE ctid = '{row['ctid']}' RETURNING {returned}"
            )
        )
        return dict(added.mappings().one())

    def swap(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
        """Swap the contents of two records but not their keys."""
        columns = ", ".join(name for name in one if name not in self.key and name != "ctid")
        a, b = one["ctid"], other["ctid"]
        self.run(
            f"UPDATE {self.name} AS here SET ({columns}) = (SELECT {columns} FROM {self.name} AS there"
            f" WHERE there.ctid = CASE here.ctid WHEN '{a}' THEN CAST('{b}' AS tid) ELSE CAST('{a}' AS tid) END)"
            f" WHERE ctid IN ('{a}', '{b}')"
        )
