"""Tables, and what their players have won and lost."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from client.render.cards import plural, signed
from client.render.grid import make_grid, show_grid
from client.render.money import show_money

Document = Mapping[str, Any]

_SUMS = ("opening_stack", "top_ups", "between_rounds", "net", "stack")


def show_table(console: Console, table: Document) -> None:
    """Show a table: its name, what is played at it, and for how much."""
    line = Text(table["name"], style="bold").append(f" · {table['ruleset']}", style="not bold")
    if table["point_value"] is not None:
        line.append(f" · a point is {show_money(table['point_value'], table['currency'])}", style="not bold")
    if table["minimum_stack"] is not None:
        line.append(f" · at least {plural(table['minimum_stack'], 'point')} each", style="not bold")
    window = plural(table["correction_window_minutes"], "minute")
    line.append(f" · provisional for {window}", style="not bold")
    console.print(line.append(f"  {table['id']}", style="not bold dim"))


def list_tables(console: Console, tables: Iterable[Document]) -> None:
    """List tables."""
    is_empty = True
    for table in tables:
        is_empty = False
        show_table(console, table)
    if is_empty:
        console.print("No tables.")


def show_statement(console: Console, table: str, statement: Document) -> None:
    """Show what every player of a table came with, won or lost, and has; and who pays whom."""
    open_rounds = statement["open_rounds"]
    parts = [plural(statement["rounds"], "round"), f"{open_rounds} of them open" if open_rounds else ""]
    console.print(Text(f"Table {table} · " + ", ".join(part for part in parts if part), style="bold"))
    if not statement["players"]:
        console.print("Nobody has played.")
        return
    numbers = ("rounds", "opened with", "added", "between rounds", "net", "stack", "money")
    grid = make_grid(console, "player", *numbers, numbers=numbers)
    for player in statement["players"]:
        money = [show_money(amount, currency) for currency, amount in player["money"].items()]
        grid.add_row(player["player"], str(player["rounds"]), *_sums(player), ", ".join(money))
    grid.add_row(Text("all", style="dim"), "", *_sums(statement["totals"]), "", style="dim")
    console.print(grid)
    _show_payments(console, statement)


def _sums(sums: Document) -> list[str]:
    opened, added, between, net, stack = (sums[name] for name in _SUMS)
    return [str(opened), str(added), signed(between), signed(net), str(stack)]


def _show_payments(console: Console, statement: Document) -> None:
    """Show the payments in money where every point has a price, and those in points too."""
    payments = statement["payments"]
    console.print()
    if not payments["points"] and not payments["money"]:
        console.print("Nobody owes anybody anything.")
        return
    few = "the fewest payments" if statement["payments_are"] == "fewest" else "a few payments"
    for unit, listed in payments.items():
        if not listed:
            continue
        grid = make_grid(console, "pays", "amount", numbers=("amount",))
        for paid in listed:
            grid.add_row(f"{paid['payer']} → {paid['payee']}", Text(_amount(paid), style="bold"))
        show_grid(console, f"Settled in {unit} by {few}", grid)
    if payments["points"] and payments["money"]:
        console.print(Text("Settle either the points or the money, not both.", style="dim"))


def _amount(paid: Document) -> str:
    return show_money(paid["amount"], paid["currency"]) if "currency" in paid else plural(paid["amount"], "point")
