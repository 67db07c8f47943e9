"""Recomputations, verification reports and new keys, and the columns of checkpoints, API keys and jobs."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.console import Column, make_console
from client.render.format import format_minute, plural, signed
from client.render.payments import show_amounts, show_settled
from client.render.problems import MOST_SHOWN

_ENDS: Final = {
    "passed": ("PASSED: every check passed, and the events are {extent}.", "bold green"),
    "passed-so-far": ("PASSED SO FAR: every check passed, but the events are only {extent}.", "bold yellow"),
    "failed": ("FAILED: the file differs from what was recorded, or events are missing in it.", "bold red"),
    "incomplete": ("INCOMPLETE: no check failed, but not everything could be checked.", "bold yellow"),
}

_ENDS_OF_PROOFS: Final = {
    "passed": ("PASSED: the event is {extent}.", "bold green"),
    "failed": ("FAILED: the file does not prove that the event was recorded.", "bold red"),
    "incomplete": _ENDS["incomplete"],
}


def _show_end(key: Mapping[str, Any]) -> str:
    """Return when a key expires or was revoked, whichever is earlier."""
    ends = [end for end in (key["expires_at"], key["revoked_at"]) if end is not None]
    return format_minute(min(ends, key=datetime.fromisoformat, default=None))


def _show_progress(job: Mapping[str, Any]) -> str:
    done, total = job["progress"]["done"], job["progress"]["total"]
    return f"{done} of {'?' if total is None else total}"


CHECKPOINTS: Final = (
    Column("signed at", "created_at"),
    Column("events", "size", is_number=True),
    Column("address", "id", is_unbroken=True),
)
KEYS: Final = (
    Column("key", "prefix", is_unbroken=True),
    Column("name", "name"),
    Column("player", lambda key: key["player"] or ""),
    Column("scopes", lambda key: ", ".join(key["scopes"])),
    Column("made (UTC)", lambda key: format_minute(key["created_at"])),
    Column("last used (UTC)", lambda key: format_minute(key["last_used_at"])),
    Column("ends (UTC)", _show_end),
)


def show_new_key(console: Console, key: Mapping[str, Any]) -> None:
    """Print a new key alone on stdout, and on stderr what it is."""
    console.print(Text(key["secret"]), soft_wrap=True)
    end = "" if key["expires_at"] is None else f", until {format_minute(key['expires_at'])} UTC"
    what = f"Created the key {key['prefix']} ({key['name']}) with {', '.join(key['scopes'])}{end}"
    make_console(error=True).print(Text(f"{what}; it is not shown again."), soft_wrap=True)


_JOBS: Final = (
    Column("id", "id", is_unbroken=True),
    Column("created (UTC)", lambda job: format_minute(job["created_at"])),
    Column("state", "state"),
)
IMPORTS: Final = (*_JOBS, Column("lines", _show_progress))
RECOMPUTATIONS: Final = (*_JOBS, Column("hands", _show_progress))


def show_recomputation(console: Console, job: Mapping[str, Any]) -> None:
    """
    Print the progress and the results of a recomputation, with what players gain or lose and who pays whom.

    `table_names`, if it is there, has the names of tables by their ids.
    """
    summary = job["summary"]
    console.print(f"recomputation {job['id']}: {job['state']}, {_show_progress(job)} hands")
    played = f"{plural(summary['rounds'], 'round')}, {plural(summary['hands'], 'hand')}"
    console.print(f"{played} replayed, {_differing(summary)}")
    if job["mode"] == "apply":
        console.print(f"{summary['applied']} settled again, {summary['skipped']} unchanged")
    elif summary["changing"]:
        console.print(_changing(summary))
    for each in summary["moved"]:
        console.print(f"  {_moved(each, summary['unit_digits'])}", markup=False, highlight=False)
    console.print(f"digest {summary['digest']}", highlight=False)
    if summary["moved"]:
        show_settled(console, summary, job.get("table_names", {}))


def _differing(summary: Mapping[str, Any]) -> str:
    rounds = summary["differing"]
    differing = "1 round differs" if rounds == 1 else f"{rounds} rounds differ"
    return f"{differing} at {plural(summary['tables'], 'table')}" if rounds else differing


def _changing(summary: Mapping[str, Any]) -> str:
    """Return what an audit would change if it were applied."""
    final = f", {summary['changing_final']} of them only with --final" if summary["changing_final"] else ""
    results = f"and the results of {plural(summary['players'], 'player')}"
    return f"--apply-audit would change {plural(summary['changing'], 'round')}{final}, {results}"


def _moved(each: Mapping[str, Any], digits: Mapping[str, int]) -> str:
    """Return what a player gains or loses: the points whatever they are worth, and the money."""
    points = signed(sum(part["net"] for part in each["points"]))
    return " ".join(part for part in (each["player"], points, show_amounts(each, digits)) if part)


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


def show_report(console: Console, report: Mapping[str, Any], *, what: str = "file") -> None:
    """
    Print what was verified, what failed and what could not be checked, and the result.

    Args:
        console: where to print.
        report: of a verification.
        what: `file` for the evidence of a round, `proof` for that of one event.
    """
    for title, lines in (
        ("Verified", [(_sentence(line), "") for line in report["verified"]]),
        ("Failed", [(each["sentence"], f"{each['code']} {each['where']}") for each in report["failed"]]),
        ("Could not be checked", [_split(line) for line in report["unchecked"]]),
    ):
        if lines:
            console.print(Text(title, style="bold"))
        for sentence, place in lines[:MOST_SHOWN]:
            line = Text.assemble("  ", sentence, ("  " if place else "", ""), (place, "dim"))
            console.print(line, soft_wrap=True)
        if len(lines) > MOST_SHOWN:
            console.print(Text(f"  … and {len(lines) - MOST_SHOWN} more", style="dim"))
    text, style = (_ENDS if what == "file" else _ENDS_OF_PROOFS)[report["outcome"]]
    console.print(Text(text.format(extent=report["extent"]), style=style), soft_wrap=True)


def _split(line: str) -> tuple[str, str]:
    """
    Return a line of a report as a sentence, and the place in the file that it begins with.

    >>> _split("#/events/0: event 1 is not signed yet")
    ('Event 1 is not signed yet.', '#/events/0')
    """
    place, colon, text = line.partition(": ")
    return (_sentence(text), place) if colon and place.startswith("#") else (_sentence(line), "")


def _sentence(line: str) -> str:
    """
    Return a line of a report with a capital letter and a full stop.

    >>> _sentence("event 1 is signed")
    'Event 1 is signed.'
    """
    return f"{line[:1].upper()}{line[1:]}."
