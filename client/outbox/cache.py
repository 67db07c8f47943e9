"""Tables, rounds and drafts stored on this machine, for use while the service does not respond."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final, Self

from client.outbox.database import Database
from client.outbox.entries import Document, Entry, apply

_ROUNDS_STORED: Final = 200
"""How many rounds of a table are stored, for carried-over stacks and offline statements."""


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A table as the service last sent it, and the ruleset of its next round."""

    document: Document
    ruleset: Document


@dataclass(frozen=True, slots=True)
class KnownRound:
    """
    A round as it was last seen: its document, and the ruleset that it is played by.

    `records` are the ids of its hands by their numbers, as far as the service has sent them. `response` is the round as
    the service last sent it, at `received_at`. It is empty while the service does not have the round.
    """

    round_id: str
    table: str
    document: Document
    ruleset: Document
    records: Mapping[int, str] = field(default_factory=dict)
    response: Document = field(default_factory=dict)
    received_at: str = ""

    @property
    def reference(self) -> str | None:
        """The name that the round has at its table."""
        reference: str | None = self.document.get("reference")
        return reference

    def after(self, entry: Entry, record: str | None = None) -> Self:
        """Return the round after a request, and after a hand with the id of its record if there is one already."""
        document = apply(self.document, entry.verb, entry.document)
        records = dict(self.records)
        if record is not None:
            records.setdefault(entry.document["number"], record)
        there = len(document["hands"])
        return replace(self, document=document, records={n: each for n, each in records.items() if n <= there})

    @classmethod
    def read(cls, record: sqlite3.Row) -> Self:
        """Build a round from its record."""
        return cls(
            record["round_id"],
            record["place"],
            json.loads(record["document"]),
            json.loads(record["ruleset"]),
            {int(number): each for number, each in json.loads(record["records"]).items()},
            json.loads(record["answer"]),
            record["answered_at"],
        )


