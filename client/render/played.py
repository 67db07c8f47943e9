"""What happens in a round beside its hands."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from client.render.cards import Names
from client.render.hand import explain_next
from client.render.settlement import show_settlement

Document = Mapping[str, Any]


def explain_departure(console: Console, departure: Document, names: Names, note: str = "") -> None:
    """Say who left, and why."""
    parts = [f"{names[departure['seat']]} leaves after hand {departure['after_hand']}", departure.get("reason"), note]
    console.print(" · ".join(part for part in parts if part))


def explain_end(console: Console, played: Document, ruleset: Document, names: Names, *, shown_before: int) -> None:
    """Say where a round stands after its last hand, and who won what; payments shown before are not shown again."""
    console.print()
    explain_next(console, played["round"], names)
    show_settlement(console, played["settlement"], ruleset, names, shown_before=shown_before)
