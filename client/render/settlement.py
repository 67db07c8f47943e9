"""Settlements."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from client.render.adjustment import show_adjustment
from client.render.cards import Names, plural, signed
from client.render.comparison import show_irregular
from client.render.grid import make_grid, show_grid
from client.render.money import show_money
from client.render.payments import show_payments

Document = Mapping[str, Any]


def show_settlement(
    console: Console, settlement: Document, ruleset: Document, names: Names, *, shown_before: int = 0
) -> None:
    """
    Show who paid whom after each hand, and the standings.

    Args:
        console: where to.
        settlement: what the service or the offline rules say.
        ruleset: whose caps are explained.
        names: of the players.
        shown_before: how many payments, from the first, were shown with their hands.
    """
    transfers = settlement["transfers"][shown_before:]
    for number, paid in groupby(transfers, key=lambda transfer: transfer["hand"]):
        console.print()
        show_payments(console, f"Paid after hand {number}", paid, ruleset, names)
    _show_standings(console, settlement, names)


def _show_firmness(console: Console, settlement: Document, names: Names) -> None:
    """Show until when a settlement is provisional, who has confirmed it, and who pays whom because it was final."""
    confirmed = [names[str(seat)] for seat in settlement["confirmed"]]
    told = [f"Confirmed by {', '.join(confirmed)}."] if confirmed else []
    if settlement["provisional_until"]:
        until = settlement["provisional_until"][:16].replace("T", " ")
        told.append(f"Final at {until} UTC, or once everyone has confirmed it.")
    if told:
        console.print(Text(" ".join(told)))
    show_adjustment(console, settlement["adjustment"])


def _show_standings(console: Console, settlement: Document, names: Names) -> None:
    """Show who won and lost what, the most points first, and what the caps cut off in all."""
    money = settlement["money"]
    numbers = ("stack", "net", *(["money"] if money else []))
    title = f"Settlement, revision {settlement['revision']}, {settlement['state']}"
    grid = make_grid(console, "", "player", *numbers, numbers=numbers)
    for standing in settlement["standings"]:
        seat = str(standing["seat"])
        amount = [show_money(money["net"][seat], money["currency"])] if money else []
        grid.add_row(
            f"{standing['place']}.", names[seat], str(settlement["stacks"][seat]), signed(standing["net"]), *amount
        )
    console.print()
    show_grid(console, title, grid)
    _show_firmness(console, settlement, names)
    for irregular in settlement["irregular"]:
        show_irregular(console, irregular["hand"], irregular["reasons"])
    cut = sum(transfer["due"] - transfer["paid"] for transfer in settlement["transfers"])
    if cut:
        told = f"Table stakes cut off {plural(cut, 'point')} in all; they are not owed later."
        console.print(Text(told, style="yellow"))
