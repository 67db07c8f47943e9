from schemas.players import PlayerView
from service.database import Transaction
from service.repository import players
from service.usecases.views import view_player


def get_player(transaction: Transaction, player: str) -> PlayerView:
    """
    Show what a player is called.

    Raises:
        NotFound: he has no display name.
    """
    return view_player(players.get(transaction, player))
