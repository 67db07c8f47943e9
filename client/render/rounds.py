"""Rounds as they stand."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from client.render.cards import Names, plural
from client.render.grid import make_grid
from client.render.hand import explain_next

Document = Mapping[str, Any]


def show_heading(console: Console, name: str, round_: Document, note: str = "") -> None:
    """Name a round, with the operator's reference and the rules."""
    parts = [name, round_["reference"], round_["ruleset"], note]
    console.print(Text(" · ".join(part for part in parts if part), style="bold"))


def show_round(console: Console, round_: Document) -> None:
    """Show a round as it stands and what comes next."""
    state = "" if round_["state"] == "open" else f"settlement {round_['state']}"
    show_heading(console, f"Round {round_['id']}", round_, state)
    numbers = ("seat", "opened with", "added", "stack")
    headings = ("seat", "player", "opened with", "added", "stack", "")
    grid = make_grid(console, *headings, numbers=numbers)
    for seat in round_["seats"]:
        points = [str(seat[name]) for name in ("opening_stack", "top_ups", "stack")]
        grid.add_row(
            str(seat["seat"]), seat["player"], *points, "" if seat["playing"] else Text("not playing", style="dim")
        )
    console.print(grid)
    explain_next(console, round_, Names(round_["seats"]))


def list_rounds(console: Console, rounds: Iterable[Document]) -> None:
    """List rounds, each with who has what in front of him."""
    is_empty = True
    for round_ in rounds:
        is_empty = False
        console.print(Text(round_["id"], style="bold").append(f"  {_line(round_)}", style="not bold"))
        stacks = " · ".join(f"{seat['player']} {seat['stack']}" for seat in round_["seats"])
        console.print(Text(f"  {stacks}", style="dim"))
    if is_empty:
        console.print("No rounds.")


def _line(round_: Document) -> str:
    opened = round_["opened_at"][:16].replace("T", " ")
    status = f"{round_['status']} after {plural(round_['hands'], 'hand')}"
    return " · ".join(part for part in (opened, round_["ruleset"], status, round_["reference"]) if part)
