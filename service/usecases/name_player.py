from dataclasses import dataclass

from schemas.hands import canonical_json
from schemas.players import PlayerView
from service.database import Transaction
from service.repository import players
from service.usecases.views import view_player


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player as he is called now, and whether he had no display name before."""

    view: PlayerView
    is_new: bool


def name_player(transaction: Transaction, player: str, display_name: str) -> NamedPlayer:
    """
    Give a player a display name, in place of the one that he may have.

    The audit trail says that he was named and never how: its events are kept for ever.
    """
    is_new = players.put(transaction, player, display_name, canonical_json({"player": player}))
    return NamedPlayer(view_player(players.get(transaction, player)), is_new)
