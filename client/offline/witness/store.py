"""The store of a witness: one SQLite file, which several processes may share."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from client.errors import UnreadableError
from evidence.notes import SignedNote, read_signatures
from evidence.witness import Decision, Seen, Submission, Verdict

MOST_REFUSED: Final = 1000
"""The number of checkpoints of one log that are stored although they were not cosigned."""

_WAIT_SECONDS: Final = 10
# A second tree of a size cannot be stored as cosigned, whatever the program decides.
_TABLES: Final = """
    CREATE TABLE IF NOT EXISTS checkpoints (
        origin TEXT NOT NULL,
        size INTEGER NOT NULL CHECK (size >= 0),
        root BLOB NOT NULL,
        origin_hash TEXT NOT NULL,
        note TEXT NOT NULL,
        received_at INTEGER NOT NULL,
        is_cosigned INTEGER NOT NULL,
        PRIMARY KEY (origin, size, root)
    ) STRICT;
    CREATE UNIQUE INDEX IF NOT EXISTS checkpoints_cosigned ON checkpoints (origin, size) WHERE is_cosigned;
    CREATE INDEX IF NOT EXISTS checkpoints_by_hash ON checkpoints (origin_hash, size) WHERE is_cosigned;
"""
_SEEN: Final = """
    SELECT size, root FROM checkpoints WHERE origin = ? AND is_cosigned ORDER BY size DESC LIMIT 1
"""
_ADD: Final = """
    INSERT INTO checkpoints (origin, size, root, origin_hash, note, received_at, is_cosigned)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (origin, size, root) DO UPDATE
    SET note = excluded.note, received_at = excluded.received_at, is_cosigned = excluded.is_cosigned
    WHERE excluded.is_cosigned
"""
_DIFFERS: Final = "SELECT 1 FROM checkpoints WHERE origin = ? AND size = ? AND root <> ?"
_COUNT_REFUSED: Final = "SELECT count(*) FROM checkpoints WHERE origin = ? AND NOT is_cosigned"
_NEWEST: Final = """
    SELECT note FROM checkpoints WHERE origin_hash = ? AND is_cosigned ORDER BY size DESC LIMIT 1
"""
_REFUSED: Final = """
    SELECT refused.origin, refused.size, refused.received_at, refused.note, cosigned.note
    FROM checkpoints AS refused
    LEFT JOIN checkpoints AS cosigned
    ON cosigned.origin = refused.origin AND cosigned.size = refused.size AND cosigned.is_cosigned
    WHERE NOT refused.is_cosigned ORDER BY refused.received_at, refused.size
"""


@dataclass(frozen=True, slots=True)
class RefusedCheckpoint:
    """
    A signed checkpoint that the witness has not cosigned.

    Attributes:
        origin: of the log.
        size: the number of events.
        received_at: when the log submitted it.
        note: as it was signed.
        cosigned: the checkpoint of the same size that was cosigned: the two contradict each other. None without one.
    """

    origin: str
    size: int
    received_at: datetime
    note: str
    cosigned: str | None


class SqliteStore:
    """The checkpoints that a witness has cosigned, and those that contradict them, as whole notes."""

    def __init__(self, file: Path) -> None:
        """
        Open the store, and create its file if it does not exist.

        Raises:
            UnreadableError: the file is not such a store, or cannot be written.
        """
        self._file = file
        try:
            with self._connect() as connection:
                # Another process reads while this one writes.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_TABLES)
        except sqlite3.Error as error:
            raise UnreadableError(f"{file} cannot be used as the store of a witness: {error}") from None

    def decide(self, submission: Submission, decide: Callable[[Seen], Decision]) -> Decision:
        """Call `decide` with the newest tree, store the checkpoint with its cosignature, and return the decision."""
        tree = submission.checkpoint
        with self._connect() as connection:
            # Nobody else writes from here to the commit, so two submissions are decided one after the other.
            connection.execute("BEGIN IMMEDIATE")
            try:
                row = connection.execute(_SEEN, (tree.origin,)).fetchone()
                decision = decide(Seen(*row) if row else Seen())
                if decision.is_cosigned:
                    signatures = submission.note.signatures + read_signatures(decision.body)
                    self._add(connection, submission, SignedNote(submission.note.text, signatures), is_cosigned=True)
                elif self._is_worth_storing(connection, submission, decision):
                    self._add(connection, submission, submission.note, is_cosigned=False)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        return decision

    def seen(self, origin: str) -> Seen:
        """Return the newest tree of a log that was cosigned."""
        with self._connect() as connection:
            row = connection.execute(_SEEN, (origin,)).fetchone()
        return Seen(*row) if row else Seen()

    def find_newest(self, origin_hash: str) -> str | None:
        """Return the newest cosigned checkpoint of the log whose origin has a SHA-256, in hexadecimal."""
        with self._connect() as connection:
            row = connection.execute(_NEWEST, (origin_hash,)).fetchone()
        return row[0] if row else None

    def list_refused(self) -> list[RefusedCheckpoint]:
        """List the stored checkpoints that were not cosigned, oldest first."""
        with self._connect() as connection:
            rows = connection.execute(_REFUSED).fetchall()
        return [
            RefusedCheckpoint(origin, size, datetime.fromtimestamp(received_at, UTC), note, cosigned)
            for origin, size, received_at, note, cosigned in rows
        ]

    @staticmethod
    def _add(connection: sqlite3.Connection, submission: Submission, note: SignedNote, *, is_cosigned: bool) -> None:
        tree = submission.checkpoint
        origin_hash = sha256(tree.origin.encode()).hexdigest()
        row = (tree.origin, tree.size, tree.root, origin_hash, note.written, int(time.time()), is_cosigned)
        connection.execute(_ADD, row)

    @staticmethod
    def _is_worth_storing(connection: sqlite3.Connection, submission: Submission, decision: Decision) -> bool:
        """Return whether a checkpoint that was not cosigned can be evidence against the log."""
        tree = submission.checkpoint
        differs = connection.execute(_DIFFERS, (tree.origin, tree.size, tree.root)).fetchone()
        if decision.verdict is not Verdict.INCONSISTENT and not differs:
            return False
        [refused] = connection.execute(_COUNT_REFUSED, (tree.origin,)).fetchone()
        return int(refused) < MOST_REFUSED

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=_WAIT_SECONDS, isolation_level=None)) as connection:
            # What is committed is on the disk before the cosignature leaves the witness.
            connection.execute("PRAGMA synchronous = FULL")
            yield connection
