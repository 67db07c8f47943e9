"""Plots of what was played."""

from typing import TYPE_CHECKING

from client.paths import build_path, drop_none

if TYPE_CHECKING:
    from client import models
    from client.connection import Connection


class PlotOperations:
    """The operations of a client with plots."""

    _connection: "Connection"

    def get_plot(self, plot: str, **filters: str | None) -> "models.Plot":
        """Return the figures of a plot, filtered by `round`, `table`, `player`, `evening`, `from` and `to`."""
        return self._connection.get(build_path("plots", plot), drop_none(filters))

    def export_plot(self, plot: str, form: str, **filters: str | None) -> bytes:
        """Return a plot as a file of the content type `form`, `image/svg+xml` or `text/csv`, filtered as `get_plot`."""
        return self._connection.get_lines(build_path("plots", plot), drop_none(filters), form).content
