from uuid import UUID

from service.database import Transaction
from service.repository import checkpoints
from service.repository.checkpoints import StoredCheckpoint
from service.usecases.pages import Page, cut_page


def list_checkpoints(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[StoredCheckpoint]:
    """List what was signed of the club's tree, the newest first."""
    return cut_page(checkpoints.list_page(transaction, after=after, limit=limit + 1), limit, lambda found: found)
