"""Name, list and erase players."""

from dataclasses import dataclass
from uuid import UUID

from evidence.events import PlayerErased, PlayerNamed
from schemas.players import PlayerView
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.players import queries as players
from service.players.queries import StoredPlayer


def view_player(stored: StoredPlayer) -> PlayerView:
    """Show what a player is called."""
    return PlayerView(stored.player, stored.display_name, stored.named_at)


def get_player(transaction: Transaction, player: str) -> PlayerView:
    """
    Show what a player is called.

    Raises:
        NotFound: he has no display name.
    """
    return view_player(players.get(transaction, player))


def list_players(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[PlayerView]:
    """List the club's players who have a display name, the newest first."""
    return cut_page(players.list_page(transaction, after=after, limit=limit + 1), limit, view_player)


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
    is_new = players.put(transaction, player, display_name, PlayerNamed(player=player).encode())
    return NamedPlayer(view_player(players.get(transaction, player)), is_new)


def erase_player(transaction: Transaction, player: str) -> None:
    """
    Erase a player's display name, if he has one; his id in the records stays.

    That he has none afterwards is all that is asked for, so that a request sent again is answered the same.
    """
    players.erase(transaction, player, PlayerErased(player=player).encode())
