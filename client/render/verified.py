"""What came out of checking evidence."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.problem import MOST_SHOWN

_ENDS: Final = {
    "passed": ("PASSED: everything was checked, and is as it should be.", "bold green"),
    "failed": ("FAILED: this is not what was recorded, or not all of it.", "bold red"),
    "incomplete": ("INCOMPLETE: nothing is wrong in what was checked, but not everything was.", "bold yellow"),
}


def show_report(console: Console, report: Mapping[str, Any]) -> None:
    """Show what was verified, what failed and what could not be checked, and how it ended."""
    failed = [f"{each['where']}  {each['found']}; {each['right']} is right" for each in report["failed"]]
    for title, lines in (
        ("Verified", report["verified"]),
        ("Failed", failed),
        ("Could not be checked", report["unchecked"]),
    ):
        if lines:
            console.print(Text(title, style="bold"))
        for line in lines[:MOST_SHOWN]:
            console.print(Text(f"  {line}"), soft_wrap=True)
        if len(lines) > MOST_SHOWN:
            console.print(Text(f"  … and {len(lines) - MOST_SHOWN} more", style="dim"))
    text, style = _ENDS[report["outcome"]]
    console.print(Text(text, style=style))
