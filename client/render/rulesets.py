"""Rulesets, and what differs between two."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Document = Mapping[str, Any]


def list_rulesets(console: Console, rulesets: Iterable[Document]) -> None:
    """List rulesets, a line each."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("ruleset", "deal", "players", "enters", "stakes", "leaving"):
        table.add_column(heading, header_style="dim")
    for ruleset in rulesets:
        enter = ", ".join(f"{pair} {cards}" for pair, cards in ruleset["fantasyland"]["enter"].items()) or "never"
        players, stakes = ruleset["players"], ruleset["stakes"]
        table.add_row(
            f"{ruleset['name']}@{ruleset['version']}",
            ruleset["variant"] + (", low middle" if ruleset["low_middle"] else ""),
            f"{players['min']}–{players['max']}",
            enter,
            f"{stakes['scope']}, {stakes['win_limit']}",
            ruleset["leaving"].replace("_", " "),
        )
    console.print(table)


def show_ruleset(console: Console, ruleset: Document) -> None:
    """Show every field of a ruleset."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for path, value in flatten(ruleset):
        table.add_row(Text(path, style="dim"), _word(value))
    console.print(table)


def show_difference(console: Console, first: Document, second: Document) -> None:
    """Show only what differs between two rulesets, field by field."""
    names = [f"{ruleset['name']}@{ruleset['version']}" for ruleset in (first, second)]
    rows = list(differences(first, second))
    if not rows:
        console.print(f"{names[0]} and {names[1]} are the same rules.")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", *names):
        table.add_column(heading, header_style="bold")
    for path, one, other in rows:
        table.add_row(Text(path, style="dim"), _word(one), _word(other))
    console.print(table)


def differences(first: Document, second: Document) -> Iterator[tuple[str, object, object]]:
    """
    List what differs between two rulesets but their names.

    >>> list(differences({"name": "a", "points": {"row": 1}}, {"name": "b", "points": {"row": 2}}))
    [('points.row', 1, 2)]
    """
    one, other = dict(flatten(first)), dict(flatten(second))
    for path in [*one, *(path for path in other if path not in one)]:
        if path not in ("name", "version") and one.get(path) != other.get(path):
            yield path, one.get(path), other.get(path)


def flatten(part: Document, prefix: str = "") -> Iterator[tuple[str, object]]:
    """List every field of a document by its path."""
    for key, value in part.items():
        if isinstance(value, Mapping) and value:
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _word(value: object) -> str:
    if value is None or value == {}:
        return "–"
    return str(value).lower() if isinstance(value, bool) else str(value)
