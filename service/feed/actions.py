"""The feed of a web process: list the events of a club, and wait for new ones."""

import time
from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from schemas.feed.events import FeedEvent
from service.db import Database
from service.feed import queries
from service.feed.queries import EventSelection
from service.places import MOST_LISTENERS_OF_CLUB, Places

LISTENERS: Final = Places(MOST_LISTENERS_OF_CLUB)
"""The places of the requests of this process that wait for events."""
_LOOK_SECONDS: Final = 0.5


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
    club_id: UUID,
    selection: EventSelection,
    first: int,
    *,
    seconds: float,
    gives_up: Callable[[], bool],
) -> Sequence[FeedEvent]:
    """
    List events of a club; if there are none, look again until there is one. No connection is held meanwhile.

    Args:
        database: the database.
        club_id: the club.
        selection: which events, and how many at most.
        first: the position of the first one.
        seconds: the most seconds to wait.
        gives_up: returns whether to stop waiting at once.
    """
    deadline = time.monotonic() + seconds
    while True:
        events = list_events(database, club_id, selection, first)
        remaining = deadline - time.monotonic()
        if events or remaining <= 0 or gives_up():
            return events
        time.sleep(min(_LOOK_SECONDS, remaining))
