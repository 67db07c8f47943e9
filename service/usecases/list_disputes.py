from uuid import UUID

from schemas.disputes import DisputeView
from service.database import Transaction
from service.repository import disputes
from service.repository.disputes import DisputeFilter
from service.usecases.pages import Page
from service.usecases.view_dispute import view_disputes


def list_disputes(
    transaction: Transaction, wanted: DisputeFilter, *, after: UUID | None, limit: int
) -> Page[DisputeView]:
    """List the club's disputes, the oldest first, each with what is unusual about its round."""
    found = disputes.list_page(transaction, wanted, after=after, limit=limit + 1)
    shown = found[:limit]
    return Page(view_disputes(transaction, shown), shown[-1].id if len(found) > limit else None)
