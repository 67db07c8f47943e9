"""Tables without lines, the one kind that is printed here."""

from collections.abc import Collection
from typing import Final, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

_GAP: Final = (0, 2, 0, 0)
_NARROW_GAP: Final = (0, 1, 0, 0)
_NARROW: Final = 72
"""The width in characters below which a terminal is narrow."""


def make_grid(console: Console, *headings: str, numbers: Collection[str] = (), unbroken: Collection[str] = ()) -> Table:
    """
    Make a table.

    Args:
        console: what it will be printed on.
        headings: of its columns.
        numbers: the headings of those that hold numbers; they stand to the right and are never broken.
        unbroken: the headings of others that are never broken.
    """
    gap = _GAP if console.width >= _NARROW else _NARROW_GAP
    grid = Table(box=None, pad_edge=False, padding=gap)
    for heading in headings:
        justify: Literal["left", "right"] = "right" if heading in numbers else "left"
        no_wrap = heading in numbers or heading in unbroken
        grid.add_column(heading, header_style="not bold dim", justify=justify, no_wrap=no_wrap, overflow="fold")
    return grid


def show_grid(console: Console, title: str, grid: Table) -> None:
    """Print a table under its title."""
    console.print(Text(title, style="bold"))
    console.print(grid)
