"""Players with their display names, aliases and metadata."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console

from client.render.console import Column, show_metadata, show_records
from client.render.format import format_minute

Document = Mapping[str, Any]


def _show_aliases(player: Document) -> str:
    return ", ".join(alias["alias"] for alias in player["aliases"])


PLAYERS: Final = (
    Column("player", "player"),
    Column("name", "display_name"),
    Column("aliases", _show_aliases),
    Column("named (UTC)", lambda player: format_minute(player["named_at"])),
)


def show_player(console: Console, player: Document) -> None:
    """Print a player with their display name, aliases and metadata."""
    show_records(console, [player], PLAYERS)
    show_metadata(console, player)
