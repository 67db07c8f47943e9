"""Rounds as they stand."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from client.render.cards import Names
from client.render.hand import what_comes_next

Document = Mapping[str, Any]


def show_round(console: Console, round_: Document) -> None:
    """Show a round as it stands and what comes next."""
    reference = f" · {round_['reference']}" if round_.get("reference") else ""
    console.print(Text(f"Round {round_['id']}{reference} · {round_['ruleset']} · {round_['status']}", style="bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("seat", "player", "opened with", "added", "stack", ""):
        table.add_column(heading, header_style="dim", justify="left" if heading in ("player", "") else "right")
    for seat in round_["seats"]:
        numbers = [str(seat[name]) for name in ("opening_stack", "top_ups", "stack")]
        table.add_row(str(seat["seat"]), seat["player"], *numbers, "" if seat["playing"] else Text("out", style="dim"))
    console.print(table)
    console.print(what_comes_next(round_, Names(round_["seats"])))


def list_rounds(console: Console, rounds: Iterable[Document]) -> None:
    """List rounds, a line each."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("id", "opened", "reference", "ruleset", "status", "hands", "stacks"):
        table.add_column(
            heading, header_style="dim", justify="right" if heading == "hands" else "left", no_wrap=heading == "id"
        )
    for round_ in rounds:
        stacks = ", ".join(f"{seat['player']} {seat['stack']}" for seat in round_["seats"])
        table.add_row(
            round_["id"],
            round_["opened_at"][:16].replace("T", " "),
            round_["reference"] or "",
            round_["ruleset"],
            round_["status"],
            str(round_["hands"]),
            stacks,
        )
    console.print(table)
