"""Notifications between processes: PostgreSQL's LISTEN and NOTIFY, without which work is found a moment later."""

import threading
from collections.abc import Callable, Collection
from typing import Any, Final

import psycopg
from sqlalchemy import text

from service.db.transactions import Database
from service.errors import ServiceError
from service.logs import get_log

_NOTIFY: Final = text("SELECT pg_notify(:channel, payload) FROM unnest(CAST(:payloads AS text[])) AS payload")
_LOOK_SECONDS: Final = 0.5
_RECONNECT_SECONDS: Final = 2.0

_log = get_log(__name__)


class Listener:
    """
    Listens to a channel in a thread, on a connection of its own.

    Behind a connection pooler in transaction mode no notifications arrive, and while the connection is broken they are
    lost: what waits for one must also look by itself from time to time.
    """

    def __init__(self, database: Database, channel: str, receive: Callable[[str], None]) -> None:
        """
        Create a listener, which does nothing until it is started.

        Args:
            database: the database.
            channel: the name of the channel.
            receive: called with the payload of each notification, in the thread.
        """
        self._database = database
        self._channel = channel
        self._receive = receive
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"listen-{channel}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                with self._database.connect_alone() as connection:
                    self._listen(connection)
            except psycopg.Error as error:
                _log.warning("notifications_interrupted", channel=self._channel, error=type(error).__name__)
                self._is_over.wait(_RECONNECT_SECONDS)
            except Exception:
                _log.exception("notifications_failed", channel=self._channel)
                self._is_over.wait(_RECONNECT_SECONDS)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute(f"LISTEN {self._channel}")
        while not self._is_over.is_set():
            for notified in connection.notifies(timeout=_LOOK_SECONDS):
                self._receive(notified.payload)
                if self._is_over.is_set():
                    return


class Batcher:
    """
    Hands texts to a function in a thread, several together.

    The first is handed over at once. Those that are added while the function runs, or within a pause after it, are
    handed over together, so that many changes cost little more than one.
    """

    def __init__(self, process: Callable[[Collection[str]], None], pause: float, name: str) -> None:
        """
        Create a batcher, which does nothing until it is started.

        Args:
            process: called with the texts that were added, each once; it must not raise exceptions.
            pause: seconds after a call before the next one.
            name: of the thread.
        """
        self._process = process
        self._pause = pause
        self._added: set[str] = set()
        self._lock = threading.Lock()
        self._has_added = threading.Event()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the current call."""
        self._is_over.set()
        self._has_added.set()
        if self._thread.is_alive():
            self._thread.join()

    def add(self, text_: str) -> None:
        """Add a text, without waiting."""
        with self._lock:
            self._added.add(text_)
        self._has_added.set()

    def _run(self) -> None:
        while True:
            self._has_added.wait()
            # Cleared first: what `stop` sets after this is seen in the next turn, what it set before in the next line.
            self._has_added.clear()
            if self._is_over.is_set():
                return
            with self._lock:
                added, self._added = self._added, set()
            if added:
                self._process(added)
            self._is_over.wait(self._pause)


def notify(database: Database, channel: str, payloads: Collection[str]) -> None:
    """Send notifications in a transaction of their own. If that fails, it is only logged."""
    try:
        with database.outside_clubs() as connection:
            connection.execute(_NOTIFY, {"channel": channel, "payloads": list(payloads)})
    except ServiceError as error:
        _log.warning("notification_lost", channel=channel, error=str(error))
