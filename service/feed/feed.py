"""The state of the feed in a web process: who waits, and what has joined the clubs' trees."""

from collections import Counter
from collections.abc import Collection
from threading import Condition
from typing import Final
from uuid import UUID

from service.db import Database
from service.db.notifications import Batcher, Listener, notify
from service.feed.places import MOST_OF_CLUB
from service.ledger.queries.trees import JOINED, RECORDED
from service.places import Places

_WAKE_PAUSE: Final = 0.05


class Feed:
    """
    What requests that wait for events share.

    Until it is started, a request that waits looks for events at intervals. Then it is woken when events join the tree
    of its club, and the commit of an event wakes the worker that adds it to the tree.

    Attributes:
        places: the places of requests that wait.
        stream_seconds: the longest duration of a stream.
        key_seconds: the interval at which the key of a stream is checked.
        heartbeat_seconds: the longest silence of a stream.
    """

    def __init__(self, database: Database) -> None:
        self.places = Places(MOST_OF_CLUB)
        self.stream_seconds = 600.0
        self.key_seconds = 5.0
        self.heartbeat_seconds = 15.0
        self._database = database
        self._joined: Counter[UUID] = Counter()
        self._has_joined = Condition()
        self._listener = Listener(database, JOINED, self.report_joined)
        self._waker = Batcher(self._wake, _WAKE_PAUSE, "wake-joiner")

    def start(self) -> None:
        """Start the threads that notify and are notified; call it after the process was forked."""
        self._listener.start()
        self._waker.start()
        self._database.after_events = lambda club_id: self._waker.add(str(club_id))

    def stop(self) -> None:
        """End the threads."""
        self._database.after_events = None
        self._waker.stop()
        self._listener.stop()

    def report_joined(self, club: str) -> None:
        """Wake the requests that wait for events of a club."""
        with self._has_joined:
            self._joined[UUID(club)] += 1
            self._has_joined.notify_all()

    def count_joined(self, club_id: UUID) -> int:
        """Return how often events of a club have joined its tree, as far as this process was notified."""
        return self._joined[club_id]

    def wait(self, club_id: UUID, seen: int, seconds: float) -> None:
        """Wait until `count_joined` is no longer `seen`, for so many seconds at most."""
        with self._has_joined:
            self._has_joined.wait_for(lambda: self._joined[club_id] != seen, max(0.0, seconds))

    def _wake(self, clubs: Collection[str]) -> None:
        notify(self._database, RECORDED, clubs)
