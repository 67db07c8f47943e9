"""
Metrics of several web workers.

Each worker writes its own files into a directory of the running server; the worker that receives a request for metrics
sums all files. The files belong to a slot and not to a process: a worker that replaces a dead one takes its slot and
continues its files, so that no count is lost and the number of files is limited.
"""

import os
import tempfile
from typing import Final

from prometheus_client import values
from prometheus_client.multiprocess import mark_process_dead

DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"


def make_directory() -> str:
    """Create a directory for the metrics of a web server; its processes get it in the environment."""
    return tempfile.mkdtemp(prefix="ofc-metrics-")


def take_place(place: int) -> None:
    """
    Use a slot, and delete the gauges of a process that had it before; its counters go on.

    Must be called before `service.metrics.counters` is imported.
    """
    values.ValueClass = values.MultiProcessValue(lambda: place)
    mark_process_dead(place, os.environ[DIRECTORY])
