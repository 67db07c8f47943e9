"""The columns of statistics of players."""

from collections.abc import Mapping
from typing import Any, Final

from client.render.console import Column
from client.render.format import signed

Document = Mapping[str, Any]


def _show_mean(player: Document) -> str:
    points = player["points_per_hand"]
    if points is None:
        return "–"
    interval = "" if points["low"] is None else f" ({_decimal(points['low'])} to {_decimal(points['high'])})"
    return f"{_decimal(points['mean'])}{interval}"


def _decimal(points: float) -> str:
    return f"{points:+.2f}".replace("-", "−")


def _show_royalties(player: Document) -> str:
    royalties = player["royalties"]
    return f"{royalties['top']}/{royalties['middle']}/{royalties['bottom']}"


STATISTICS: Final = (
    Column("player", "player"),
    Column("hands", "hands", is_number=True),
    Column("points", lambda player: signed(player["points"]), is_number=True),
    Column("a hand", _show_mean, is_number=True),
    Column("fouls", "fouls", is_number=True),
    Column("Fantasyland", "fantasyland_entered", is_number=True),
    Column("stayed", "fantasyland_stayed", is_number=True),
    Column("royalties", _show_royalties, is_number=True),
    Column("scoops", "scoops", is_number=True),
    Column("not received", "not_received", is_number=True),
    Column("not paid", "not_paid", is_number=True),
)
