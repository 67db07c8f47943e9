"""Recomputations, and what they have found."""

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from client.render.cards import plural


def show_recomputation(console: Console, job: Mapping[str, Any]) -> None:
    """Say how far a recomputation is, and what it came to so far."""
    progress, summary = job["progress"], job["summary"]
    total = "?" if progress["total"] is None else progress["total"]
    console.print(f"recomputation {job['id']}: {job['state']}, {progress['done']} of {total} hands")
    played = f"{plural(summary['rounds'], 'round')}, {plural(summary['hands'], 'hand')}"
    console.print(f"{played} played again, {_differing(summary['differing'])}")
    if job["mode"] == "apply":
        console.print(f"{summary['applied']} settled anew, {summary['skipped']} left as they were")
    for player, points in summary["net_moved"].items():
        console.print(f"  {player} {points:+}", markup=False, highlight=False)
    console.print(f"digest {summary['digest']}", highlight=False)


def _differing(rounds: int) -> str:
    return "1 round differs" if rounds == 1 else f"{rounds} rounds differ"


def show_difference(console: Console, difference: Mapping[str, Any]) -> None:
    """Say where something differs, what was stored and what is computed."""
    places = (("round", difference["round"]), ("hand", difference["hand"]))
    place = ", ".join(f"{name} {value}" for name, value in places if value is not None)
    said = f"{place}: {difference['what']}" if place else str(difference["what"])
    if difference["detail"]:
        said += f": {difference['detail']}"
    console.print(said, markup=False, highlight=False, soft_wrap=True)
    if difference["stored"] is not None or difference["computed"] is not None:
        for name in ("stored", "computed"):
            written = json.dumps(difference[name], ensure_ascii=False)
            console.print(f"  {name:8} {written}", markup=False, highlight=False, soft_wrap=True)
