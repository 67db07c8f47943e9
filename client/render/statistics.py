"""Statistics of players."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from client.render.console import make_grid
from client.render.format import signed

Document = Mapping[str, Any]

_NUMBERS = (
    "hands",
    "points",
    "a hand",
    "fouls",
    "Fantasyland",
    "stayed",
    "royalties",
    "scoops",
    "not received",
    "not paid",
)


def show_statistics(console: Console, statistics: Document) -> None:
    """Print the figures of every player."""
    if not statistics["players"]:
        console.print("No hands have been played.")
    else:
        grid = make_grid(console, "player", *_NUMBERS, numbers=_NUMBERS)
        for player in statistics["players"]:
            royalties = player["royalties"]
            grid.add_row(
                player["player"],
                str(player["hands"]),
                signed(player["points"]),
                _mean(player["points_per_hand"]),
                str(player["fouls"]),
                str(player["fantasyland_entered"]),
                str(player["fantasyland_stayed"]),
                f"{royalties['top']}/{royalties['middle']}/{royalties['bottom']}",
                str(player["scoops"]),
                str(player["not_received"]),
                str(player["not_paid"]),
            )
        console.print(grid)
        console.print(Text("Points a hand with their 95 % interval; royalties of top/middle/bottom.", style="dim"))


def _mean(points: Document | None) -> str:
    if points is None:
        return "–"
    interval = "" if points["low"] is None else f" ({_decimal(points['low'])} to {_decimal(points['high'])})"
    return f"{_decimal(points['mean'])}{interval}"


def _decimal(points: float) -> str:
    return f"{points:+.2f}".replace("-", "−")
