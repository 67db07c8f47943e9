"""Limits the batches of hands that a process records at once, so that single hands do not wait for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Final

from service.errors import TooManyRequests

MOST_BATCHES: Final = 4
"""Maximum number of batches in a process: half of its threads, so that other requests are served."""
_RETRY_SECONDS: Final = 1
_places: Final = BoundedSemaphore(MOST_BATCHES)
_turn: Final = Lock()


@contextmanager
def batch_turn() -> Iterator[None]:
    """
    Wait until no other batch is recorded in this process.

    A batch computes for as long as a hundred single hands. Two at once would not be faster, because only one thread of
    a process computes at a time, and every single hand would wait for both.

    Raises:
        TooManyRequests: too many batches are waiting already.
    """
    with batch_place(), _turn:
        yield


@contextmanager
def batch_place() -> Iterator[None]:
    """
    Take one of the places for batches.

    Raises:
        TooManyRequests: all are taken.
    """
    if not _places.acquire(blocking=False):
        raise TooManyRequests(
            f"{MOST_BATCHES} batches of hands are being recorded by this process; expected at most {MOST_BATCHES} at a"
            " time: retry when one of them has ended",
            _RETRY_SECONDS,
        )
    try:
        yield
    finally:
        _places.release()
