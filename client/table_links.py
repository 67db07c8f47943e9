"""The operations on links to tables as methods with the same names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from client.paths import build_path, drop_none
from client.responses import Document

if TYPE_CHECKING:
    from client import models
    from client.connection import Connection

_PAGE: Final = "100"


class TableLinkOperations:
    """The part of `Client` that manages links to one table."""

    _connection: "Connection"

    def issue_table_link(
        self, table_id: str, kind: str = "viewer", *, label: str | None = None, expires_in: int | None = None
    ) -> "models.NewTableLink":
        """Create a link to one table for a `scorekeeper` or a `viewer`; `expires_in` is in seconds."""
        asked: Document = {"kind": kind, **drop_none({"label": label})}
        if expires_in is not None:
            asked["expires_in"] = expires_in
        return self._connection.post(build_path("tables", table_id, "links"), asked, is_idempotent=True)

    def list_table_links(self, table_id: str) -> "Iterator[models.TableLink]":
        """List the links to a table, newest first. Pages are fetched as they are read."""
        return self._connection.get_pages(build_path("tables", table_id, "links"), "links", {"limit": _PAGE})

    def revoke_table_link(self, table_id: str, link_id: str) -> None:
        """Revoke a link to a table."""
        self._connection.delete(build_path("tables", table_id, "links", link_id))

    def get_link(self) -> "models.CurrentLink":
        """Return the link that is used as the key of this client."""
        return self._connection.get("/v1/link")
