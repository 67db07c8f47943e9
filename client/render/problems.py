"""Problem documents, and hands that conflict with recorded ones."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from client.render.console import make_grid, show_grid
from client.render.format import ROWS, show_cards

SAME_DEAL: Final = "same-deal"
"""The code of a hand that has the boards of an earlier hand of its round."""

MOST_SHOWN: Final = 20
"""How many mistakes are shown."""


_PLACE: Final = re.compile(r"`[^`]*`:? ")

Document = Mapping[str, Any]

_ROW: Final = re.compile(r"/players/(\d+)/(top|middle|bottom)")
_MARK: Final = "differs"


def after_place(detail: str) -> str:
    """
    Return a detail without its leading place, for output that shows the pointer beside it.

    >>> after_place("`seats[0].stack` is 0; expected 1 or more"), after_place("`button`: nobody sits there")
    ('is 0; expected 1 or more', 'nobody sits there')
    """
    return _PLACE.sub("", detail, count=1) if detail.startswith("`") else detail


def show_problem(console: Console, problem: Mapping[str, Any], source: str | None = None) -> None:
    """
    Print a problem document: its title, and each mistake with its place.

    Args:
        console: the output.
        problem: the document.
        source: the file that the problem is about, if any.
    """
    file = f"{source}: " if source else ""
    console.print(Text(f"{file}{problem['title']} ({problem['code']})", style="bold red"))
    mistakes = problem["errors"]
    if not mistakes:
        console.print(Padding(Text(problem["detail"]), (0, 0, 0, 2), expand=False))
    for mistake in mistakes[:MOST_SHOWN]:
        line = Text(f"{mistake['pointer']}  ", style="dim").append(after_place(mistake["detail"]), style="not dim")
        console.print(Padding(line, (0, 0, 0, 2), expand=False))
    if len(mistakes) > MOST_SHOWN:
        console.print(Text(f"  … and {len(mistakes) - MOST_SHOWN} more", style="dim"))
    if "request_id" in problem:
        console.print(Text(f"  request {problem['request_id']}", style="dim"))


def show_conflict(console: Console, hand: Document, mistakes: Iterable[Document]) -> None:
    """
    Print each player's board as it is recorded and as it was sent, and mark the rows that differ.

    Args:
        console: the output.
        hand: the hand that was sent.
        mistakes: of the refusal; without a row among them nothing is printed.
    """
    recorded = {
        (int(match[1]), match[2]): mistake["recorded"]
        for mistake in mistakes
        if "recorded" in mistake and (match := _ROW.search(mistake["pointer"]))
    }
    if not recorded:
        return
    grid = make_grid(console, "seat", "row", "recorded", "sent", "", unbroken=("seat", "row"))
    for index, player in enumerate(hand["players"]):
        for row in ROWS:
            other = recorded.get((index, row))
            cards = [show_cards(player[row] if other is None else other), show_cards(player[row])]
            mark = Text(_MARK if other is not None else "", style="bold red")
            grid.add_row(str(player["seat"]) if row == ROWS[0] else "", row, *cards, mark)
    show_grid(console, "Both boards", grid)
