"""Disputes: the claim, what followed, and what is unusual about the round."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from client.render.format import ERASED, ROWS, Names, join, show_cards

Document = Mapping[str, Any]

_WITH_WORDS = frozenset({"comment", "upheld", "rejected"})
"""The kinds of entries that always had words."""


def show_claim(console: Console, claimed: Document) -> None:
    """Print a claim and its place."""
    console.print(_claim(claimed))


def show_recorded(console: Console, hand: Document, names: Names, seat: int | None, row: str | None) -> None:
    """Print the recorded rows that a claim is about: of one seat or all, one row or all."""
    console.print(Text(f"Recorded cards of hand {hand['number']}", style="bold"))
    for player in hand["players"]:
        if seat in (None, player["seat"]):
            for shown in ROWS if row is None else (row,):
                line = Text(f"{names[player['seat']]}, {shown}  ", style="dim").append_text(show_cards(player[shown]))
                console.print(Padding(line, (0, 0, 0, 2), expand=False))


def show_dispute(console: Console, case: Document) -> None:
    """Print a dispute, its history, and what is unusual about its round."""
    console.print(_heading(case))
    console.print(_claim(case))
    for entry in case["history"]:
        console.print(_entry(entry))
    for line in _unusual(case):
        console.print(line)


def list_disputes(console: Console, disputes: Iterable[Document]) -> None:
    """Print disputes, each with its claim and with what is unusual about its round."""
    is_empty = True
    for dispute in disputes:
        is_empty = False
        console.print(_heading(dispute))
        console.print(Padding(_claim(dispute), (0, 0, 0, 2), expand=False))
        codes = sorted({unusual["code"] for unusual in dispute["unusual"]})
        if codes:
            console.print(Padding(Text(f"unusual: {', '.join(codes)}", style="yellow"), (0, 0, 0, 2), expand=False))
    if is_empty:
        console.print("No disputes.")


def _heading(dispute: Document) -> Text:
    opened = dispute["opened_at"][:16].replace("T", " ")
    line = Text(dispute["id"], style="bold")
    return line.append(
        f"  {dispute['state'].replace('_', ' ')} · opened {opened} · round {dispute['round']}", style="not bold"
    )


def _claim(claimed: Document) -> Text:
    places = ((name, claimed.get(name)) for name in ("hand", "seat"))
    parts = [f"{name} {value}" for name, value in places if value is not None]
    parts += [claimed["row"]] if claimed.get("row") else []
    place = f" about {', '.join(parts)}" if parts else ""
    return Text(f"{_author(claimed)}{place}: ", style="dim").append(claimed["claim"] or ERASED, style="not dim")


def _entry(entry: Document) -> Text:
    kind = "" if entry["kind"] == "comment" else f", {entry['kind'].replace('_', ' ')}"
    author = f"{_author(entry)}{kind}"
    words = entry["words"] or (ERASED if entry["kind"] in _WITH_WORDS else "")
    line = Text(f"{author}: " if words else author, style="dim")
    line.append(words, style="not dim")
    if entry["correction"] is not None:
        line.append(f" · corrected in revision {entry['correction']}", style="not dim")
    return line


def _author(written: Document) -> str:
    return written["by"] or ERASED


def _unusual(case: Document) -> Iterator[Text]:
    for unusual in case["unusual"]:
        whom = f" of seat {join(map(str, unusual['seats']))}" if unusual["seats"] else ""
        figures = f"{_rate(unusual['found'])} here, {_rate(unusual['usual'])} in the table's other rounds"
        line = Text(f"Unusual: {unusual['code']}{whom}, {figures}", style="yellow")
        yield line.append(f" ({unusual['formula']})", style="dim")


def _rate(rate: Document) -> str:
    return f"{rate['count']} of {rate['of']}"
