"""Read, list, set and erase display names of players."""

from collections.abc import Iterable
from dataclasses import dataclass
from secrets import token_bytes
from typing import Final
from uuid import UUID

from evidence.events import PlayerErased, PlayerNamed
from schemas.players import PlayerView
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.players import queries as players
from service.players.queries import StoredPlayer

_MOST_FOUND: Final = 1000
_SALT_BYTES: Final = 32


def view_player(stored: StoredPlayer) -> PlayerView:
    """Return the view of a stored player."""
    return PlayerView(stored.player, stored.display_name, stored.named_at)


def get_player(transaction: Transaction, player: str) -> PlayerView:
    """
    Return a player's display name.

    Raises:
        NotFound: the player has no display name.
    """
    return view_player(players.get(transaction, player))


def list_players(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[PlayerView]:
    """List the club's players with a display name, the newest first."""
    return cut_page(players.list_page(transaction, after=after, limit=limit + 1), limit, view_player)


def list_names(transaction: Transaction, of: Iterable[str]) -> dict[str, str]:
    """Return the display names of those players that have one."""
    return {record.player: record.display_name for record in players.list_named(transaction, {*of})}


def search_names(transaction: Transaction, text: str) -> list[str]:
    """Return the IDs of players with a text in their display names: not more than a thousand."""
    return players.search_names(transaction, text, _MOST_FOUND)


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player with their display name, and whether they had none before."""

    view: PlayerView
    is_new: bool


def name_player(transaction: Transaction, player: str, display_name: str) -> NamedPlayer:
    """
    Set or replace a player's display name.

    The event does not contain the name, because events are never erased, but a digest that verification compares.
    """
    salt = token_bytes(_SALT_BYTES)
    event = PlayerNamed.of(player, display_name, salt)
    is_new = players.set_name(transaction, player, display_name, salt, event.encode())
    return NamedPlayer(view_player(players.get(transaction, player)), is_new)


def erase_player(transaction: Transaction, player: str) -> None:
    """
    Erase a player's display name and the notes of their payments and charges, if any; their ID stays in the records.

    The action is idempotent.
    """
    erased = players.erase(transaction, player)
    if erased.has_name or erased.notes:
        event = PlayerErased(player=player, notes=erased.notes)
        players.record_erasure(transaction, erased, event.encode())
