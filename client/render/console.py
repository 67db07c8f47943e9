"""The console that everything is printed on, and the one kind of table on it."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final, Literal, NoReturn

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from client.render.format import escape_unprintable

Document = Mapping[str, Any]

_PIPE_WIDTH: Final = 160
_GAP: Final = (0, 2, 0, 0)
_NARROW_GAP: Final = (0, 1, 0, 0)
NARROW: Final = 72
"""The width in characters below which a terminal is narrow."""


class PlainConsole(Console):
    """A console that escapes control characters, and reports a closed pipe."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render segments without unprintable characters, except those of the console itself."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(escape_unprintable(text), style)

    def on_broken_pipe(self) -> NoReturn:
        """Raise the error to the command."""
        raise BrokenPipeError


def make_console(*, error: bool = False) -> Console:
    """Build a console: with colours on a terminal unless NO_COLOR is set, and with wide lines for a pipe."""
    console = PlainConsole(
        stderr=error,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console


class Grid(Table):
    """A table of texts. If it does not fit the width, every value is printed on a line of its own after its heading."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the table for the available width."""
        if self._least_width() <= options.max_width:
            return super().__rich_console__(console, options)
        return self._one_value_a_line()

    def _least_width(self) -> int:
        """Return the least width without breaking a word. Columns that wrap shrink alike."""
        texts = [[str(column.header), *map(str, column.cells)] for column in self.columns]
        whole = [max(map(cell_len, column)) for column in texts]
        broken = [not column.no_wrap for column in self.columns]
        words = [word for column in compress(texts, broken) for text in column for word in text.split()]
        word = max(map(cell_len, words), default=0)
        least = [min(width, word) if is_broken else width for width, is_broken in zip(whole, broken, strict=True)]
        return sum(least) + self.padding[1] * (len(least) - 1)

    def _one_value_a_line(self) -> Iterator[Text]:
        """Yield the rows below each other, without empty values."""
        width = max(cell_len(str(column.header)) for column in self.columns)
        for number, cells in enumerate(zip(*(column.cells for column in self.columns), strict=True)):
            if number:
                yield Text()
            for column, cell in zip(self.columns, cells, strict=True):
                line = Text(overflow="fold")
                if column.header:
                    line.append(f"{column.header!s:{width}}  ", style=column.header_style)
                if str(cell):
                    yield line.append_text(cell if isinstance(cell, Text) else Text(str(cell)))


def make_grid(console: Console, *headings: str, numbers: Collection[str] = (), unbroken: Collection[str] = ()) -> Grid:
    """
    Build a table.

    Args:
        console: the output.
        headings: of its columns.
        numbers: the headings of those that hold numbers; they stand to the right and are never broken.
        unbroken: the headings of others that are never broken; the rest is broken between words.
    """
    gap = _GAP if console.width >= NARROW else _NARROW_GAP
    grid = Grid(box=None, pad_edge=False, padding=gap)
    for heading in headings:
        justify: Literal["left", "right"] = "right" if heading in numbers else "left"
        no_wrap = heading in numbers or heading in unbroken
        grid.add_column(heading, header_style="not bold dim", justify=justify, no_wrap=no_wrap, overflow="fold")
    return grid


def show_grid(console: Console, title: str, grid: Table) -> None:
    """Print a table under its title."""
    console.print(Text(title, style="bold"))
    console.print(grid)


@dataclass(frozen=True, slots=True)
class Column:
    """
    A column of a list of records.

    Attributes:
        heading: of the column.
        value: the field that the column shows, or a function that returns the text of a record.
        is_number: whether the column holds numbers; they stand to the right and are never broken.
        is_unbroken: whether its texts are never broken; others are broken between words.
    """

    heading: str
    value: str | Callable[[Document], str | Text]
    is_number: bool = False
    is_unbroken: bool = False

    def show(self, record: Document) -> str | Text:
        """Return the text of a record in this column; a dash if the field is null."""
        if not isinstance(self.value, str):
            return self.value(record)
        value = record[self.value]
        return "–" if value is None else str(value)


def show_records(console: Console, records: Iterable[Document], columns: Sequence[Column]) -> None:
    """Print records as a table, one a line."""
    grid = make_grid(
        console,
        *(column.heading for column in columns),
        numbers=[column.heading for column in columns if column.is_number],
        unbroken=[column.heading for column in columns if column.is_unbroken],
    )
    for record in records:
        grid.add_row(*(column.show(record) for column in columns))
    console.print(grid)


def show_metadata(console: Console, record: Document) -> None:
    """Print the metadata of a record, one entry a line, if it has any."""
    for key, text in record.get("metadata", {}).items():
        console.print(Text(f"  {key}: {text}", style="dim"), soft_wrap=True)
