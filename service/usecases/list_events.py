import time
from collections.abc import Callable
from typing import Final
from uuid import UUID

from service.database import Database
from service.repository import events
from service.repository.events import JoinedEvent

_LOOKS_EVERY: Final = 0.5


def list_events(
    database: Database, club_id: UUID, *, after: int | None, limit: int, wait: float, gives_up: Callable[[], bool]
) -> list[JoinedEvent]:
    """
    List what happened in a club after an event, in the order of the tree; where there is nothing yet, wait for it.

    Meanwhile no connection is held.

    Args:
        database: where to look.
        club_id: whose events.
        after: the position of the last that is known; None for from the first.
        limit: so many at most.
        wait: so many seconds at most.
        gives_up: says while it waits whether it should end at once, with what there is.
    """
    deadline = time.monotonic() + wait
    while True:
        with database.reading(club_id) as transaction:
            found = events.list_joined(transaction, 0 if after is None else after + 1, limit)
        left = deadline - time.monotonic()
        if found or left <= 0 or gives_up():
            return found
        time.sleep(min(_LOOKS_EVERY, left))
