import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final
from uuid import UUID

from service.database import Database
from service.errors import ServiceError
from service.logs import get_log
from service.repository import chunks
from service.repository.chunks import Chunk

LEASE: Final = timedelta(seconds=10)
"""How long a chunk stays claimed of which nothing is heard."""
_RENEWED_EVERY: Final = LEASE.total_seconds() / 4

_log = get_log(__name__)


@contextmanager
def kept_lease(database: Database, club_id: UUID, chunk: Chunk) -> Iterator[None]:
    """
    Keep a chunk claimed until the block ends, however long it takes.

    Renewed on a connection of its own, for nothing that the block writes is seen before it commits. A lease that cannot
    be renewed is not the block's trouble: should another claim the chunk, the block's end is refused.
    """
    is_over = threading.Event()

    def renew() -> None:
        while not is_over.wait(_RENEWED_EVERY):
            try:
                with database.transaction(club_id) as transaction:
                    if not chunks.renew(transaction, chunk, LEASE):
                        return
            except ServiceError as error:
                _log.warning("lease_not_renewed", job=str(chunk.job_id), chunk=chunk.number, error=str(error))

    renewing = threading.Thread(target=renew, name="lease", daemon=True)
    renewing.start()
    try:
        yield
    finally:
        is_over.set()
        renewing.join()
