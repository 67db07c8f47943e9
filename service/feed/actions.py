"""The feed of a web process: list the events of a club, wait for new ones, and stream them."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from threading import Condition
from typing import Final
from uuid import UUID

from schemas.feed.events import FeedEvent
from service.db import Database
from service.db.notifications import Batcher, Listener, notify
from service.feed import queries
from service.feed.queries import EventSelection
from service.ledger.queries.trees import JOINED, RECORDED
from service.places import MOST_LISTENERS_OF_CLUB, Places

_WAKE_PAUSE: Final = 0.05
_LOOK_SECONDS: Final = 0.5
"""The longest time without a look at the events, because notifications can be lost."""


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
        self.places = Places(MOST_LISTENERS_OF_CLUB)
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


def list_events(database: Database, club_id: UUID, selection: EventSelection, first: int) -> Sequence[FeedEvent]:
    """
    List events of a club in the order of its tree, with the results of hands and rounds.

    Args:
        database: the database.
        club_id: the club.
        selection: which events, and how many at most.
        first: the position of the first one.
    """
    with database.reading(club_id, selection.only_table_id) as transaction:
        return queries.add_results(transaction, queries.list_events(transaction, selection, first))


def wait_for_events(
    database: Database,
    feed: Feed,
    club_id: UUID,
    selection: EventSelection,
    first: int,
    *,
    seconds: float,
    gives_up: Callable[[], bool],
) -> Sequence[FeedEvent]:
    """
    List events of a club; if there are none, wait for one. No connection is held while it waits.

    Args:
        database: the database.
        feed: the feed of the process.
        club_id: the club.
        selection: which events, and how many at most.
        first: the position of the first one.
        seconds: the most seconds to wait.
        gives_up: returns whether to stop waiting at once.
    """
    deadline = time.monotonic() + seconds
    while True:
        seen = feed.count_joined(club_id)
        found = list_events(database, club_id, selection, first)
        remaining = deadline - time.monotonic()
        if found or remaining <= 0 or gives_up():
            return found
        feed.wait(club_id, seen, min(_LOOK_SECONDS, remaining))


def stream_events(
    database: Database,
    feed: Feed,
    club_id: UUID,
    selection: EventSelection,
    first: int,
    *,
    is_valid: Callable[[], bool],
    gives_up: Callable[[], bool],
) -> Iterator[Sequence[FeedEvent]]:
    """
    Yield events of a club as they join its tree, some at a time; an empty sequence after a silence.

    It ends after the longest duration of a stream.

    Args:
        database: the database.
        feed: the feed of the process.
        club_id: the club.
        selection: which events, and how many at a time at most.
        first: the position of the first one.
        is_valid: returns whether the key of the request is still valid; called at intervals.
        gives_up: returns whether to end at once.
    """
    now = time.monotonic()
    end, next_check = now + feed.stream_seconds, now + feed.key_seconds
    # The headers of the response are sent with the first block.
    yield ()
    next_heartbeat = now + feed.heartbeat_seconds
    while True:
        seen = feed.count_joined(club_id)
        found = list_events(database, club_id, selection, first)
        now = time.monotonic()
        if found or now >= next_heartbeat:
            yield found
            next_heartbeat = now + feed.heartbeat_seconds
        if found:
            first = found[-1].position + 1
        if now >= end or gives_up():
            return
        if now >= next_check:
            if not is_valid():
                return
            next_check = now + feed.key_seconds
        if len(found) < selection.limit:
            feed.wait(club_id, seen, min(_LOOK_SECONDS, end - now))
