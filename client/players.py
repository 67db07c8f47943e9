"""Display names of players."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from client.paths import build_path

if TYPE_CHECKING:
    from client import models
    from client.connection import Connection


class PlayerOperations:
    """The operations of a client with the display names of players."""

    _connection: "Connection"

    def list_players(self) -> "Iterator[models.Player]":
        """List the display names of players, by ID. Pages are fetched as they are read."""
        return self._connection.get_pages("/v1/players", "players", {"limit": "100"})

    def get_player(self, player: str) -> "models.Player":
        """Return the display name of a player."""
        return self._connection.get(build_path("players", player))

    def name_player(self, player: str, display_name: str) -> "models.Player":
        """Set the display name of a player."""
        return self._connection.put(build_path("players", player), {"display_name": display_name})

    def erase_player(self, player: str) -> None:
        """Erase the display name of a player."""
        self._connection.delete(build_path("players", player))
