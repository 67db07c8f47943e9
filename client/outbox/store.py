"""Keeps requests in order for each round, and what is needed to go on without a network."""

import fcntl
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from uuid import uuid4

from client.errors import UnreadableError
from client.outbox.database import Database, explained
from client.outbox.entries import Document, Entry, apply, find_undo

_FILE: Final = "outbox.sqlite3"
_LOCK_FILE: Final = "outbox.lock"


@dataclass(frozen=True, slots=True)
class KnownRound:
    """
    A round as it was last seen: its document, and the rules that it is played by.

    `records` are the ids of its hands by their numbers, as far as the service has told them.
    """

    round_id: str
    table: str
    document: Document
    ruleset: Document
    records: Mapping[int, str] = field(default_factory=dict)

    def after(self, entry: Entry, record: str | None = None) -> Self:
        """Say what it is after a request, and after a hand with its record where there is one already."""
        document = apply(self.document, entry.verb, entry.document)
        records = dict(self.records)
        if record is not None:
            records.setdefault(entry.document["number"], record)
        there = len(document["hands"])
        return replace(self, document=document, records={n: each for n, each in records.items() if n <= there})


class Outbox:
    """The requests to one service that wait on this machine; several processes may use it at once."""

    def __init__(self, directory: Path, server: str) -> None:
        self.server = server
        self.directory = directory
        self._database = Database(directory / _FILE)

    @classmethod
    def find(cls, directory: Path, server: str) -> Self | None:
        """Open it where anything was ever kept; who only looks makes no file."""
        with suppress(OSError):
            if (directory / _FILE).exists():
                return cls(directory, server)
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    # Requests

    def keep(self, round_id: str, verb: str, document: Document) -> Entry:
        """
        Put a request at the end of its round's line; from here on it cannot be lost. What was its draft is none.

        Raises:
            UnreadableError: it undoes a hand without its record, and the hand does not wait.
        """
        kept_at = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.change() as connection:
            if verb == "undo_hand" and "hand" not in document:
                self._require_waiting(round_id, document["number"])
            inserted = connection.execute(
                "INSERT INTO entries (server, round_id, verb, body, key, kept_at) VALUES (?, ?, ?, ?, ?, ?)"
                " RETURNING *",
                (self.server, round_id, verb, _write(document), str(uuid4()), kept_at),
            )
            entry = Entry.read(inserted.fetchone())
            connection.execute("DELETE FROM drafts WHERE server = ? AND round_id = ?", (self.server, round_id))
        return entry

    def list_entries(self, round_id: str | None = None) -> list[Entry]:
        """List what waits for the service, or for one round of it, in order."""
        records = self._database.ask(
            "SELECT * FROM entries WHERE server = ? AND round_id = coalesce(?, round_id) ORDER BY id",
            self.server,
            round_id,
        )
        return [Entry.read(record) for record in records]

    def list_rounds_at(self, table: str) -> list[str]:
        """List the rounds of a table for which something waits, the oldest request first."""
        records = self._database.ask(
            "SELECT round_id FROM entries JOIN rounds USING (server, round_id) WHERE server = ? AND place = ?"
            " GROUP BY round_id ORDER BY min(id)",
            self.server,
            table,
        )
        return [record["round_id"] for record in records]

    def count_at(self, table: str) -> int:
        """Count what waits for the rounds of a table."""
        return sum(len(self.list_entries(round_id)) for round_id in self.list_rounds_at(table))

    def count_elsewhere(self) -> dict[str, int]:
        """Count what waits for other services."""
        records = self._database.ask(
            "SELECT server, count(*) AS waiting FROM entries WHERE server <> ? GROUP BY server", self.server
        )
        return {record["server"]: record["waiting"] for record in records}

    def get(self, entry_id: int) -> Entry:
        """
        Look one up.

        Raises:
            UnreadableError: nothing of that number waits for this service.
        """
        for entry in self.list_entries():
            if entry.id == entry_id:
                return entry
        raise UnreadableError(f"nothing waits under {entry_id} for {self.server}; `ofc queue list` shows what does")

    def remove_answered(self, entry: Entry, answer: Document) -> None:
        """
        Remove what the service has done, and remember the round as it is now.

        What undoes a hand that was waiting now names its record, so that it never takes another.
        """
        record = answer["id"] if entry.verb == "record_hand" else None
        with self._database.change() as connection:
            connection.execute("DELETE FROM entries WHERE id = ?", (entry.id,))
            known = self.find_known(entry.round_id)
            if known is not None:
                known = known.after(entry, record)
                connection.execute(
                    "UPDATE rounds SET document = ?, records = ? WHERE server = ? AND round_id = ?",
                    (json.dumps(known.document), json.dumps(known.records), self.server, entry.round_id),
                )
            undo = find_undo(entry, self.list_entries(entry.round_id))
            if undo is not None:
                _rewrite(connection, undo, {**undo.document, "hand": record})

    def note_problem(self, entry: Entry, problem: Document) -> None:
        """Keep why the service refused a request."""
        with self._database.change() as connection:
            connection.execute("UPDATE entries SET problem = ? WHERE id = ?", (json.dumps(problem), entry.id))

    def list_dropped_with(self, entry: Entry) -> list[Entry]:
        """List what is given up with a request: behind a hand that is undone, all up to its undo."""
        behind = [waiting for waiting in self.list_entries(entry.round_id) if waiting.id > entry.id]
        undo = find_undo(entry, behind)
        return [] if undo is None else behind[: behind.index(undo) + 1]

    def drop(self, entry: Entry) -> list[Entry]:
        """Give a request up, and what goes with it; answers all that was given up."""
        with self._database.change() as connection:
            dropped = [entry, *self.list_dropped_with(entry)]
            connection.executemany("DELETE FROM entries WHERE id = ?", [(each.id,) for each in dropped])
        return dropped

    def rewrite(self, entry: Entry, document: Document) -> None:
        """Let a request that was refused say something else, at its place in the line and as a new request."""
        with self._database.change() as connection:
            _rewrite(connection, entry, document)

    @contextmanager
    def line_of(self, round_id: str) -> Iterator[None]:
        """
        Let nobody else send for a round, or take from its line; who dies lets go of it.

        Raises:
            UnreadableError: the file for that cannot be used.
        """
        number = int.from_bytes(sha256(f"{self.server} {round_id}".encode()).digest()[:7], "big")
        lock = self.directory / _LOCK_FILE
        with explained(lock):
            file = lock.open("a")
        with file:
            with explained(lock):
                fcntl.lockf(file, fcntl.LOCK_EX, 1, number)
            yield

    def _require_waiting(self, round_id: str, number: int) -> None:
        of_number = [entry for entry in self.list_entries(round_id) if entry.document.get("number") == number]
        if not of_number or of_number[-1].verb != "record_hand":
            raise UnreadableError(
                f"the service has not said yet which record hand {number} is; once it answers, the hand can be undone"
            )

    # Rounds

    def remember(self, known: KnownRound) -> None:
        """Keep what a table's newest round is like, to go on with it while the service does not answer."""
        over = "server = ? AND place = ? AND round_id NOT IN (SELECT round_id FROM entries UNION SELECT ?)"
        with self._database.change() as connection:
            of_table = (self.server, known.table, known.round_id)
            connection.execute(
                f"DELETE FROM drafts WHERE (server, round_id) IN (SELECT server, round_id FROM rounds WHERE {over})",
                of_table,
            )
            connection.execute(f"DELETE FROM rounds WHERE {over}", of_table)
            connection.execute(
                "INSERT OR REPLACE INTO rounds (server, round_id, seen, place, document, ruleset, records)"
                " VALUES (?, ?, (SELECT coalesce(max(seen), 0) + 1 FROM rounds), ?, ?, ?, ?)",
                (
                    self.server,
                    known.round_id,
                    known.table,
                    *map(json.dumps, (known.document, known.ruleset, known.records)),
                ),
            )

    def find_known(self, round_id: str) -> KnownRound | None:
        """Find a round as it was last seen, without what still waits."""
        return self._find_known("round_id", round_id)

    def find_last_at(self, table: str) -> KnownRound | None:
        """Find the round of a table that was seen last, as it is with everything that waits for it."""
        known = self._find_known("place", table)
        if known is None:
            return None
        for entry in self.list_entries(known.round_id):
            known = known.after(entry)
        return known

    def _find_known(self, column: str, value: str) -> KnownRound | None:
        for record in self._database.ask(
            f"SELECT * FROM rounds WHERE server = ? AND {column} = ? ORDER BY seen DESC LIMIT 1", self.server, value
        ):
            document, ruleset = json.loads(record["document"]), json.loads(record["ruleset"])
            records = {int(number): each for number, each in json.loads(record["records"]).items()}
            return KnownRound(record["round_id"], record["place"], document, ruleset, records)
        return None

    # Drafts

    def keep_draft(self, round_id: str, number: int, typed: dict[str, str]) -> None:
        """Keep what was typed of a hand that is not complete."""
        with self._database.change() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO drafts (server, round_id, number, typed) VALUES (?, ?, ?, ?)",
                (self.server, round_id, number, json.dumps(typed)),
            )

    def find_draft(self, round_id: str, number: int) -> dict[str, str]:
        """Find what was typed of a hand before."""
        for record in self._database.ask(
            "SELECT typed FROM drafts WHERE server = ? AND round_id = ? AND number = ?", self.server, round_id, number
        ):
            typed: dict[str, str] = json.loads(record["typed"])
            return typed
        return {}


def _write(document: Document) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def _rewrite(connection: sqlite3.Connection, entry: Entry, document: Document) -> None:
    connection.execute(
        "UPDATE entries SET body = ?, key = ?, problem = NULL WHERE id = ?",
        (_write(document), str(uuid4()), entry.id),
    )
