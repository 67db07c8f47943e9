"""What went wrong."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

MOST_SHOWN: Final = 20
"""Mistakes shown; whoever makes more has not begun to look."""


def show_problem(console: Console, problem: Mapping[str, Any], about: str | None = None) -> None:
    """
    Show a problem document: what it is, and each mistake with its place.

    Args:
        console: where to.
        problem: the document.
        about: the file that it speaks of, where there is one.
    """
    file = f"{about}: " if about else ""
    console.print(Text(f"{file}{problem['title']} ({problem['code']})", style="bold red"))
    mistakes = problem["errors"]
    if not mistakes:
        console.print(Padding(Text(problem["detail"]), (0, 0, 0, 2), expand=False))
    for mistake in mistakes[:MOST_SHOWN]:
        line = Text(f"{mistake['pointer']}  ", style="dim").append(mistake["detail"], style="not dim")
        console.print(Padding(line, (0, 0, 0, 2), expand=False))
    if len(mistakes) > MOST_SHOWN:
        console.print(Text(f"  … and {len(mistakes) - MOST_SHOWN} more", style="dim"))
    if "request_id" in problem:
        console.print(Text(f"  request {problem['request_id']}", style="dim"))
