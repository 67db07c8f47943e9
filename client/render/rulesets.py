"""Rulesets, the differences between two, and the columns of a list."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.console import Column, make_grid

Document = Mapping[str, Any]


def _in_short(ruleset: Document) -> Iterator[str]:
    players, stakes, low = ruleset["players"], ruleset["stakes"], ruleset["fantasyland"]["enter_low"]
    yield ruleset["variant"] + (", low middle" if ruleset["low_middle"] else "")
    yield f"{players['min']}–{players['max']} players"
    enter = [f"{pair} {cards}" for pair, cards in ruleset["fantasyland"]["enter"].items()]
    enter += [f"75432 {low['cards']}, both {low['both']}"] if low else []
    yield f"Fantasyland {', '.join(enter)}" if enter else "no Fantasyland"
    yield f"scope {stakes['scope']}, win limit {stakes['win_limit']}"
    yield f"leaving {ruleset['leaving'].replace('_', ' ')}"


RULESETS: Final = (
    Column("ruleset", lambda ruleset: f"{ruleset['name']}@{ruleset['version']}", is_unbroken=True),
    Column("in short", lambda ruleset: " · ".join(_in_short(ruleset))),
)


def show_ruleset(console: Console, ruleset: Document) -> None:
    """Print every field of a ruleset."""
    grid = make_grid(console, "rule", "value", unbroken=["rule"])
    for path, value in flatten(ruleset):
        grid.add_row(Text(path, style="dim"), _word(value))
    console.print(grid)


def show_difference(console: Console, first: Document, second: Document) -> None:
    """Print the differences between two rulesets, field by field."""
    names = [f"{ruleset['name']}@{ruleset['version']}" for ruleset in (first, second)]
    rows = list(differences(first, second))
    if not rows:
        console.print(f"{names[0]} and {names[1]} are the same rules.")
        return
    grid = make_grid(console, "rule", *names, unbroken=["rule"])
    for path, one, other in rows:
        grid.add_row(Text(path, style="dim"), _word(one), _word(other))
    console.print(grid)


def differences(first: Document, second: Document) -> Iterator[tuple[str, object, object]]:
    """
    Yield the differences between two rulesets except their names.

    >>> list(differences({"name": "a", "points": {"row": 1}}, {"name": "b", "points": {"row": 2}}))
    [('points.row', 1, 2)]
    """
    one, other = dict(flatten(first)), dict(flatten(second))
    for path in [*one, *(path for path in other if path not in one)]:
        if path not in ("name", "version") and one.get(path) != other.get(path):
            yield path, one.get(path), other.get(path)


def flatten(part: Document, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield every field of a document with its path."""
    for key, value in part.items():
        if isinstance(value, Mapping) and value:
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _word(value: object) -> str:
    if value is None or value == {}:
        return "–"
    return str(value).lower() if isinstance(value, bool) else str(value)
