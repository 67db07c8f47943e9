from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from service.database import Transaction
from service.repository.chunks import Chunk, Part
from service.repository.jobs import StoredJob


class Kind(Protocol):
    """
    A kind of job: all that workers have to know to do one.

    Everything is done in a transaction that the worker begins and commits, in the name of whoever asked for the job. It
    commits only where the chunk is still the worker's, so a kind need not care for crashes, repeats or rivals.
    """

    def plan(self, transaction: Transaction, job: StoredJob) -> Iterable[Part]:
        """Cut a job into chunks, in order, of a second or so: none is paused, cancelled or stopped halfway."""
        ...

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Mapping[str, Any]:
        """
        Do a chunk, and give what it came to, as JSON.

        An error that leaves it is the chunk's: it is tried again, and set aside where it keeps failing.
        """
        ...

    def set_aside(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> None:
        """Account for a chunk that was given up."""
        ...

    def end(self, transaction: Transaction, job: StoredJob) -> None:
        """Put away what an ended job needs no more."""
        ...
