"""The operations on recomputations as methods with the same names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from client.paths import build_path, drop_none
from client.responses import Document

if TYPE_CHECKING:
    from client import models
    from client.connection import Connection

_PAGE: Final = "100"


class RecomputationOperations:
    """The part of `Client` that replays stored rounds."""

    _connection: "Connection"

    def start_recomputation(self, request: Document) -> "models.Recomputation":
        """Start a recomputation of stored rounds."""
        return self._connection.post("/v1/recomputations", request)

    def list_recomputations(self, *, state: str | None = None) -> "Iterator[models.Recomputation]":
        """List the recomputations of the club, newest first: all, or those in one state."""
        query = {"limit": _PAGE, **drop_none({"state": state})}
        return self._connection.get_pages("/v1/recomputations", "recomputations", query)

    def get_recomputation(self, recomputation_id: str) -> "models.Recomputation":
        """Return a recomputation: its progress and its results so far."""
        return self._connection.get(build_path("recomputations", recomputation_id))

    def cancel_recomputation(self, recomputation_id: str) -> "models.Recomputation":
        """Cancel a recomputation. What was found and applied remains."""
        return self._connection.post(build_path("recomputations", recomputation_id, "cancel"), {})

    def pause_recomputation(self, recomputation_id: str) -> "models.Recomputation":
        """Pause a recomputation."""
        return self._connection.post(build_path("recomputations", recomputation_id, "pause"), {})

    def resume_recomputation(self, recomputation_id: str) -> "models.Recomputation":
        """Resume a paused recomputation."""
        return self._connection.post(build_path("recomputations", recomputation_id, "resume"), {})

    def list_differences(self, recomputation_id: str) -> "Iterator[models.RecomputationDifference]":
        """List the differences that a recomputation has found so far. Pages are fetched as they are read."""
        path = build_path("recomputations", recomputation_id, "differences")
        return self._connection.get_pages(path, "differences", {"limit": _PAGE})
