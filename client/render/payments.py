"""Payments, and what the caps cut off."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.cards import Names
from client.render.grid import make_grid, show_grid

Document = Mapping[str, Any]

_SCOPES: Final = {"hand": "hand", "fantasyland": "Fantasyland sequence", "round": "round"}


def show_payments(console: Console, title: str, transfers: Iterable[Document], ruleset: Document, names: Names) -> None:
    """Show payments in order, each with what a cap cut off and why."""
    numbers = ("due", "paid", "cut off")
    grid = make_grid(console, "pays", *numbers, "", numbers=numbers)
    for transfer in transfers:
        cut = transfer["due"] - transfer["paid"]
        grid.add_row(
            f"{transfer['order']}. {names[transfer['payer']]} → {names[transfer['payee']]}",
            str(transfer["due"]),
            Text(str(transfer["paid"]), style="bold"),
            Text(str(cut), style="yellow") if cut else "",
            Text(explain_cap(transfer, ruleset, names), style="yellow") if cut else "",
        )
    show_grid(console, title, grid)


def explain_cap(transfer: Document, ruleset: Document, names: Names) -> str:
    """
    Say in words why a payment was cut off.

    >>> names = Names([{"seat": 1, "player": "ann"}, {"seat": 2, "player": "bob"}])
    >>> transfer = {"payer": 2, "payee": 1, "due": 4, "paid": 3, "limited_by": "winner_room"}
    >>> explain_cap(transfer, {"stakes": {"scope": "hand", "win_limit": "stack"}}, names)
    'ann had 3 in front and can win no more than that'
    >>> explain_cap(transfer, {"stakes": {"scope": "round", "win_limit": "opening"}}, names)
    'ann had room for 3 more: nobody wins more in a round than he opened it with'
    """
    payer, payee, paid = names[transfer["payer"]], names[transfer["payee"]], transfer["paid"]
    stakes = ruleset["stakes"]
    if transfer["limited_by"] == "payer_stack":
        return f"{payer} had only {paid} left" if paid else f"{payer} had nothing left"
    if stakes["win_limit"] == "stack":
        return f"{payee} had {paid} in front and can win no more than that" if paid else f"{payee} had nothing in front"
    room = f"{payee} had room for {paid} more" if paid else f"{payee} had no room left"
    return f"{room}: nobody wins more in a {_SCOPES[stakes['scope']]} than he opened it with"