class Cache:
    """The tables, rounds and drafts of one service that are stored on this machine."""

    def __init__(self, database: Database, server: str) -> None:
        self.server = server
        self._database = database

    # Waiting requests

    def list_entries(self, round_id: str | None = None) -> list[Entry]:
        """List the requests that wait for the service, or for one of its rounds, in order."""
        records = self._database.fetch(
            "SELECT * FROM entries WHERE server = ? AND round_id = coalesce(?, round_id) ORDER BY id",
            self.server,
            round_id,
        )
        return [Entry.read(record) for record in records]

    # Tables

    def store_table(self, table: Document, ruleset: Document) -> None:
        """Store a table, to open rounds at it while the service does not respond."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO tables (server, name, document, ruleset) VALUES (?, ?, ?, ?)",
                (self.server, table["name"], json.dumps(table), json.dumps(ruleset)),
            )

    def find_table(self, name: str) -> KnownTable | None:
        """Find a table by its name or its id."""
        for record in self._database.fetch(
            "SELECT document, ruleset FROM tables WHERE server = ? AND ? IN (name, json_extract(document, '$.id'))",
            self.server,
            name,
        ):
            return KnownTable(json.loads(record["document"]), json.loads(record["ruleset"]))
        return None

    def list_tables(self) -> list[KnownTable]:
        """List the stored tables."""
        records = self._database.fetch(
            "SELECT document, ruleset FROM tables WHERE server = ? ORDER BY name", self.server
        )
        return [KnownTable(json.loads(record["document"]), json.loads(record["ruleset"])) for record in records]

    # Rounds

    def store_round(self, known: KnownRound) -> None:
        """Store the newest round of a table, to continue it while the service does not respond."""
        with self._database.transaction() as connection:
            insert_round(connection, self.server, known)
            older = "server = ? AND place = ? AND round_id NOT IN (SELECT round_id FROM entries)"
            connection.execute(
                f"DELETE FROM rounds WHERE {older} AND seen <= (SELECT seen FROM rounds WHERE {older}"
                " ORDER BY seen DESC LIMIT 1 OFFSET ?)",
                (self.server, known.table, self.server, known.table, _ROUNDS_STORED),
            )
            connection.execute(
                "DELETE FROM drafts WHERE server = ? AND round_id NOT IN (SELECT round_id FROM rounds)", (self.server,)
            )

    def find_round(self, round_id: str) -> KnownRound | None:
        """Find a round as it was last seen, without waiting changes."""
        for record in self._database.fetch(
            "SELECT * FROM rounds WHERE server = ? AND round_id = ?", self.server, round_id
        ):
            return KnownRound.read(record)
        return None

    def list_rounds(self, table: str) -> list[KnownRound]:
        """List the stored rounds of a table, oldest first, each with all waiting changes."""
        records = self._database.fetch(
            "SELECT * FROM rounds WHERE server = ? AND place = ? ORDER BY seen", self.server, table
        )
        return [self._with_waiting(KnownRound.read(record)) for record in records]

    def list_newest_rounds(self, limit: int) -> list[KnownRound]:
        """List the stored rounds that were seen last, at any table, without waiting changes."""
        records = self._database.fetch(
            "SELECT * FROM rounds WHERE server = ? ORDER BY seen DESC LIMIT ?", self.server, limit
        )
        return [KnownRound.read(record) for record in records]

    def find_newest_round(self, table: str) -> KnownRound | None:
        """Find the round of a table that was seen last, with all waiting changes."""
        for record in self._database.fetch(
            "SELECT * FROM rounds WHERE server = ? AND place = ? ORDER BY seen DESC LIMIT 1", self.server, table
        ):
            return self._with_waiting(KnownRound.read(record))
        return None

    def find_round_with_waiting(self, round_id: str) -> KnownRound | None:
        """Find a round with all waiting changes."""
        known = self.find_round(round_id)
        return None if known is None else self._with_waiting(known)

    def _with_waiting(self, known: KnownRound) -> KnownRound:
        for entry in self.list_entries(known.round_id):
            known = known.after(entry)
        return known

    # Recomputations

    def store_recomputation(self, job_id: str, described: str) -> None:
        """Store the id of a recomputation that was started from here, to find it by its beginning."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO recomputations (server, id, described) VALUES (?, ?, ?)",
                (self.server, job_id, described),
            )

    def list_recomputations(self) -> dict[str, str]:
        """Return a description of each recomputation that was started from here, by its id."""
        records = self._database.fetch("SELECT id, described FROM recomputations WHERE server = ?", self.server)
        return {record["id"]: record["described"] for record in records}

    # Drafts

    def store_draft(self, round_id: str, number: int, typed: Mapping[str, str]) -> None:
        """Store the typed text of an incomplete hand."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO drafts (server, round_id, number, typed) VALUES (?, ?, ?, ?)",
                (self.server, round_id, number, json.dumps(dict(typed))),
            )

    def find_draft(self, round_id: str, number: int) -> dict[str, str]:
        """Return the typed text of an incomplete hand."""
        for record in self._database.fetch(
            "SELECT typed FROM drafts WHERE server = ? AND round_id = ? AND number = ?", self.server, round_id, number
        ):
            typed: dict[str, str] = json.loads(record["typed"])
            return typed
        return {}


def insert_round(connection: sqlite3.Connection, server: str, known: KnownRound) -> None:
    """Insert a round as the newest of its table, or replace what was stored of it."""
    connection.execute(
        "INSERT OR REPLACE INTO rounds (server, round_id, seen, place, document, ruleset, records, answer, answered_at)"
        " VALUES (?, ?, (SELECT coalesce(max(seen), 0) + 1 FROM rounds), ?, ?, ?, ?, ?, ?)",
        (
            server,
            known.round_id,
            known.table,
            *map(json.dumps, (known.document, known.ruleset, known.records, known.response)),
            known.received_at or now(),
        ),
    )


def now() -> str:
    """Return the current time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
