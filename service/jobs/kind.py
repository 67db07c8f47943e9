from collections.abc import Sequence
from typing import ClassVar, Protocol

from service.db import Transaction
from service.jobs.queries.chunks import Chunk, Done, Part, Plan
from service.jobs.queries.jobs import StoredJob


class Kind(Protocol):
    """
    A kind of job: all that workers have to know to do one.

    Everything is done in a transaction that the worker begins and commits, in the name of whoever asked for the job. It
    commits only where the chunk is still the worker's, so a kind need not care for crashes, repeats or rivals.

    Attributes:
        unit: what the job must account for, in the plural.
    """

    unit: ClassVar[str]

    def plan(self, transaction: Transaction, job: StoredJob) -> Plan:
        """
        Cut a job into chunks, in order, of a second or so: none is paused, cancelled or stopped halfway.

        The plan says how many lines or rounds were received, which is never counted from the chunks: the job succeeds
        only where its chunks account for as many.
        """
        ...

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
        """
        Do a chunk, and return its result, and how many lines or rounds it accounts for.

        An error that leaves it is the chunk's, unless it is the database's: it is tried again, and where it keeps
        failing the chunk is split or given up.
        """
        ...

    def split(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Sequence[Part]:
        """Cut a chunk into smaller ones, in order; an empty list where it is the smallest that there can be."""
        ...

    def give_up(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done | None:
        """
        Account for a chunk that cannot be split and keeps failing or killing its workers.

        Returns:
            Its result where the job can succeed all the same; None where the job has failed.
        """
        ...

    def end(self, transaction: Transaction, job: StoredJob) -> None:
        """Put away what an ended job needs no more."""
        ...
