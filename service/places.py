"""Places and turns for requests that occupy a thread or a processor for long, so that others are served."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

MOST_LISTENERS: Final = 24
"""Maximum number of requests of a process that wait for events at once. The other threads serve other requests."""
MOST_LISTENERS_OF_CLUB: Final = 12
"""Maximum number of those of one club."""


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


Wait = Callable[[Iterator[bytes]], Iterator[bytes]]
"""Yields the blocks that it is given."""


class Turns:
    """
    Lets the requests of each key take turns in a process: one works, the others wait.

    A request that waits for its client lets others work. So a key that sends many requests at once, each of which is
    expensive, uses one processor.

    >>> turns, key = Turns(), UUID(int=7)
    >>> with turns.take(key) as wait:
    ...     list(wait(iter([b"1", b"2"])))
    [b'1', b'2']
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._turns: WeakValueDictionary[UUID, _Turn] = WeakValueDictionary()

    @contextmanager
    def take(self, key_id: UUID) -> Iterator[Wait]:
        """Wait for the turn of a key, and return a function that gives it away while it waits for each block."""
        with self._lock:
            turn = self._turns.setdefault(key_id, _Turn())
        with turn.lock:
            yield turn.wait


class _Turn:
    def __init__(self) -> None:
        self.lock = Lock()

    def wait(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        while True:
            self.lock.release()
            try:
                block = next(blocks, None)
            finally:
                self.lock.acquire()
            if block is None:
                return
            yield block


IMPORT_TURNS: Final = Turns()
"""Of imports that are received."""
