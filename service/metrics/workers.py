"""
Metrics of several web workers.

Each worker writes its own files into a directory of the running server; the worker that receives a request for metrics
sums all files. The files belong to a slot and not to a process: a worker that replaces a dead one takes its slot and
continues its files, so that no count is lost and the number of files is limited.
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
"""The slot of the gunicorn master process, which counts nothing."""
_place = _NOBODYS


def make_directory() -> None:
    """
    Create a directory for the metrics of a web server, and pass it to the workers in the environment.

    Must be called before `service.metrics.counters` is imported.
    """
    os.environ[DIRECTORY] = tempfile.mkdtemp(prefix="ofc-metrics-")
    values.ValueClass = values.MultiProcessValue(lambda: _place)


def remove_directory() -> None:
    """Delete the directory."""
    shutil.rmtree(os.environ.pop(DIRECTORY), ignore_errors=True)


def free_place(taken: Collection[int]) -> int:
    """
    Return the first slot that no running worker has.

    >>> free_place([0, 1, 3])
    2
    """
    return next(place for place in range(len(taken) + 1) if place not in taken)


def take_place(place: int) -> None:
    """Set the slot of this process. Must be called before the process counts anything."""
    global _place
    _place = place


def leave_place(place: int) -> None:
    """Delete the gauges of a worker that has ended; its counters stay."""
    mark_process_dead(place, os.environ[DIRECTORY])
