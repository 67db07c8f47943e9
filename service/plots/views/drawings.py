"""Drawings of plots: the positions of everything that the templates draw."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from service.plots.views.scales import Number, Scale, show_number, show_short

CHARACTER: Final = 7.2
"""The width of a digit of a label, about."""
LETTER: Final = 8
"""The width of a letter of a name, about; many are narrower."""
TOP: Final = 34
"""The height of the title above an axis."""
FOOT: Final = 46
"""The height of the ticks and the title below an axis."""


@dataclass(frozen=True, slots=True)
class Frame:
    """
    The size of a drawing, which decides how much it shows. Labels have the same size in all.

    Attributes:
        height: of what is between the axes of lines and histograms.
        cell: the most width of a cell of a matrix.
        most_areas: the number of areas over lines and histograms; 0 where they would be too narrow for a finger.
    """

    width: int
    height: int
    longest_name: int
    most_ticks: int
    most_points: int
    most_areas: int
    cell: int

    @property
    def is_narrow(self) -> bool:
        """Whether it is for phones: labels have no values, and large numbers are short."""
        return self.width < WIDE.width

    def tick(self, value: Number) -> str:
        """Return the label of a tick."""
        return show_short(int(value)).lstrip("+") if self.is_narrow else show_number(value)


WIDE: Final = Frame(720, 280, 16, 8, 200, 100, 72)
NARROW: Final = Frame(300, 240, 9, 4, 100, 0, 40)


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
    """A line, its marks, its intervals, and where it ends."""

    path: str
    marks: list[tuple[float, float]]
    whiskers: list[tuple[float, float, float]]
    end: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Label:
    """A label beside the end of a line or of the band, where `start` is; `number` is that of the line, if it is one."""

    text: str
    start: tuple[float, float]
    y: float
    number: int | None = None


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
    y_title: str = ""
    y_title_at: float = 14
    lines: list[Line] = field(default_factory=list)
    chosen: int = 0
    band: str = ""
    labels: list[Label] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    names: list[Text] = field(default_factory=list)
    columns: list[Text] = field(default_factory=list)
    totals: list[Text] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    cell: tuple[float, float] = (0, 0)
    legend: list[Legend] = field(default_factory=list)
    areas: list[Area] = field(default_factory=list)
    width: float = WIDE.width

    @property
    def x_title_end(self) -> float:
        """Where the title of the horizontal axis ends: with the axis, unless it would begin outside."""
        return min(self.width - 8, max(self.right, len(self.x_title) * CHARACTER + 8))


def few_ticks(steps: Sequence[Number], x: Scale) -> list[Number]:
    """Leave out ticks whose labels would overlap; the one at 0 remains."""
    if len(steps) < 2:
        return [*steps]
    room = abs(x(steps[1]) - x(steps[0]))
    needed = max(len(show_number(step)) for step in steps) * CHARACTER + 8
    every = max(1, -(-int(needed) // max(1, int(room))))
    zero = steps.index(0) if 0 in steps else 0
    return [step for index, step in enumerate(steps) if (index - zero) % every == 0]
