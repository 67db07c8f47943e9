"""Places for requests that occupy a thread or a connection for long, so that others are served."""

from collections import Counter
from threading import Lock
from typing import Final
from uuid import UUID

MOST_LISTENERS: Final = 24
"""Maximum number of requests of a process that wait for events at once, where they have threads of their own."""
MOST_LISTENERS_OF_CLUB: Final = 12
"""Maximum number of those of one club."""
MOST_IN_THREADS: Final = 2
"""Maximum number where they use the threads of other requests: half of these threads."""


class Places:
    """
    Counts the requests that have a place, in a process and of each club.

    >>> places, club = Places(most_of_club=2), UUID(int=7)
    >>> [places.take(club, most=3) for _ in range(3)]
    [True, True, False]
    >>> [places.take(UUID(int=8), most=3) for _ in range(2)]
    [True, False]
    >>> places.release(club)
    >>> places.take(club, most=3)
    True
    """

    def __init__(self, most_of_club: int) -> None:
        """
        Create places, of which none is taken.

        Args:
            most_of_club: the maximum number for one club.
        """
        self._most_of_club = most_of_club
        self._lock = Lock()
        self._taken: Counter[UUID] = Counter()

    def take(self, club_id: UUID, most: int) -> bool:
        """
        Take a place, and return whether there was one.

        Args:
            club_id: the club of the request.
            most: the maximum number of all clubs.
        """
        with self._lock:
            if self._taken.total() >= most or self._taken[club_id] >= self._most_of_club:
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
