"""Draw stacked bars, histograms and matrices."""

from collections.abc import Sequence
from typing import Final

from schemas.statistics.plots import PlotName, PlotSeries, PlotView
from service.plots.views.drawings import (
    CHARACTER,
    FOOT,
    LONGEST_NAME,
    MOST_TICKS,
    TOP,
    WIDTH,
    Area,
    Bar,
    Cell,
    Drawing,
    Legend,
    Text,
    Tick,
    few_ticks,
)
from service.plots.views.scales import Number, Scale, clean, find_ticks, shorten, show_number, show_short
from service.plots.views.words import address_of, isolate, name_of, text_of_place

LEVELS: Final = 4
MOST_BARS: Final = 30
_LOOKS: Final = {
    "rows": (0, 0),
    "bonuses": (1, 1),
    "royalties": (2, 2),
    "fouls": (3, 3),
    "fantasyland": (4, 4),
    "received": (0, 0),
    "not_received": (0, 1),
    "paid": (1, 0),
    "not_paid": (1, 1),
}
"""The colour and the pattern of each series."""


def draw_bars(view: PlotView) -> Drawing:
    """Return the drawing of stacked bars, one for each player."""
    signs = [-1 if each.name in ("paid", "not_paid") else 1 for each in view.series]
    shown = range(min(MOST_BARS, len(view.places)))
    rows = [
        [sign * (each.values[index] or 0) for sign, each in zip(signs, view.series, strict=True)] for index in shown
    ]
    low = min(0, *(sum(value for value in row if value < 0) for row in rows))
    high = max(0, *(sum(value for value in row if value > 0) for row in rows))
    steps = find_ticks(low, high)
    has_totals = view.plot is PlotName.SOURCES
    totals = [show_number(sum(row), signed=True) if has_totals else _show_received(row) for row in rows]
    left = 18 + CHARACTER * max(min(LONGEST_NAME, len(view.places[index].player or "")) for index in shown)
    right = WIDTH - 16 - max(map(len, totals)) * CHARACTER - max(0, len(show_number(steps[-1])) * 4 - 16)
    legend, top = _legend(view.series)
    pitch, thickness = 28, 18
    x = Scale(steps[0], steps[-1], left, right)
    bars, names, texts, areas = [], [], [], []
    for index, row in zip(shown, rows, strict=True):
        y = top + 8 + index * pitch
        ends: dict[bool, Number] = {True: 0, False: 0}
        for number, value in enumerate(row):
            if value:
                start = ends[value > 0]
                ends[value > 0] += value
                one, other = sorted((x(start), x(start + value)))
                bars.append(Bar(*_LOOKS[view.series[number].name], one, y, round(other - one, 1), thickness))
        names.append(Text(left - 8, y + 13, shorten(view.places[index].player or "", LONGEST_NAME)))
        texts.append(Text(x(ends[True]) + 6, y + 13, totals[index]))
        text, address = text_of_place(view, index), address_of(view.places[index])
        areas.append(Area(0, y - 5, WIDTH, pitch, text, address))
    bottom = top + 8 + len(rows) * pitch
    return Drawing(
        "bars",
        height=bottom + FOOT,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=[Tick(x(step), show_number(step)) for step in few_ticks(steps, x)],
        x_title="Points" if has_totals else "Points paid to the left, points received to the right",
        bars=bars,
        names=names,
        totals=texts,
        legend=legend,
        areas=areas,
    )


def _show_received(row: Sequence[Number]) -> str:
    received, not_received, *_ = row
    return f"{show_number(received)} of {show_number(received + not_received)}"


def _legend(series: Sequence[PlotSeries]) -> tuple[list[Legend], int]:
    """Return the legend, and where it ends."""
    entries, x, y = [], 16.0, TOP + 4
    for each in series:
        label = name_of(each)
        width = 24 + len(label) * 6.8 + 16
        if x + width > WIDTH:
            x, y = 16.0, y + 22
        entries.append(Legend(*_LOOKS[each.name], x, y, label))
        x = round(x + width, 1)
    return entries, y + 16


