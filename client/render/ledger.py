"""The lines of the journal, balances, payments and charges."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.console import Column, make_grid, show_grid
from client.render.format import format_minute, plural, show_money, signed

Document = Mapping[str, Any]

_HOUSE: Final = "the house"


def _show_amount(posted: Document, amount: int | None = None) -> str:
    minor, unit = posted["amount"] if amount is None else amount, posted["unit"]
    # The unit of points is the ID of a table; codes have letters and digits only.
    if "-" in unit:
        return signed(minor) if amount is not None else plural(minor, "point")
    return show_money(minor, unit, posted["unit_digits"])


def _name(player: str | None) -> str:
    return _HOUSE if player is None else player


LINES: Final = (
    Column("posted (UTC)", lambda line: format_minute(line["posted_at"])),
    Column("kind", "kind"),
    Column("table", lambda line: line["table_name"] or ""),
    Column("round", lambda line: line["reference"] or line["round"] or ""),
    Column("hand", "hand", is_number=True),
    Column("payer", lambda line: _name(line["payer"])),
    Column("payee", lambda line: _name(line["payee"])),
    Column("due", "due", is_number=True),
    Column("paid", "paid", is_number=True),
    Column("limited by", lambda line: (line["limited_by"] or "").replace("_", " ")),
    Column("amount", _show_amount, is_number=True),
    Column("", lambda line: Text("" if line["final"] else "not final", style="dim")),
)


CLAIMS: Final = (
    Column("claimed (UTC)", lambda claim: format_minute(claim["claimed_at"])),
    Column("payer", "payer"),
    Column("payee", lambda claim: _name(claim["payee"])),
    Column("amount", _show_amount, is_number=True),
    Column("state", "state"),
    Column("id", "id"),
)


UNITS: Final = (
    Column("unit", "code", is_unbroken=True),
    Column("name", "name"),
    Column("digits", "digits", is_number=True),
    Column("defined (UTC)", lambda unit: format_minute(unit["defined_at"]) if unit["defined_at"] else "currency"),
)


def show_unit(console: Console, unit: Document) -> None:
    """Print a unit that was defined, with its smallest amount."""
    smallest = show_money(1, unit["code"], unit["digits"])
    console.print(Text(f"unit {unit['code']}, {unit['name']}: the smallest amount is {smallest}"), soft_wrap=True)


def show_balances(console: Console, balances: Document) -> None:
    """Print what everyone is owed or owes in each unit, and who pays whom."""
    if not balances["units"]:
        console.print("No balances.")
    numbers = ("balance", "final", "provisional", "disputed", "payments", "charges")
    for unit in balances["units"]:
        grid = make_grid(console, "player", *numbers, numbers=numbers)
        for each in unit["players"]:
            settled = [each["settled"][state] for state in ("final", "provisional", "disputed")]
            amounts = [each["balance"], *settled, each["payments"], each["charges"]]
            grid.add_row(_name(each["player"]), *(_show_amount(unit, amount) for amount in amounts))
        show_grid(console, unit["table_name"] or unit["unit"], grid)
        for paid in unit["settle_up"]:
            text = (
                f"{_name(paid['payer'])} → {_name(paid['payee'])}: {_show_amount({**unit, 'amount': paid['amount']})}"
            )
            console.print(Text(text))
        console.print()
    if balances["open_rounds"]:
        rounds = plural(balances["open_rounds"], "open round")
        console.print(Text(f"Without {rounds}: a round counts from its end.", style="dim"))


def show_payment(console: Console, payment: Document) -> None:
    """Print a payment that was recorded."""
    _show_recorded(console, payment, f"{_name(payment['payer'])} → {_name(payment['payee'])}", "the payment")


def show_claim(console: Console, claim: Document) -> None:
    """Print a claim of a payment, and whether it is confirmed."""
    between = f"{claim['payer']} → {_name(claim['payee'])}: {_show_amount(claim)}"
    console.print(Text(between), soft_wrap=True)
    console.print(Text(f"the claim {claim['id']} is {claim['state']}", style="dim"), soft_wrap=True)
    _show_warnings(console, claim)


def show_charge(console: Console, charge: Document) -> None:
    """Print a charge that was recorded."""
    _show_recorded(console, charge, f"{charge['player']} → {_HOUSE}", "the charge")


def _show_recorded(console: Console, recorded: Document, between: str, what: str) -> None:
    console.print(Text(f"{between}: {_show_amount(recorded)}"), soft_wrap=True)
    console.print(Text(f"{what} {recorded['id']} is recorded", style="dim"), soft_wrap=True)
    _show_warnings(console, recorded)


def _show_warnings(console: Console, recorded: Document) -> None:
    for warning in recorded.get("warnings", ()):
        console.print(Text(f"Warning: {warning['detail']}", style="yellow"), soft_wrap=True)


def show_reversal(console: Console, reversal: Document) -> None:
    """Print a reversal that was recorded."""
    console.print(Text(f"{reversal['reverses']} is taken back by {reversal['id']}"), soft_wrap=True)
