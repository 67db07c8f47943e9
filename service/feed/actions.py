"""List the events of a club, wait for new ones, and stream them."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from uuid import UUID

from schemas.feed.events import FeedEvent
from service.db import Database
from service.feed import queries
from service.feed.feed import Feed
from service.feed.queries import EventSelection

_LOOK_SECONDS: Final = 0.5
"""The longest time without a look at the events, because notifications can be lost."""


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
