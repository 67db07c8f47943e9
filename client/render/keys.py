"""Keys, as a list."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import Console

from client.render.grid import make_grid


def list_keys(console: Console, found: Sequence[Mapping[str, Any]]) -> None:
    """List keys: how each begins, what it is for and opens, and when it was made, last used, and ends."""
    grid = make_grid(console, "key", "name", "scopes", "made (UTC)", "last used (UTC)", "ends (UTC)", unbroken=("key",))
    for key in found:
        ends = [end for end in (key["expires_at"], key["revoked_at"]) if end is not None]
        grid.add_row(
            key["prefix"],
            key["name"],
            ", ".join(key["scopes"]),
            _moment(key["created_at"]),
            _moment(key["last_used_at"]),
            _moment(min(ends, key=datetime.fromisoformat, default=None)),
        )
    console.print(grid)


def _moment(written: str | None) -> str:
    """
    Write a moment to the minute, in UTC as it came.

    >>> _moment("2026-11-20T20:30:00Z"), _moment(None)
    ('2026-11-20 20:30', '–')
    """
    return "–" if written is None else written[:16].replace("T", " ")
