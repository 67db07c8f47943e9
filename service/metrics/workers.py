"""
How several web workers count together.

Each worker writes into files of its own, in a directory of the start that it belongs to; whichever is asked for the
metrics adds all files up. The files belong to a place, not to a process: a worker that takes a dead one's place goes on
counting where that one stopped, so that nothing is lost and no files pile up.
"""

import os
import shutil
import tempfile
from collections.abc import Collection
from typing import Final

from prometheus_client import values
from prometheus_client.multiprocess import mark_process_dead

DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"

_NOBODYS: Final = -1
"""The place of gunicorn itself, which counts nothing."""
_place = _NOBODYS


def make_directory() -> None:
    """
    Make a fresh directory for a start of the web server, and tell its workers through their environment.

    Comes before what counts is loaded.
    """
    os.environ[DIRECTORY] = tempfile.mkdtemp(prefix="ofc-metrics-")
    values.ValueClass = values.MultiProcessValue(lambda: _place)


def remove_directory() -> None:
    """Remove the directory of this start."""
    shutil.rmtree(os.environ.pop(DIRECTORY), ignore_errors=True)


def free_place(taken: Collection[int]) -> int:
    """
    Find the first place that no living worker has.

    >>> free_place([0, 1, 3])
    2
    """
    return next(place for place in range(len(taken) + 1) if place not in taken)


def take_place(place: int) -> None:
    """Let this process count in a place. Comes before anything is counted in it."""
    global _place
    _place = place


def leave_place(place: int) -> None:
    """Forget what was going on in a worker that has ended; what it had counted stays."""
    mark_process_dead(place, os.environ[DIRECTORY])
