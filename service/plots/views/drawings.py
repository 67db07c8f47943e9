"""Drawings of plots: the positions of everything that the templates draw."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from service.plots.views.scales import Number, Scale, show_number

WIDTH: Final = 720
CHARACTER: Final = 7.2
"""The width of a digit of a label, about."""
TOP: Final = 16
FOOT: Final = 46
"""The height of the ticks and the title below an axis."""
MOST_TICKS: Final = 8
LONGEST_NAME: Final = 16


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis: its position and its label."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the plot that shows a text to those who point at it, and links to an address if it has one."""

    x: float
    y: float
    width: float
    height: float
    text: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line, its marks, its intervals, and its label beside the last point."""

    number: int
    path: str
    marks: list[tuple[float, float]]
    whiskers: list[tuple[float, float, float]]
    end: tuple[float, float]
    label: str
    label_y: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a bar, or a bar of a histogram. `number` is its colour, and `pattern` 0 for none."""

    number: int
    pattern: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Text:
    """A text at a position."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix; `level` is 0 to 4 for points won, below 0 for points lost, None for no points at all."""

    x: float
    y: float
    text: str
    level: int | None


@dataclass(frozen=True, slots=True)
class Legend:
    """An entry of the legend: a colour, a pattern and what they mean."""

    number: int
    pattern: int
    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A plot with the positions of its parts. `left`, `right`, `top` and `bottom` enclose what is between its axes."""

    kind: str
    height: int
    left: float = 0
    right: float = 0
    top: float = 0
    bottom: float = 0
    x_ticks: list[Tick] = field(default_factory=list)
    y_ticks: list[Tick] = field(default_factory=list)
    x_title: str = ""
    lines: list[Line] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    names: list[Text] = field(default_factory=list)
    columns: list[Text] = field(default_factory=list)
    totals: list[Text] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    cell: tuple[float, float] = (0, 0)
    legend: list[Legend] = field(default_factory=list)
    areas: list[Area] = field(default_factory=list)
    width: int = WIDTH


def few_ticks(steps: Sequence[Number], x: Scale) -> list[Number]:
    """Leave out ticks whose labels would overlap; the one at 0 remains."""
    if len(steps) < 2:
        return [*steps]
    room = abs(x(steps[1]) - x(steps[0]))
    needed = max(len(show_number(step)) for step in steps) * CHARACTER + 8
    every = max(1, -(-int(needed) // max(1, int(room))))
    zero = steps.index(0) if 0 in steps else 0
    return [step for index, step in enumerate(steps) if (index - zero) % every == 0]
