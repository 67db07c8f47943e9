"""Settlements, and a settlement before and after a change."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from client.render.console import make_grid, show_grid
from client.render.format import ROWS, Names, plural, show_amount, show_cards, show_money, signed
from client.render.hands import show_irregular, show_payments

Document = Mapping[str, Any]

_ARROW: Final = " → "


def show_settlement(
    console: Console, settlement: Document, ruleset: Document, names: Names, *, shown_before: int = 0
) -> None:
    """
    Print who paid whom after each hand, and the standings.

    Args:
        console: the output.
        settlement: from the service or from the offline rules.
        ruleset: the ruleset with the caps.
        names: of the players.
        shown_before: how many payments, from the first, were shown with their hands.
    """
    transfers = settlement["transfers"][shown_before:]
    for number, paid in groupby(transfers, key=lambda transfer: transfer["hand"]):
        console.print()
        show_payments(console, f"Paid after hand {number}", paid, ruleset, names)
    _show_standings(console, settlement, names)


def _show_state(console: Console, settlement: Document, names: Names) -> None:
    """Print until when a settlement is provisional, who has confirmed it, and the adjustment of a final one."""
    confirmed = [names[str(seat)] for seat in settlement["confirmed"]]
    text = [f"Confirmed by {', '.join(confirmed)}."] if confirmed else []
    if settlement["provisional_until"]:
        until = settlement["provisional_until"][:16].replace("T", " ")
        text.append(f"Final at {until} UTC, or once everyone has confirmed it.")
    if text:
        console.print(Text(" ".join(text)))
    show_adjustment(console, settlement["adjustment"])


def _show_standings(console: Console, settlement: Document, names: Names) -> None:
    """Print the standings, most points first, and what the caps cut off in total."""
    money = settlement["money"]
    charge = settlement.get("standing_charge")  # the offline rules have none
    numbers = ("stack", "net", *(["money"] if money else []), *(["charge"] if charge else []))
    title = f"Settlement, revision {settlement['revision']}, {settlement['state']}"
    grid = make_grid(console, "", "player", *numbers, numbers=numbers)
    for standing in settlement["standings"]:
        seat = str(standing["seat"])
        amount = [show_money(money["net"][seat], money["unit"], money["unit_digits"])] if money else []
        if charge:
            amount.append(show_amount(charge["charged"][seat], charge["unit"], charge["unit_digits"]))
        grid.add_row(
            f"{standing['place']}.", names[seat], str(settlement["stacks"][seat]), signed(standing["net"]), *amount
        )
    console.print()
    show_grid(console, title, grid)
    _show_state(console, settlement, names)
    for irregular in settlement["irregular"]:
        show_irregular(console, irregular["hand"], irregular["reasons"])
    cut = sum(transfer["due"] - transfer["paid"] for transfer in settlement["transfers"])
    if cut:
        text = f"Table stakes cut off {plural(cut, 'point')} in all; they are not owed later."
        console.print(Text(text, style="yellow"))


def show_adjustment(console: Console, adjustment: Document | None) -> None:
    """Print who pays whom because a final settlement has changed."""
    if adjustment is None:
        return
    paid = [
        f"{each['payer']} pays {each['payee']} {plural(each['points'], 'point')}" for each in adjustment["transfers"]
    ]
    text = "; ".join(paid) or "no payments"
    console.print(Text(f"Revision {adjustment['from_revision']} was final. To adjust it: {text}.", style="yellow"))


def show_comparison(console: Console, comparison: Document) -> None:
    """Print every hand that changes, the net result of each player before and after, and what remains."""
    for compared in comparison["hands"]:
        _show_hand(console, compared)
    if not comparison["hands"]:
        console.print("No hand changes.")
    console.print()
    numbers = ("before", "after", "change")
    grid = make_grid(console, "player", *numbers, numbers=numbers)
    for net in comparison["net"]:
        style = "bold" if net["change"] else "dim"
        grid.add_row(net["player"], _net(net["before"]), _net(net["after"]), Text(signed(net["change"]), style=style))
    show_grid(console, "Net", grid)
    show_adjustment(console, comparison["adjustment"])
    show_dropped(console, comparison["dropped_departures"])
    for carried in comparison["carried_over"]:
        if carried["left"] != carried["opening_stack"]:
            left = "no stack" if carried["left"] is None else carried["left"]
            text = (
                f"{carried['player']} opened the next round, {carried['round']}, with {carried['opening_stack']}"
                f" carried over; with the change it would be {left}. The stacks of that round do not change."
            )
            console.print(Text(text, style="yellow"))


def show_dropped(console: Console, dropped: Iterable[Document]) -> None:
    """Print the departures that are no longer part of the round."""
    for departure in dropped:
        text = (
            f"Dropped: seat {departure['seat']} leaving after hand {departure['after_hand']}; it is not"
            " possible without the removed hand."
        )
        console.print(Text(text, style="yellow"))


def _net(points: int | None) -> str:
    return "–" if points is None else signed(points)


def _show_hand(console: Console, compared: Document) -> None:
    number, before, after = compared["number"], compared["before"], compared["after"]
    console.print(Text(f"\nHand {number}", style="bold").append(_note(before, after), style="not bold dim"))
    old, new = _figures(before), _figures(after)
    grid = make_grid(console, "player", "points", "stack", unbroken=("points", "stack"))
    for seat in sorted({*old, *new}):
        was, now = old.get(seat, {}), new.get(seat, {})
        name = _old_and_new(was.get("player"), now.get("player"))
        grid.add_row(name, *(_old_and_new(was.get(part), now.get(part)) for part in ("points", "stack")))
    console.print(Padding(grid, (0, 0, 0, 2), expand=False))
    for line in (*_changed_rows(before, after), *_changed_payments(before, after)):
        console.print(Padding(line, (0, 0, 0, 2), expand=False))
    if after and after["irregular"]:
        show_irregular(console, number, after["irregular"])


def _note(before: Document | None, after: Document | None) -> str:
    if before is None:
        return " · new"
    if after is None:
        return " · removed"
    moved = before["button"] != after["button"]
    return f" · button seat {before['button']}{_ARROW}seat {after['button']}" if moved else ""


def _figures(side: Document | None) -> dict[int, dict[str, str]]:
    """Return by seat the player's name, points and stack."""
    if side is None:
        return {}
    figures: dict[int, dict[str, str]] = {int(seat): {"stack": str(stack)} for seat, stack in side["stacks"].items()}
    for player in side["players"]:
        figures[player["seat"]] |= {"player": player["player"], "points": signed(player["points"])}
    for seat, text in figures.items():
        text.setdefault("player", f"seat {seat}")
    return figures


