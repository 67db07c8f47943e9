"""What went wrong."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text


def show_problem(console: Console, problem: Mapping[str, Any]) -> None:
    """Show a problem document: what it is, and each mistake with its place."""
    console.print(Text(f"{problem['title']} ({problem['code']})", style="bold red"))
    mistakes = problem["errors"]
    if not mistakes:
        console.print(Text(problem["detail"]))
    for mistake in mistakes:
        console.print(Text(f"  {mistake['pointer']}  ", style="dim").append(mistake["detail"], style="not dim"))
    if "request_id" in problem:
        console.print(Text(f"request {problem['request_id']}", style="dim"))
