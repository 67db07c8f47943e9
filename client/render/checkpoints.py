"""Checkpoints, as a list."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from client.render.grid import make_grid


def list_checkpoints(console: Console, found: Sequence[Mapping[str, Any]]) -> None:
    """List what was signed: when, how many events it stands for, and where the note is."""
    if not found:
        console.print("No checkpoints.")
        return
    grid = make_grid(console, "signed at", "events", "address", numbers=("events",), unbroken=("address",))
    for each in found:
        grid.add_row(each["created_at"], str(each["size"]), each["id"])
    console.print(grid)
