from collections.abc import Sequence
from typing import ClassVar, Protocol

from service.db import Transaction
from service.jobs.queries.chunks import Chunk, Done, Part, Plan
from service.jobs.queries.jobs import StoredJob


class Kind(Protocol):
    """
    A kind of job: how workers plan it and process its chunks.

    All functions run in a transaction that the worker begins and commits, with the key that requested the job as actor.
    It is committed only while the worker holds the lease of the chunk, so a kind can ignore crashes and retries.

    Attributes:
        unit: the unit of the numbers of the job, in the plural.
    """

    unit: ClassVar[str]

    def plan(self, transaction: Transaction, job: StoredJob) -> Plan:
        """
        Split a job into ordered chunks of about a second. A chunk in progress is not paused or cancelled.

        The plan has the number of lines or rounds received, which is not counted from the chunks: the job succeeds only
        if its chunks account for the same number.
        """
        ...

    def work(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done:
        """
        Process a chunk, and return its result and the number of lines or rounds that it accounts for.

        After an exception, except one of the database, the chunk is retried; if it keeps failing it is split, or
        dead-lettered.
        """
        ...

    def split(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Sequence[Part]:
        """Split a chunk into smaller ones, in order; return an empty list if it cannot be split."""
        ...

    def give_up(self, transaction: Transaction, job: StoredJob, chunk: Chunk) -> Done | None:
        """
        Account for a chunk that cannot be split and keeps failing or losing its workers.

        Returns:
            The result of the chunk if the job can succeed without it; None if the job has failed.
        """
        ...

    def end(self, transaction: Transaction, job: StoredJob) -> None:
        """Delete what an ended job no longer needs."""
        ...
