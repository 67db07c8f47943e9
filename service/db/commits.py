"""
Commits that wait: PostgreSQL confirms a commit when its synchronous standbys have it, and waits for them without limit.

A commit that waits is never cancelled, because PostgreSQL then answers as if it had succeeded. Its connection is
closed after a limit, and its outcome is unknown. Until commits are confirmed again, nothing new is written.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.errors import Diagnostic
from sqlalchemy import text

from service.database_errors import CommitsWaiting, OutcomeUnknown
from service.db.pipeline import Statement
from service.logs import get_log

LIMIT_SECONDS: Final = 15.0
"""After this, the connection of a commit is closed."""
REFUSE_SECONDS: Final = 5.0
"""While a commit has waited for so long, no other is begun."""
_SLOT_SECONDS: Final = 2.0
_RETRY_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.5
_CANCEL_SECONDS: Final = 2.0

BARRIER: Final = Statement(
    # In a transaction that only reads, the commit would wait for no standby. `pg_current_xact_id` fails on a standby.
    text("SELECT pg_logical_emit_message(true, 'ofc', '') WHERE pg_current_xact_id() IS NOT NULL")
)
"""
Makes the commit of a transaction wait until the standbys have everything that was written before.

What a transaction reads can be on one server only: a commit whose wait was cancelled, or ended by a crash,
is visible although no standby has it.
"""

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class _Commit:
    """
    A commit under way.

    Attributes:
        since: when it was sent, by the monotonic clock.
        descriptor: a duplicate of that of its socket, which stays valid when the connection is closed.
    """

    since: float
    descriptor: int

    def close_socket(self) -> None:
        with socket.socket(fileno=os.dup(self.descriptor)) as duplicate, suppress(OSError):
            duplicate.shutdown(socket.SHUT_RDWR)


class CommitWatch:
    """
    Watches the commits of a process, from a thread that runs while there are commits.

    At most half of the connections commit at once, so that reads have the others while commits wait.
    """

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]], connections: int) -> None:
        """
        Create a watch.

        Args:
            connect: opens a connection outside of the pool.
            connections: the size of the pool.
        """
        self.limit_seconds = LIMIT_SECONDS
        self.refuse_seconds = REFUSE_SECONDS
        self._connect = connect
        self._most = max(1, connections // 2)
        self._slots = threading.BoundedSemaphore(self._most)
        self._commits: set[_Commit] = set()
        self._lock = threading.Lock()
        self._watcher: threading.Thread | None = None
        self._probe: threading.Thread | None = None
        self._is_over = threading.Event()

    def close(self) -> None:
        """Stop to wait until commits are confirmed again."""
        self._is_over.set()

    def is_waiting(self) -> bool:
        """Return whether a commit has waited for some seconds, or one was given up and none was confirmed since."""
        with self._lock:
            is_given_up = self._probe is not None
            waited = time.monotonic() - min((each.since for each in self._commits), default=time.monotonic())
            longest = _SLOT_SECONDS if len(self._commits) >= self._most else self.refuse_seconds
        return is_given_up or waited >= longest

    def refuse_if_waiting(self) -> None:
        """
        Refuse to begin a change while commits wait.

        Raises:
            CommitsWaiting: as `is_waiting` returns.
        """
        if self.is_waiting():
            raise CommitsWaiting("Commits wait for a standby of the database, which does not confirm them.")

    @contextmanager
    def waiting(self, driver: psycopg.Connection[Any]) -> Iterator[None]:
        """
        Watch the commit that the block sends.

        Raises:
            CommitsWaiting: too many other commits wait; nothing was sent.
            OutcomeUnknown: PostgreSQL sent a warning with the commit: it stopped to wait for a standby.
        """
        if driver.closed:
            # Sending the commit fails, with the error that explains it.
            yield
            return
        if not self._slots.acquire(timeout=_SLOT_SECONDS):
            raise CommitsWaiting(f"{self._most} commits wait for a standby of the database; no more may wait.")
        try:
            commit = _Commit(time.monotonic(), os.dup(driver.fileno()))
            try:
                self._add(commit)
                with _without_warnings(driver):
                    yield
            finally:
                with self._lock:
                    self._commits.discard(commit)
                os.close(commit.descriptor)
        finally:
            self._slots.release()

    def _add(self, commit: _Commit) -> None:
        with self._lock:
            self._commits.add(commit)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="commits", daemon=True)
                self._watcher.start()

    def _watch(self) -> None:
        while True:
            time.sleep(_LOOK_SECONDS)
            with self._lock:
                if not self._commits:
                    self._watcher = None
                    return
                expired = [each for each in self._commits if time.monotonic() - each.since >= self.limit_seconds]
                for commit in expired:
                    commit.close_socket()
                    self._commits.discard(commit)
                if expired and self._probe is None:
                    self._probe = threading.Thread(target=self._wait_until_confirmed, name="commit-probe", daemon=True)
                    self._probe.start()
            if expired:
                _log.error("commits_given_up", commits=len(expired), seconds=self.limit_seconds)

    def _wait_until_confirmed(self) -> None:
        """Commit nothing but the barrier, on one connection, until PostgreSQL confirms it."""
        while not self._is_over.is_set():
            try:
                with self._connect() as connection:
                    self._send_barrier(connection)
                break
            except (psycopg.Error, OutcomeUnknown, OSError) as error:
                _log.warning("commits_unconfirmed", error=type(error).__name__)
            self._is_over.wait(_RETRY_SECONDS)
        with self._lock:
            self._probe = None
        _log.info("commits_confirmed")

    def _send_barrier(self, connection: psycopg.Connection[Any]) -> None:
        """Send the barrier; after the limit try again on another connection, because this server may be a lost one."""
        # This commit records nothing, so it can be cancelled; otherwise its process would wait in PostgreSQL.
        given_up = threading.Timer(self.limit_seconds, _cancel, [connection])
        given_up.daemon = True
        given_up.start()
        try:
            # The default of the server can be not to wait.
            connection.execute("SET synchronous_commit = on")
            with _without_warnings(connection):
                connection.execute(BARRIER.query)
        finally:
            given_up.cancel()


def _cancel(connection: psycopg.Connection[Any]) -> None:
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as duplicate:
        with suppress(psycopg.Error):
            connection.cancel_safe(timeout=_CANCEL_SECONDS)
        duplicate.shutdown(socket.SHUT_RDWR)


@contextmanager
def _without_warnings(driver: psycopg.Connection[Any]) -> Iterator[None]:
    """
    Raise an error if PostgreSQL sends a warning during the block.

    Its code is not specific, and its text is in the language of the server, so every warning counts.
    """
    warnings: list[str] = []

    def receive(notice: Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            warnings.append(notice.message_primary or "")

    driver.add_notice_handler(receive)
    try:
        yield
    finally:
        driver.remove_notice_handler(receive)
    if warnings:
        raise OutcomeUnknown(f"PostgreSQL sent a warning with a commit: {warnings[0]}.")
