"""Runs functions in threads that start at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

T = TypeVar("T")


def at_once(*works: Callable[[], T]) -> list[T]:
    """Run functions at the same moment, each in its own thread, and return their results in order."""
    ready = Barrier(len(works))

    def begin(work: Callable[[], T]) -> T:
        ready.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(begin, works))
