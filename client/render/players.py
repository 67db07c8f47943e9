"""The columns of players with their display names and aliases."""

from collections.abc import Mapping
from typing import Any, Final

from client.render.console import Column
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
