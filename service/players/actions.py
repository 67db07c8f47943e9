"""Read, list, set and erase display names of players."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from evidence.events import PlayerErased, PlayerNamed
from evidence.texts import SaltedText
from schemas.metadata import Metadata
from schemas.players import NameRequest, PlayerView
from service.audit_trail.queries.events import record_event
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.players import queries as players
from service.players.queries import StoredPlayer
from service.texts.actions import erase_texts_of_player, get_metadata, set_metadata
from service.texts.queries import MetadataOwner

_MOST_FOUND: Final = 1000


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


def get_player_metadata(transaction: Transaction, player: str) -> Metadata:
    """Return a player's metadata."""
    return get_metadata(transaction, MetadataOwner.of_player(player))


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
    """A player with their display name and metadata, and whether they had no display name before."""

    view: PlayerView
    metadata: Metadata
    is_new: bool


def name_player(transaction: Transaction, player: str, request: NameRequest) -> NamedPlayer:
    """
    Set or replace a player's display name and, unless they are None, their metadata.

    The events contain neither, because events are never erased, but digests that verification compares.
    """
    name = SaltedText.of(request.display_name)
    event = PlayerNamed.of(player, name.text, name.salt)
    is_new = players.set_name(transaction, player, name.text, name.salt, event.encode())
    if request.metadata is not None:
        set_metadata(transaction, MetadataOwner.of_player(player), request.metadata)
    view = view_player(players.get(transaction, player))
    return NamedPlayer(view, get_player_metadata(transaction, player), is_new)


def erase_player(transaction: Transaction, player: str) -> None:
    """
    Erase a player's display name and metadata, and the texts by them and about them; their ID stays in the records.

    These are notes and reasons of their payments and charges, reasons of their departures with the request bodies that
    have them, their claims and comments in disputes, and labels of their links. The action is idempotent.
    """
    has_name = players.erase(transaction, player)
    erased = erase_texts_of_player(transaction, player)
    for digests in erased or ([()] if has_name else []):
        event = PlayerErased(player=player, texts=digests)
        record_event(transaction, event.kind, event.encode())
