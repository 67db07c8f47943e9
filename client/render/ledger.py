"""Payments between players, one a line."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from client.render.console import make_grid
from client.render.format import show_money

Document = Mapping[str, Any]

_NUMBERS = ("hand", "due", "paid", "amount")


def list_payments(console: Console, payments: Sequence[Document]) -> None:
    """Print payments, with the table and round of each."""
    if not payments:
        console.print("No payments.")
        return
    headings = ("played (UTC)", "table", "round", "hand", "payer", "payee", "due", "paid", "limited by", "amount", "")
    grid = make_grid(console, *headings, numbers=_NUMBERS)
    for paid in payments:
        grid.add_row(
            paid["played_at"][:16].replace("T", " "),
            paid["table_name"],
            paid["reference"] or paid["round"],
            str(paid["hand"]),
            paid["payer"],
            paid["payee"],
            str(paid["due"]),
            str(paid["paid"]),
            (paid["limited_by"] or "").replace("_", " "),
            "" if paid["amount"] is None else show_money(paid["amount"], paid["currency"], paid["currency_digits"]),
            Text("" if paid["final"] else "not final", style="dim"),
        )
    console.print(grid)
