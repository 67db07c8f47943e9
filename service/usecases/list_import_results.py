from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from uuid import UUID

from service.database import Transaction
from service.repository import imports, jobs
from service.repository.jobs import StoredJob
from service.usecases.get_import import KIND


def list_import_results(
    transaction: Transaction, import_id: UUID, read: Callable[[], AbstractContextManager[Transaction]]
) -> tuple[StoredJob, Iterator[bytes]]:
    """
    Give what became of the lines of an import so far, in blocks of whole lines, in the order of the file.

    Each block is read in a transaction of its own, begun by `read`: who reads slowly keeps none open.

    Raises:
        NotFound: the club has none with this id.
    """
    return jobs.get(transaction, import_id, KIND), _blocks(import_id, read)


def _blocks(import_id: UUID, read: Callable[[], AbstractContextManager[Transaction]]) -> Iterator[bytes]:
    number = 0
    while True:
        with read() as transaction:
            found = imports.find_results_after(transaction, import_id, number)
        if found is None:
            return
        number, content = found
        yield content
