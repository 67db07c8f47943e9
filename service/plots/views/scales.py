"""Scales of plots: round ticks, fewer points, and labels that do not overlap."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from operator import itemgetter
from typing import Final

MOST_POINTS: Final = 500
"""The number of points of a line, about."""
_OF_A_GROUP: Final = 4
_MINUS: Final = "\u2212"
_NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Number = int | float


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from values to positions."""

    low: Number
    high: Number
    start: float
    end: float

    def __call__(self, value: Number) -> float:
        """
        Return the position of a value, rounded to a tenth.

        >>> Scale(0, 10, 100, 300)(5)
        200.0
        """
        part = (value - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)


def find_ticks(low: Number, high: Number, most: int = 6, *, whole: bool = True) -> list[Number]:
    """
    Return ticks that enclose two values: multiples of 1, 2 or 5 times a power of ten.

    >>> find_ticks(-37, 112), find_ticks(7, 7), find_ticks(0, 0.31, whole=False)
    ([-50, 0, 50, 100, 150], [6, 7, 8], [0.0, 0.1, 0.2, 0.3, 0.4])

    Args:
        low: the least value.
        high: the greatest value.
        most: the number of steps between them, about.
        whole: whether all ticks are integers.
    """
    if low == high:
        low, high = low - 1, high + 1
    power = floor(log10((high - low) / most))
    unit: Number = 10**power if power >= 0 else 1 / 10**-power
    unit = max(1, unit) if whole else unit
    step = next(factor * unit for factor in (1, 2, 5, 10) if (high - low) / (factor * unit) <= most)
    first, last = floor(low / step), ceil(high / step)
    return [round(number * step, 10) if isinstance(step, float) else number * step for number in range(first, last + 1)]


def show_number(value: Number, *, signed: bool = False) -> str:
    """
    Return a number with separators of thousands.

    >>> show_number(-1234567), show_number(12, signed=True), show_number(0, signed=True), show_number(0.25)
    ('−1,234,567', '+12', '0', '0.25')
    """
    sign = _MINUS if value < 0 else "+" if signed and value > 0 else ""
    return f"{sign}{abs(value):,}"


def show_rate(rate: Number) -> str:
    """
    Return a rate in percent, without zeros at the end.

    >>> show_rate(0.25), show_rate(0.1), show_rate(0), show_rate(0.0005)
    ('25 %', '10 %', '0 %', '0.05 %')
    """
    return f"{round(rate * 100, 6):g} %"


def show_percent(rate: Number) -> str:
    """
    Return a rate in percent with one digit after the decimal point.

    >>> show_percent(0.2857)
    '28.6 %'
    """
    return f"{rate * 100:.1f} %"


def show_short(value: int) -> str:
    """
    Return points won in at most five characters.

    >>> show_short(-12), show_short(12345), show_short(-3_210_000), show_short(10**13)
    ('−12', '+12k', '−3.2M', '+10T')
    """
    sign, size = (_MINUS if value < 0 else "+" if value > 0 else ""), float(abs(value))
    power = 0
    while size >= 10_000 or (power and size >= 1000):
        size, power = size / 1000, power + 1
    if power and size < 10:
        return f"{sign}{floor(size * 10) / 10}{'kMGTPE'[power - 1]}".replace("G", "B")
    return f"{sign}{floor(size)}{'kMBTPE'[power - 1] if power else ''}"


def thin_out(points: Sequence[tuple[float, Number]], most: int = MOST_POINTS) -> list[tuple[float, Number]]:
    """
    Return about `most` points of a line, with the first, the lowest, the highest and the last of every group.

    >>> thin_out([(x, x % 7) for x in range(1000)], 8)[:4]
    [(0, 0), (6, 6), (499, 2), (500, 3)]
    """
    if len(points) <= most:
        return list(points)
    size = ceil(len(points) / (most // _OF_A_GROUP))
    kept = []
    for start in range(0, len(points), size):
        group = points[start : start + size]
        lowest, highest = min(group, key=itemgetter(1)), max(group, key=itemgetter(1))
        kept += sorted({group[0], lowest, highest, group[-1]})
    return kept


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """
    Move positions apart, so that each is at least `gap` from the next, between `low` and `high` if there is room.

    >>> spread([50, 10, 12], 10, 0, 100), spread([99, 98], 10, 0, 100)
    ([50, 10, 20], [100, 90])
    """
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    placed = list(positions)
    for before, index in zip([None, *order], order, strict=False):
        least = low if before is None else placed[before] + gap
        placed[index] = max(placed[index], least)
    limit = high
    for index in reversed(order):
        placed[index] = min(placed[index], limit)
        limit = placed[index] - gap
    return placed


def choose_labels(count: int, most: int) -> list[int]:
    """
    Return at most `most` of so many places to label, at equal distances.

    >>> choose_labels(5, 8), choose_labels(20, 4), choose_labels(0, 4)
    ([0, 1, 2, 3, 4], [0, 5, 10, 15], [])
    """
    return list(range(0, count, max(1, ceil(count / most))))


def shorten(text: str, longest: int) -> str:
    """
    Return the beginning of a text that is too long, without characters that XML cannot contain.

    >>> shorten("Maximiliane", 8), shorten("ann", 8)
    ('Maximil…', 'ann')
    """
    text = clean(text)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def clean(text: str) -> str:
    """Return a text without characters that XML cannot contain."""
    return _NOT_IN_XML.sub("\ufffd", text)