def _old_and_new(before: str | None, after: str | None) -> Text:
    """Render a changed value as old and new, and an unchanged one once."""
    if before == after:
        return Text(before or "–", style="dim")
    return Text(f"{before or '–'}{_ARROW}").append(after or "–", style="bold")


def _changed_rows(before: Document | None, after: Document | None) -> Iterator[Text]:
    if before is None or after is None:
        return
    new = {player["seat"]: player for player in after["players"]}
    for was in before["players"]:
        now = new.get(was["seat"])
        for row in ROWS:
            if now is not None and was["board"][row] != now["board"][row]:
                line = Text(f"{now['player']}, {row}  ", style="dim")
                line.append_text(show_cards(was["board"][row])).append(_ARROW, style="not dim")
                yield line.append_text(show_cards(now["board"][row]))


def _changed_payments(before: Document | None, after: Document | None) -> Iterator[Text]:
    """Yield who pays whom another number of points."""
    if before is None or after is None:
        return
    old, new = _payments(before), _payments(after)
    for payer, payee in dict.fromkeys((*old, *new)):
        was, now = old.get((payer, payee), 0), new.get((payer, payee), 0)
        if was != now:
            yield Text(f"{payer} pays {payee}  ", style="dim").append_text(_old_and_new(str(was), str(now)))


def _payments(side: Document) -> Mapping[tuple[str, str], int]:
    """Return the points that each payer pays each payee after a hand."""
    names = {player["seat"]: player["player"] for player in side["players"]}
    paid: Counter[tuple[str, str]] = Counter()
    for transfer in side["transfers"]:
        payer, payee = (names.get(transfer[who], f"seat {transfer[who]}") for who in ("payer", "payee"))
        paid[payer, payee] += transfer["paid"]
    return paid
