"""The places of requests that wait for events, so that they leave threads and connections for all others."""

from collections import Counter
from threading import Lock
from typing import Final
from uuid import UUID

MOST_LISTENERS: Final = 24
"""Maximum number of requests of a process that wait for events at once, where they have threads of their own."""
MOST_OF_CLUB: Final = 12
"""Maximum number of those of one club."""
MOST_IN_THREADS: Final = 2
"""Maximum number where they use the threads of other requests: half of these threads."""


class Places:
    """
    Counts the requests that wait for events, in a process and of each club.

    >>> places, club = Places(), UUID(int=7)
    >>> [places.take(club, has_thread=False) for _ in range(3)]
    [True, True, False]
    >>> places.release(club)
    >>> places.take(club, has_thread=True)
    True
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken: Counter[UUID] = Counter()

    def take(self, club_id: UUID, *, has_thread: bool) -> bool:
        """
        Take a place, and return whether there was one.

        Args:
            club_id: the club of the request.
            has_thread: whether the request has a thread of its own.
        """
        with self._lock:
            most = MOST_LISTENERS if has_thread else MOST_IN_THREADS
            if self._taken.total() >= most or self._taken[club_id] >= MOST_OF_CLUB:
                return False
            self._taken[club_id] += 1
            return True

    def release(self, club_id: UUID) -> None:
        """Release a place of a club."""
        with self._lock:
            self._taken[club_id] -= 1
            if not self._taken[club_id]:
                del self._taken[club_id]

    @property
    def taken(self) -> int:
        """The number of places that are taken."""
        return self._taken.total()
