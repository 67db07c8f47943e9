"""Payments that settle up, of statements and of recomputations."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.console import make_grid, show_grid
from client.render.format import plural, show_money

Document = Mapping[str, Any]

_BY: Final = {"fewest": "by the fewest payments", "few": "by a few payments", "pairs": "by pairs"}


def show_amounts(result: Document, digits: Mapping[str, int]) -> str:
    """Format the money of a player, of each unit."""
    return ", ".join(show_money(amount, unit, digits[unit]) for unit, amount in result["money"].items())


def show_settled(console: Console, statement: Document, tables: Mapping[str, str]) -> None:
    """
    Print the payments that settle up, in points of each worth, and in money.

    Args:
        console: the output.
        statement: the payments, and the digits of their units.
        tables: the names of tables, by their ids; others are printed as ids.
    """
    payments = statement["payments"]
    console.print()
    if not payments["points"] and not payments["money"]:
        console.print("No payments.")
        return
    digits = statement["unit_digits"]
    units: dict[tuple[int | None, str | None, str | None], list[Document]] = defaultdict(list)
    for paid in payments["points"]:
        units[paid["point_value"], paid["unit"], paid["table"]].append(paid)
    for (value, unit, table), listed in units.items():
        if value is None or unit is None:
            worth = f"at {tables.get(table or '', table)}"
        else:
            worth = f"of {show_money(value, unit, digits[unit])}"
        title = "points" if len(units) == 1 else f"points {worth}"
        _show_list(console, title, statement, [(paid, plural(paid["amount"], "point")) for paid in listed])
    if payments["money"]:
        amounts = [show_money(paid["amount"], paid["unit"], digits[paid["unit"]]) for paid in payments["money"]]
        _show_list(console, "money", statement, zip(payments["money"], amounts, strict=True))
    if payments["money"] and any(value is not None for value, _, _ in units):
        console.print(Text("Settle either the points or the money, not both.", style="dim"))
    if payments["money"] and any(value is None for value, _, _ in units):
        console.print(Text("Points without a value are settled besides the money.", style="dim"))


def _show_list(console: Console, title: str, statement: Document, payments: Iterable[tuple[Document, str]]) -> None:
    grid = make_grid(console, "pays", "amount", numbers=("amount",))
    for paid, amount in payments:
        grid.add_row(f"{paid['payer']} → {paid['payee']}", Text(amount, style="bold"))
    show_grid(console, f"Settled in {title} {_BY[statement['payments_are']]}", grid)
