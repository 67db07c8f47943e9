"""Checkpoints, API keys, recomputations and verification reports."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.console import make_grid
from client.render.format import format_minute, plural
from client.render.problems import MOST_SHOWN

_ENDS: Final = {
    "passed": ("PASSED: every check passed, and the events are {extent}.", "bold green"),
    "passed-so-far": ("PASSED SO FAR: every check passed, but the events are only {extent}.", "bold yellow"),
    "failed": ("FAILED: the file differs from what was recorded, or events are missing in it.", "bold red"),
    "incomplete": ("INCOMPLETE: no check failed, but not everything could be checked.", "bold yellow"),
}


def list_checkpoints(console: Console, checkpoints: Sequence[Mapping[str, Any]]) -> None:
    """Print checkpoints: when each was signed, how many events it covers, and its address."""
    if not checkpoints:
        console.print("No checkpoints.")
        return
    grid = make_grid(console, "signed at", "events", "address", numbers=("events",), unbroken=("address",))
    for each in checkpoints:
        grid.add_row(each["created_at"], str(each["size"]), each["id"])
    console.print(grid)


def list_keys(console: Console, keys: Sequence[Mapping[str, Any]]) -> None:
    """Print keys: prefix, name and scopes, and when each was created, last used, and expires."""
    grid = make_grid(console, "key", "name", "scopes", "made (UTC)", "last used (UTC)", "ends (UTC)", unbroken=("key",))
    for key in keys:
        ends = [end for end in (key["expires_at"], key["revoked_at"]) if end is not None]
        grid.add_row(
            key["prefix"],
            key["name"],
            ", ".join(key["scopes"]),
            format_minute(key["created_at"]),
            format_minute(key["last_used_at"]),
            format_minute(min(ends, key=datetime.fromisoformat, default=None)),
        )
    console.print(grid)


def list_jobs(console: Console, jobs: Sequence[Mapping[str, Any]], counted: str) -> None:
    """Print imports or recomputations, one a line: when each was started, and how much of it is done."""
    if not jobs:
        console.print("No jobs.")
        return
    grid = make_grid(console, "id", "created (UTC)", "state", counted, unbroken=("id",))
    for job in jobs:
        done, total = job["progress"]["done"], job["progress"]["total"]
        grid.add_row(
            job["id"], format_minute(job["created_at"]), job["state"], f"{done} of {'?' if total is None else total}"
        )
    console.print(grid)


def show_recomputation(console: Console, job: Mapping[str, Any]) -> None:
    """Print the progress and the results of a recomputation."""
    progress, summary = job["progress"], job["summary"]
    total = "?" if progress["total"] is None else progress["total"]
    console.print(f"recomputation {job['id']}: {job['state']}, {progress['done']} of {total} hands")
    played = f"{plural(summary['rounds'], 'round')}, {plural(summary['hands'], 'hand')}"
    console.print(f"{played} replayed, {_differing(summary['differing'])}")
    if job["mode"] == "apply":
        console.print(f"{summary['applied']} settled again, {summary['skipped']} unchanged")
    for player, points in summary["net_moved"].items():
        console.print(f"  {player} {points:+}", markup=False, highlight=False)
    console.print(f"digest {summary['digest']}", highlight=False)


def _differing(rounds: int) -> str:
    return "1 round differs" if rounds == 1 else f"{rounds} rounds differ"


def show_difference(console: Console, difference: Mapping[str, Any]) -> None:
    """Print where something differs, what is stored and what is expected."""
    places = (("round", difference["round"]), ("hand", difference["hand"]))
    place = ", ".join(f"{name} {value}" for name, value in places if value is not None)
    name = str(difference["column"] or difference["kind"])
    line = f"{place}: {name}" if place else name
    if difference["detail"]:
        line += f": {difference['detail']}"
    console.print(line, markup=False, highlight=False, soft_wrap=True)
    if difference["stored"] is not None or difference["expected"] is not None:
        for name in ("stored", "expected"):
            written = json.dumps(difference[name], ensure_ascii=False)
            console.print(f"  {name:8} {written}", markup=False, highlight=False, soft_wrap=True)


def show_report(console: Console, report: Mapping[str, Any]) -> None:
    """Print what was verified, what failed and what could not be checked, and the result."""
    failed = [f"{each['where']}: {each['detail']}" for each in report["failed"]]
    for title, lines in (
        ("Verified", report["verified"]),
        ("Failed", failed),
        ("Could not be checked", report["unchecked"]),
    ):
        if lines:
            console.print(Text(title, style="bold"))
        for line in lines[:MOST_SHOWN]:
            console.print(Text(f"  {_sentence(line)}"), soft_wrap=True)
        if len(lines) > MOST_SHOWN:
            console.print(Text(f"  … and {len(lines) - MOST_SHOWN} more", style="dim"))
    text, style = _ENDS[report["outcome"]]
    console.print(Text(text.format(extent=report["extent"]), style=style), soft_wrap=True)


def _sentence(line: str) -> str:
    """
    Return a line of a report with a capital letter and a full stop.

    >>> _sentence("event 1 is signed"), _sentence("#/events/0: the file has 1; expected 2")
    ('Event 1 is signed.', '#/events/0: the file has 1; expected 2.')
    """
    return f"{line[:1].upper()}{line[1:]}."
