"""
How often somebody has come lately, counted by all web workers of a machine together.

The counts stand in memory that gunicorn shares with the workers it forks, so this is imported before they are. Nothing
is written anywhere: a restart forgets. However many come, the memory stays as it is.
"""

import fcntl
import mmap
import os
import struct
import tempfile
import threading
from secrets import token_bytes
from typing import Final

_PLACE: Final = struct.Struct("<16sII")
_PLACES_A_GROUP: Final = 8
_GROUP: Final = _PLACE.size * _PLACES_A_GROUP
WHO_LENGTH: Final = 16
SALT: Final = token_bytes(16)
"""For names of who comes that nobody can choose so as to share another's group; the same in every worker."""


class Counts:
    """
    How often each of many has come in the current stretch of time.

    Who comes has one of the eight places of his group. Where all are taken by others of the same stretch, whoever came
    least often loses his: to be forgotten one must be rare, so nobody is helped by bringing a crowd.

    A lock of the system guards a group, for that one is given back also by a worker that is killed.

    >>> counts = Counts(seconds=60)
    >>> ann, bob = b"ann".ljust(16), b"bob".ljust(16)
    >>> counts.add(ann, now=30), counts.add(ann, now=59), counts.add(bob, now=59), counts.find(ann, now=59)
    (1, 2, 1, 2)
    >>> counts.find(ann, now=60), counts.add(ann, now=61)
    (0, 1)
    """

    def __init__(self, seconds: int, groups: int = 1024) -> None:
        self.seconds = seconds
        self._groups = groups
        self._memory = mmap.mmap(-1, groups * _GROUP)
        # An empty file that has no name: only its locks are used, for as long as the process lives.
        self._locks, name = tempfile.mkstemp()
        os.unlink(name)
        self._threads = threading.Lock()

    def add(self, who: bytes, now: float) -> int:
        """Count that somebody comes, and say how often he has come by then in this stretch."""
        stretch, group = int(now // self.seconds), self._group_of(who)
        with self._threads:
            fcntl.lockf(self._locks, fcntl.LOCK_EX, _GROUP, group)
            try:
                places = self._memory[group : group + _GROUP]
                own = places.find(who)
                place = own if own >= 0 else _rarest(places, stretch)
                count = 1 + (_count_at(places, own, stretch) if own >= 0 else 0)
                _PLACE.pack_into(self._memory, group + place, who, stretch, count)
            finally:
                fcntl.lockf(self._locks, fcntl.LOCK_UN, _GROUP, group)
        return count

    def find(self, who: bytes, now: float) -> int:
        """Say how often somebody has come in this stretch."""
        group = self._group_of(who)
        places = self._memory[group : group + _GROUP]
        own = places.find(who)
        return _count_at(places, own, int(now // self.seconds)) if own >= 0 else 0

    def seconds_left(self, now: float) -> int:
        """Say how long the stretch still lasts."""
        return self.seconds - int(now % self.seconds)

    def _group_of(self, who: bytes) -> int:
        return int.from_bytes(who[:4], "little") % self._groups * _GROUP


def _count_at(places: bytes, place: int, stretch: int) -> int:
    """Read how often he has come in a stretch who has a place."""
    _who, at, count = _PLACE.unpack_from(places, place)
    return count if at == stretch else 0


def _rarest(places: bytes, stretch: int) -> int:
    """Find the place of whoever came least often in a stretch."""
    return min(range(0, _GROUP, _PLACE.size), key=lambda place: _count_at(places, place, stretch))


REQUESTS: Final = Counts(seconds=60)
"""Requests, by the key that they carry."""
FAILURES: Final = Counts(seconds=60)
"""Requests with a key that opens nothing, by the address that they come from."""
KNOWN: Final = Counts(seconds=24 * 60 * 60)
"""Keys that have opened something."""
