"""A round before and after a change, old beside new."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from client.render.adjustment import show_adjustment
from client.render.cards import ROWS, show_cards, signed
from client.render.grid import make_grid, show_grid

Document = Mapping[str, Any]

_ARROW: Final = " → "


def show_comparison(console: Console, comparison: Document) -> None:
    """Show every hand of which something changes, what each player has won before and after, and what stands."""
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
    for carried in comparison["carried_over"]:
        if carried["left"] != carried["opening_stack"]:
            left = "nobody now" if carried["left"] is None else f"{carried['left']} now"
            told = (
                f"{carried['player']} opened the next round, {carried['round']}, with {carried['opening_stack']}"
                f" carried over; this one leaves {left}. That round keeps its stacks."
            )
            console.print(Text(told, style="yellow"))


def show_irregular(console: Console, number: int, reasons: Iterable[Document]) -> None:
    """Say that a hand stands though it could not have followed, and why."""
    why = "; ".join(reason["detail"] for reason in reasons)
    console.print(Text(f"Hand {number} is irregular and stands: {why}.", style="yellow"))


def _net(points: int | None) -> str:
    return "–" if points is None else signed(points)


def _show_hand(console: Console, compared: Document) -> None:
    number, before, after = compared["number"], compared["before"], compared["after"]
    console.print(Text(f"\nHand {number}", style="bold").append(_note(before, after), style="not bold dim"))
    old, new = _figures(before), _figures(after)
    grid = make_grid(console, "player", "points", "stack", unbroken=("points", "stack"))
    for seat in sorted({*old, *new}):
        was, now = old.get(seat, {}), new.get(seat, {})
        name = _beside(was.get("player"), now.get("player"))
        grid.add_row(name, *(_beside(was.get(part), now.get(part)) for part in ("points", "stack")))
    console.print(Padding(grid, (0, 0, 0, 2), expand=False))
    for line in _changed_rows(before, after):
        console.print(Padding(line, (0, 0, 0, 2), expand=False))
    if after and after["irregular"]:
        show_irregular(console, number, after["irregular"])


def _note(before: Document | None, after: Document | None) -> str:
    if before is None:
        return " · was not there"
    if after is None:
        return " · is no longer there"
    moved = before["button"] != after["button"]
    return f" · button seat {before['button']}{_ARROW}seat {after['button']}" if moved else ""


def _figures(side: Document | None) -> dict[int, dict[str, str]]:
    """Say by seat who it is, what the hand is worth to him, and what is in front of him after it."""
    if side is None:
        return {}
    figures: dict[int, dict[str, str]] = {int(seat): {"stack": str(stack)} for seat, stack in side["stacks"].items()}
    for player in side["players"]:
        figures[player["seat"]] |= {"player": player["player"], "points": signed(player["points"])}
    for seat, told in figures.items():
        told.setdefault("player", f"seat {seat}")
    return figures


def _beside(before: str | None, after: str | None) -> Text:
    """Show a value that changes as old beside new, and another once."""
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
