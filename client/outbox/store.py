"""The outbox: requests in order for each round, with the cache that is needed to go on offline."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from uuid import uuid4

from client.errors import UnreadableError
from client.outbox.cache import Cache, KnownRound, insert_round, now
from client.outbox.database import Database, translate_database_errors
from client.outbox.entries import OPENING, Document, Entry, find_undo
from client.outbox.exported import ExportedRequest
from client.responses import is_round

_FILE: Final = "outbox.sqlite3"
_LOCK_FILE: Final = "outbox-{:02x}.lock"
_LOCK_FILES: Final = 64
"""Rounds with the same lock file wait for each other."""

_NEW: Final = "new-"
"""The prefix of ids of rounds that the service does not have yet."""


class Outbox(Cache):
    """The requests to one service that wait on this machine. Several processes may use it at once."""

    def __init__(self, directory: Path, server: str) -> None:
        super().__init__(Database(directory / _FILE), server)
        self.directory = directory

    @classmethod
    def find(cls, directory: Path, server: str) -> Self | None:
        """Open the outbox if it exists, without creating a file."""
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

    def add(self, round_id: str, verb: str, document: Document) -> Entry:
        """
        Add a request at the end of its round's queue, durably, and delete its draft.

        Raises:
            UnreadableError: the request undoes a hand without its record, and the hand does not wait.
        """
        with self._database.transaction() as connection:
            if verb == "undo_hand" and "hand" not in document:
                self._require_waiting(round_id, document["number"])
            entry = self._insert(connection, round_id, verb, document)
            connection.execute("DELETE FROM drafts WHERE server = ? AND round_id = ?", (self.server, round_id))
        return entry

    def add_opening(self, table_id: str, request: Document, known: KnownRound) -> Entry:
        """
        Add the opening of a round, with all that is needed to play it before the service has it.

        Args:
            table_id: the table.
            request: the body; by its reference the service recognizes the round.
            known: the round, with an id of `make_round_id`.
        """
        with self._database.transaction() as connection:
            insert_round(connection, self.server, known)
            return self._insert(connection, known.round_id, OPENING, request, table_id)

    def add_exported(self, round_id: str, exported: ExportedRequest, known: KnownRound | None = None) -> bool:
        """
        Add a request that another device exported, with its body and its idempotency key, and the round that it opens.

        Returns:
            whether the request was added; False if it is in the queue already.
        """
        with self._database.transaction() as connection:
            if known is not None:
                insert_round(connection, self.server, known)
            table_id = None if known is None else known.response["table"]
            values = self.server, round_id, exported.operation, exported.body.encode(), exported.key, now(), table_id
            inserted = connection.execute(
                "INSERT INTO entries (server, round_id, verb, body, key, kept_at, table_id)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                values,
            )
            return inserted.rowcount == 1

    def _insert(
        self, connection: sqlite3.Connection, round_id: str, verb: str, document: Document, table_id: str | None = None
    ) -> Entry:
        inserted = connection.execute(
            "INSERT INTO entries (server, round_id, verb, body, key, kept_at, table_id) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " RETURNING *",
            (self.server, round_id, verb, _write(document), str(uuid4()), now(), table_id),
        )
        return Entry.read(inserted.fetchone())

    def list_waiting_rounds(self, table: str) -> list[str]:
        """List the rounds of a table with waiting requests, oldest request first."""
        records = self._database.fetch(
            "SELECT round_id FROM entries JOIN rounds USING (server, round_id) WHERE server = ? AND place = ?"
            " GROUP BY round_id ORDER BY min(id)",
            self.server,
            table,
        )
        return [record["round_id"] for record in records]

    def is_behind_another_round(self, entry: Entry) -> bool:
        """Return whether requests wait for an earlier round of the entry's table."""
        known = self.find_round(entry.round_id)
        others = self.list_waiting_rounds(known.table) if known else []
        return entry.round_id in others and others[0] != entry.round_id

    def list_table_entries(self, table: str) -> list[Entry]:
        """List the waiting requests for the rounds of a table, round by round."""
        return [entry for round_id in self.list_waiting_rounds(table) for entry in self.list_entries(round_id)]

    def count_table_entries(self, table: str) -> int:
        """Count the waiting requests for the rounds of a table."""
        return len(self.list_table_entries(table))

    def count_other_services(self) -> dict[str, int]:
        """Count the waiting requests for other services."""
        records = self._database.fetch(
            "SELECT server, count(*) AS waiting FROM entries WHERE server <> ? GROUP BY server", self.server
        )
        return {record["server"]: record["waiting"] for record in records}

    def get(self, entry_id: int) -> Entry:
        """
        Return a request by its number.

        Raises:
            UnreadableError: no request with that number waits for this service.
        """
        for entry in self.list_entries():
            if entry.id == entry_id:
                return entry
        raise UnreadableError(f"no request {entry_id} waits for {self.server}; `ofc queue list` lists waiting requests")

    def complete_entry(self, entry: Entry, response: Document) -> None:
        """
        Remove a request that the service has accepted, and store the new state of the round.

        An undo of a hand that was waiting now names the record of the hand, so that it never undoes another one. A
        round that was opened gets the id that the service assigned.
        """
        record = response["id"] if entry.verb == "record_hand" else None
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM entries WHERE id = ?", (entry.id,))
            known = self.find_round(entry.round_id)
            if known is not None:
                known, shown = known.after(entry, record), _round_after(known, response)
                connection.execute(
                    "UPDATE rounds SET document = ?, records = ?, answer = ?, answered_at = ?"
                    " WHERE server = ? AND round_id = ?",
                    (*map(json.dumps, (known.document, known.records, shown)), now(), self.server, entry.round_id),
                )
            undo = find_undo(entry, self.list_entries(entry.round_id))
            if undo is not None:
                _rewrite(connection, undo, {**undo.document, "hand": record})
            if entry.verb == OPENING:
                for stored in ("rounds", "entries", "drafts"):
                    connection.execute(
                        f"UPDATE OR REPLACE {stored} SET round_id = ? WHERE server = ? AND round_id = ?",
                        (response["id"], self.server, entry.round_id),
                    )

    def store_problem(self, entry: Entry, problem: Document) -> None:
        """Store the problem document of a refusal."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE entries SET problem = ? WHERE id = ?", (json.dumps(problem), entry.id))

    def list_dropped_with(self, entry: Entry) -> list[Entry]:
        """List what is dropped with a request: an opening with all hands; a hand with everything up to its undo."""
        behind = [waiting for waiting in self.list_entries(entry.round_id) if waiting.id > entry.id]
        if entry.verb == OPENING:
            return behind
        undo = find_undo(entry, behind)
        return [] if undo is None else behind[: behind.index(undo) + 1]

    def drop(self, entry: Entry) -> list[Entry]:
        """Drop a request and those that go with it, and return all dropped requests."""
        with self._database.transaction() as connection:
            dropped = [entry, *self.list_dropped_with(entry)]
            connection.executemany("DELETE FROM entries WHERE id = ?", [(each.id,) for each in dropped])
            if entry.verb == OPENING:
                for stored in ("rounds", "drafts"):
                    connection.execute(
                        f"DELETE FROM {stored} WHERE server = ? AND round_id = ?", (self.server, entry.round_id)
                    )
        return dropped

    def rewrite(self, entry: Entry, document: Document) -> None:
        """Replace the content of a refused request. It keeps its place in the queue and gets a new idempotency key."""
        with self._database.transaction() as connection:
            _rewrite(connection, entry, document)

    @contextmanager
    def lock_round(self, round_id: str) -> Iterator[None]:
        """
        Lock the queue of a round against other processes. The lock is released when its process ends.

        Raises:
            UnreadableError: the lock file cannot be used.
        """
        from filelock import FileLock

        number = sha256(f"{self.server} {round_id}".encode()).digest()[0] % _LOCK_FILES
        path = self.directory / _LOCK_FILE.format(number)
        lock = FileLock(path, mode=0o600)
        with translate_database_errors(path):
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _require_waiting(self, round_id: str, number: int) -> None:
        of_number = [entry for entry in self.list_entries(round_id) if entry.document.get("number") == number]
        if not of_number or of_number[-1].verb != "record_hand":
            raise UnreadableError(
                f"the service has not confirmed the record of hand {number} yet; the hand can be undone after that"
            )


def make_round_id() -> str:
    """Return an id for a round that the service does not have yet."""
    return f"{_NEW}{uuid4()}"


def is_new(round_id: str) -> bool:
    """
    Return whether the service does not have a round yet.

    >>> is_new(make_round_id()), is_new("01a1fa77-4a59-709e-b6dd-b28a73ab9d3e")
    (True, False)
    """
    return round_id.startswith(_NEW)


def _round_after(known: KnownRound, response: Document) -> Document:
    """
    Return the round as a response shows it.

    Empty if other people changed the round too, so that all of it is read again.

    Every change raises the version by one.
    """
    shown = response.get("round", response)
    if not is_round(shown):
        return {}
    return shown if shown.get("version") == known.response.get("version", 0) + 1 else {}


def _write(document: Document) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def _rewrite(connection: sqlite3.Connection, entry: Entry, document: Document) -> None:
    connection.execute(
        "UPDATE entries SET body = ?, key = ?, problem = NULL WHERE id = ?",
        (_write(document), str(uuid4()), entry.id),
    )
