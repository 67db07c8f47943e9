from uuid import UUID

from schemas.players import PlayerView
from service.database import Transaction
from service.repository import players
from service.usecases.pages import Page, cut_page
from service.usecases.views import view_player


def list_players(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[PlayerView]:
    """List the club's players who have a display name, the newest first."""
    return cut_page(players.list_page(transaction, after=after, limit=limit + 1), limit, view_player)
