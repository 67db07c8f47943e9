from uuid import UUID

from schemas.rounds import RoundView
from service.database import Transaction
from service.repository import rounds
from service.repository.rounds import RoundFilter
from service.usecases.pages import Page, cut_page
from service.usecases.views import view_round


def list_rounds(transaction: Transaction, wanted: RoundFilter, *, after: UUID | None, limit: int) -> Page[RoundView]:
    """List the club's rounds, the newest first."""
    return cut_page(rounds.list_page(transaction, wanted, after=after, limit=limit + 1), limit, view_round)