def draw_histogram(view: PlotView) -> Drawing:
    """Return the drawing of a histogram."""
    [series] = view.series
    values = [value or 0 for value in series.values]
    steps = find_ticks(0, max(values))
    left = max(len(show_number(step)) for step in steps) * CHARACTER + 14
    right, bottom = WIDTH - 30, TOP + 280
    y = Scale(steps[0], steps[-1], bottom, TOP)
    lows = [place.low or 0 for place in view.places]
    edge = (view.places[-1].high or 0) + 1
    x = Scale(lows[0], edge, left, right)
    bars, areas = [], []
    for index, (low, value) in enumerate(zip(lows, values, strict=True)):
        start, end = x(low), x(lows[index + 1] if index + 1 < len(lows) else edge)
        if value:
            top = min(y(value), bottom - 1)
            bars.append(Bar(0, 0, start, top, round(max(1, end - start - 1), 1), round(bottom - top, 1)))
        areas.append(Area(start, TOP, round(end - start, 1), bottom - TOP, text_of_place(view, index)))
    # A range of one number has its label in the middle, others at their edges.
    middle = 0.5 if edge - lows[-1] == 1 else 0
    marks = [step for step in find_ticks(lows[0], edge, MOST_TICKS) if lows[0] <= step < edge or step + middle == edge]
    return Drawing(
        "histogram",
        height=bottom + FOOT,
        left=left,
        right=right,
        top=TOP,
        bottom=bottom,
        x_ticks=[Tick(x(step + middle), show_number(step)) for step in few_ticks(marks, x)],
        y_ticks=[Tick(y(step), show_number(step)) for step in steps],
        x_title="Points",
        bars=bars,
        areas=areas,
    )


def draw_matrix(view: PlotView) -> Drawing:
    """Return the drawing of a matrix of players."""
    columns = [each.name for each in view.series]
    rows = [place.player or "" for place in view.places]
    left = 18 + CHARACTER * max(min(LONGEST_NAME, len(name)) for name in rows)
    top = 20 + 5.9 * max(min(LONGEST_NAME, len(name)) for name in columns)
    width, height = _width_of_cells(columns, left), 30
    most = max(abs(value) for each in view.series for value in each.values if value is not None) or 1
    cells, areas = [], []
    for row, player in enumerate(rows):
        y = top + row * height
        areas.append(Area(0, y, left, height, clean(player), address_of(view.places[row])))
        for column, series in enumerate(view.series):
            value = series.values[row]
            x = round(left + column * width, 1)
            level = None if value is None else round(LEVELS * value / most) or (value > 0) - (value < 0)
            cells.append(Cell(x, y, "" if value is None else show_short(int(value)), level))
            if value is not None:
                text = f"{isolate(player)} against {name_of(series)}: {show_number(value, signed=True)}"
                areas.append(Area(x, y, round(width, 1), height, text))
    return Drawing(
        "matrix",
        height=round(top + len(rows) * height) + 16,
        left=left,
        top=top,
        right=left + width * len(columns),
        bottom=top + len(rows) * height,
        names=[Text(left - 8, top + row * height + 20, shorten(name, LONGEST_NAME)) for row, name in enumerate(rows)],
        columns=[
            Text(round(left + (column + 0.5) * width, 1), top - 8, shorten(name, LONGEST_NAME))
            for column, name in enumerate(columns)
        ],
        cells=cells,
        cell=(round(width, 1), height),
        areas=areas,
    )


def _width_of_cells(names: Sequence[str], left: float) -> float:
    """Return the width of cells that leaves room for the names above them, which are written upwards to the right."""
    room = WIDTH - left - 16
    widest = [(room - 5.9 * min(LONGEST_NAME, len(name))) / (number + 0.5) for number, name in enumerate(names)]
    return min(72, room / len(names), *widest)
