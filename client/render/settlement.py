"""Settlements."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from client.render.cards import Names, plural, signed
from client.render.hand import payments
from client.render.money import show_money

Document = Mapping[str, Any]


def show_settlement(console: Console, settlement: Document, ruleset: Document, names: Names) -> None:
    """Show who paid whom after each hand, and the standings."""
    for number, transfers in groupby(settlement["transfers"], key=lambda transfer: transfer["hand"]):
        console.print(Text(f"\nPaid with hand {number}", style="bold"))
        console.print(payments(transfers, ruleset, names))
    show_standings(console, settlement, names)


def show_standings(console: Console, settlement: Document, names: Names) -> None:
    """Show who won and lost what, the most points first, and what the caps cut off in all."""
    money = settlement["money"]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("place", "player", "stack", "net", *(["money"] if money else [])):
        table.add_column(heading, header_style="dim", justify="left" if heading == "player" else "right")
    for standing in settlement["standings"]:
        seat = str(standing["seat"])
        amount = [show_money(money["net"][seat], money["currency"])] if money else []
        name = Text(names[seat], style="bold")
        table.add_row(f"{standing['place']}.", name, str(settlement["stacks"][seat]), signed(standing["net"]), *amount)
    console.print(Text(f"\nSettlement, revision {settlement['revision']}, {settlement['state']}", style="bold"))
    console.print(table)
    cut = sum(transfer["due"] - transfer["paid"] for transfer in settlement["transfers"])
    if cut:
        console.print(
            Text(f"Table stakes cut off {plural(cut, 'point')} in all; they are not owed later.", style="yellow")
        )
