"""The operations on keys, on links to tables and on who enters hands there, as methods with the same names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from client.paths import build_path, drop_none
from client.responses import Document

if TYPE_CHECKING:
    from client import models
    from client.connection import Connection

_PAGE: Final = "100"


class AccessOperations:
    """The part of `Client` for keys, links to one table, who enters hands there, and links to the console."""

    _connection: "Connection"

    def issue_table_link(
        self,
        table_id: str,
        kind: str = "viewer",
        *,
        label: str | None = None,
        player: str | None = None,
        expires_in: int | None = None,
    ) -> "models.NewTableLink":
        """
        Create a link to one table for a `scorekeeper`, a `viewer` or a `player`.

        Args:
            table_id: the table.
            kind: what the link is for.
            label: what it is used for.
            player: the ID of the player, for the kind `player` only.
            expires_in: seconds until it expires.
        """
        asked: Document = {"kind": kind, **drop_none({"label": label, "player": player})}
        if expires_in is not None:
            asked["expires_in"] = expires_in
        return self._connection.post(build_path("tables", table_id, "links"), asked, is_idempotent=True)

    def list_table_links(self, table_id: str) -> "Iterator[models.TableLink]":
        """List the links to a table, newest first. Pages are fetched as they are read."""
        return self._connection.get_pages(build_path("tables", table_id, "links"), "links", {"limit": _PAGE})

    def revoke_table_link(self, table_id: str, link_id: str) -> None:
        """Revoke a link to a table."""
        self._connection.delete(build_path("tables", table_id, "links", link_id))

    def list_scorekeepers(self, table_id: str) -> "list[models.Scorekeeper]":
        """List the devices on which hands of a table are being entered now."""
        return list(self._connection.get_pages(build_path("tables", table_id, "scorekeepers"), "scorekeepers", {}))

    def show_scorekeeper(self, table_id: str, device_id: str, hand: int) -> None:
        """Show others for 10 seconds that a hand is being entered on a device, whose ID it chooses itself."""
        path = build_path("tables", table_id, "scorekeepers", device_id)
        self._connection.put_without_response(path, {"hand": hand})

    def hide_scorekeeper(self, table_id: str, device_id: str) -> None:
        """Show others that a hand is no longer being entered on a device."""
        self._connection.delete(build_path("tables", table_id, "scorekeepers", device_id))

    def get_link(self) -> "models.CurrentLink":
        """Return the link that is used as the key of this client."""
        return self._connection.get("/v1/link")

    def list_keys(self) -> "Iterator[models.ApiKey]":
        """List the API keys of the club, newest first. Pages are fetched as they are read."""
        return self._connection.get_pages("/v1/keys", "keys", {"limit": _PAGE})

    def revoke_key(self, key_id: str) -> None:
        """Revoke an API key of the club."""
        self._connection.delete(build_path("keys", key_id))

    def issue_console_link(self) -> "models.ConsoleLink":
        """Create a link that signs in to the console once, with the key of this client."""
        return self._connection.post("/v1/console-links", {}, is_idempotent=True)
