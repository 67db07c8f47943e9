"""Rounds, tables, and statements of tables."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from client.render.console import make_grid, show_metadata
from client.render.format import Names, plural, show_amount, show_money, signed
from client.render.hands import explain_next
from client.render.payments import show_amounts, show_settled
from client.render.settlement import show_settlement

Document = Mapping[str, Any]

_SUMS = ("opening_stack", "top_ups", "between_rounds", "net", "stack")


def show_heading(console: Console, name: str, round_: Document, note: str = "") -> None:
    """Print the heading of a round, with its reference and the ruleset."""
    parts = [name, round_["reference"], round_["ruleset"], note]
    console.print(Text(" · ".join(part for part in parts if part), style="bold"))


def show_round(console: Console, round_: Document) -> None:
    """Print the state of a round and what comes next."""
    state = "" if round_["state"] == "open" else f"settlement {round_['state']}"
    show_heading(console, f"Round {round_['id']}", round_, state)
    show_metadata(console, round_)
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


def list_rounds(console: Console, rounds: Iterable[Document], tables: Mapping[str, str]) -> None:
    """Print rounds, each with the name of its table, and with the stack of each player."""
    is_empty = True
    for round_ in rounds:
        is_empty = False
        console.print(Text(round_["id"], style="bold").append(f"  {_line(round_, tables)}", style="not bold"))
        stacks = " · ".join(f"{seat['player']} {seat['stack']}" for seat in round_["seats"])
        console.print(Text(f"  {stacks}", style="dim"))
    if is_empty:
        console.print("No rounds.")


def _line(round_: Document, tables: Mapping[str, str]) -> str:
    opened = round_["opened_at"][:16].replace("T", " ")
    status = f"{round_['status']} after {plural(round_['hands'], 'hand')}"
    return " · ".join(
        part for part in (tables.get(round_["table"]), opened, round_["ruleset"], status, round_["reference"]) if part
    )


def explain_departure(console: Console, departure: Document, names: Names, note: str = "") -> None:
    """Print who left, and why."""
    parts = [f"{names[departure['seat']]} leaves after hand {departure['after_hand']}", departure.get("reason"), note]
    console.print(" · ".join(part for part in parts if part))


def explain_end(console: Console, played: Document, ruleset: Document, names: Names, *, shown_before: int) -> None:
    """Print the state of a round after its last hand, and its settlement without payments that were shown before."""
    console.print()
    explain_next(console, played["round"], names)
    show_settlement(console, played["settlement"], ruleset, names, shown_before=shown_before)


def show_table(console: Console, table: Document) -> None:
    """Print a table: its name, ruleset and stakes."""
    line = Text(table["name"], style="bold").append(f" · {table['ruleset']}", style="not bold")
    if table["point_value"] is not None:
        worth = show_money(table["point_value"], table["unit"], table["unit_digits"])
        line.append(f" · a point is {worth}", style="not bold")
    if table["charge_amount"] is not None:
        charge = show_amount(table["charge_amount"], table["unit"], table["unit_digits"])
        line.append(f" · the house charges {charge} a {table['charge_per']}", style="not bold")
    if table["minimum_stack"] is not None:
        line.append(f" · at least {plural(table['minimum_stack'], 'point')} each", style="not bold")
    window = plural(table["correction_window_minutes"], "minute")
    line.append(f" · provisional for {window}", style="not bold")
    if table["reference"] is not None:
        line.append(f" · {table['reference']}", style="not bold")
    if table["archived_at"] is not None:
        line.append(" · archived", style="not bold")
    console.print(line.append(f"  {table['id']}", style="not bold dim"))
    show_metadata(console, table)


def show_statement(console: Console, table: str, statement: Document) -> None:
    """Print the sums of every player of a table, and who pays whom."""
    open_rounds = statement["open_rounds"]
    parts = [plural(statement["rounds"], "round"), f"{open_rounds} of them open" if open_rounds else ""]
    console.print(Text(f"Table {table} · " + ", ".join(part for part in parts if part), style="bold"))
    if not statement["players"]:
        console.print("No rounds have been played.")
        return
    charged = _heading_of_charges(statement)
    numbers = ("rounds", "opened with", "added", "between rounds", "net", "stack", "money", *charged)
    grid = make_grid(console, "player", *numbers, numbers=numbers)
    for player in statement["players"]:
        money = show_amounts(player, statement["unit_digits"])
        grid.add_row(
            player["player"], str(player["rounds"]), *_sums(player), money, *_charges(player, statement, charged)
        )
    grid.add_row(Text("all", style="dim"), "", *_sums(statement["totals"]), *("" for _ in (1, *charged)), style="dim")
    console.print(grid)
    show_settled(console, statement, {statement["table"]: table})


def show_club_statement(console: Console, statement: Document) -> None:
    """Print the results of every player, in total and at each table, and who pays whom."""
    open_rounds = statement["open_rounds"]
    parts = [plural(statement["rounds"], "round"), f"{open_rounds} of them open" if open_rounds else ""]
    console.print(Text(", ".join(part for part in parts if part), style="bold"))
    if not statement["players"]:
        console.print("No rounds have been played.")
        return
    charged = _heading_of_charges(statement)
    numbers = ("rounds", "net", "money", *charged)
    grid = make_grid(console, "player", "table", *numbers, numbers=numbers)
    digits = statement["unit_digits"]
    for player in statement["players"]:
        grid.add_row(player["player"], "", *_result(player, digits), *_charges(player, statement, charged))
        if len(player["tables"]) > 1:
            for at in player["tables"]:
                grid.add_row("", at["table_name"], *_result(at, digits), *_charges(at, statement, charged), style="dim")
    console.print(grid)
    tables = {at["table"]: at["table_name"] for player in statement["players"] for at in player["tables"]}
    show_settled(console, statement, tables)


def _heading_of_charges(statement: Document) -> list[str]:
    """Return the heading of the column of charges; none if the house has charged nobody."""
    return ["charges"] if any(player["charges"] for player in statement["players"]) else []


def _charges(result: Document, statement: Document, charged: list[str]) -> list[str]:
    """Return the cell of what the house charged a player, in each unit; none without the column."""
    digits = statement["unit_digits"]
    amounts = [
        show_amount(amount, unit if unit in digits else None, digits.get(unit))
        for unit, amount in result["charges"].items()
    ]
    return [", ".join(amounts) for _ in charged]


def _result(result: Document, digits: Mapping[str, int]) -> list[str]:
    return [str(result["rounds"]), signed(result["net"]), show_amounts(result, digits)]


def _sums(sums: Document) -> list[str]:
    opened, added, between, net, stack = (sums[name] for name in _SUMS)
    return [str(opened), str(added), signed(between), signed(net), str(stack)]
