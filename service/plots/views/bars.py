"""Draw stacked bars, histograms and matrices."""

from collections.abc import Sequence
from typing import Final

from schemas.statistics.plots import PlotName, PlotView
from service.plots.views.drawings import (
    CHARACTER,
    FOOT,
    LETTER,
    TOP,
    Area,
    Bar,
    Cell,
    Drawing,
    Frame,
    Legend,
    Text,
    Tick,
    few_ticks,
)
from service.plots.views.scales import Number, Scale, clean, find_ticks, shorten, show_number, show_short
from service.plots.views.words import (
    address_of,
    axis_titles_of,
    count_others,
    isolate,
    name_of,
    player_name,
    player_of,
    text_of_place,
)

LEVELS: Final = 4
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


def draw_bars(view: PlotView, frame: Frame) -> Drawing:
    """Return the drawing of stacked bars, one for each player."""
    signs = [-1 if each.name in ("paid", "not_paid") else 1 for each in view.series]
    rows = [
        [sign * (each.values[index] or 0) for sign, each in zip(signs, view.series, strict=True)]
        for index in range(len(view.places))
    ]
    low = min(0, *(sum(value for value in row if value < 0) for row in rows))
    high = max(0, *(sum(value for value in row if value > 0) for row in rows))
    steps = find_ticks(low, high, 3 if frame.is_narrow else 6)
    has_totals = view.plot is PlotName.SOURCES
    totals = [show_number(sum(row), signed=True) if has_totals else _show_received(row, frame) for row in rows]
    labels = [shorten(player_of(view, place), frame.longest_name) for place in view.places]
    left = 18 + LETTER * max(map(len, labels))
    right = frame.width - 16 - max(map(len, totals)) * CHARACTER - max(0, len(frame.tick(steps[-1])) * 4 - 16)
    legend, title_at = _legend(view, frame)
    top = title_at + 4
    pitch, thickness = 28, 18
    x = Scale(steps[0], steps[-1], left, right)
    bars, names, texts, areas = [], [], [], []
    for index, row in enumerate(rows):
        y = top + 8 + index * pitch
        ends: dict[bool, Number] = {True: 0, False: 0}
        for number, value in enumerate(row):
            if value:
                start = ends[value > 0]
                ends[value > 0] += value
                one, other = sorted((x(start), x(start + value)))
                bars.append(Bar(*_LOOKS[view.series[number].name], one, y, round(other - one, 1), thickness))
        names.append(Text(left - 8, y + 13, labels[index]))
        texts.append(Text(x(ends[True]) + 6, y + 13, totals[index]))
        text, address = text_of_place(view, index), address_of(view.places[index])
        areas.append(Area(0, y - 5, frame.width, pitch, text, address))
    bottom = top + 8 + len(rows) * pitch
    x_title, y_title = axis_titles_of(view)
    return Drawing(
        "bars",
        width=frame.width,
        height=round(bottom) + FOOT,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=[Tick(x(step), frame.tick(step)) for step in few_ticks(steps, x)],
        x_title=x_title,
        y_title=y_title,
        y_title_at=title_at,
        bars=bars,
        names=names,
        totals=texts,
        legend=legend,
        areas=areas,
    )


def _show_received(row: Sequence[Number], frame: Frame) -> str:
    received, not_received, *_ = row
    both = [frame.tick(each) for each in (received, received + not_received)]
    return "/".join(both) if frame.is_narrow else " of ".join(both)


def _legend(view: PlotView, frame: Frame) -> tuple[list[Legend], float]:
    """Return the legend, and where the text below it is."""
    entries, x, y = [], 16.0, 20.0
    for each in view.series:
        label = name_of(view, each)
        width = 24 + len(label) * 6.8 + 16
        if x + width > frame.width:
            x, y = 16.0, y + 22
        entries.append(Legend(*_LOOKS[each.name], x, y, label))
        x = round(x + width, 1)
    return entries, y + 28


def draw_histogram(view: PlotView, frame: Frame) -> Drawing:
    """Return the drawing of a histogram."""
    [series] = view.series
    values = [value or 0 for value in series.values]
    steps = find_ticks(0, max(values))
    left = max(len(frame.tick(step)) for step in steps) * CHARACTER + 14
    right, bottom = frame.width - 30, TOP + frame.height
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
    ticks = find_ticks(lows[0], edge, frame.most_ticks)
    marks = [step for step in ticks if lows[0] <= step < edge or step + middle == edge]
    x_title, y_title = axis_titles_of(view)
    return Drawing(
        "histogram",
        width=frame.width,
        height=bottom + FOOT,
        left=left,
        right=right,
        top=TOP,
        bottom=bottom,
        x_ticks=[Tick(x(step + middle), frame.tick(step)) for step in few_ticks(marks, x)],
        y_ticks=[Tick(y(step), frame.tick(step)) for step in steps],
        x_title=x_title,
        y_title=y_title,
        bars=bars,
        areas=areas,
    )


def draw_matrix(view: PlotView, frame: Frame) -> Drawing:
    """Return the drawing of a matrix of players, with a column for the sum of the others."""
    series = [*view.series, *([] if view.others is None else [view.others])]
    columns = [player_name(view, each.name) for each in view.series]
    columns += [] if view.others is None else [count_others(view)]
    rows = [player_of(view, place) for place in view.places]
    left = 18 + LETTER * max(min(frame.longest_name, len(name)) for name in rows)
    top = 40 + 5.9 * max(min(frame.longest_name, len(name)) for name in columns)
    width, height = _width_of_cells(columns, left, frame), 30
    most = max(abs(value) for each in view.series for value in each.values if value is not None) or 1
    cells, areas = [], []
    for row, player in enumerate(rows):
        y = top + row * height
        areas.append(Area(0, y, left, height, clean(player), address_of(view.places[row])))
        for column, each in enumerate(series):
            value = each.values[row]
            x = round(left + column * width, 1)
            level = None if value is None else round(LEVELS * value / most) or (value > 0) - (value < 0)
            shown = None if level is None else max(-LEVELS, min(LEVELS, level))
            cells.append(Cell(x, y, "" if value is None else show_short(int(value)), shown))
            if value is not None:
                text = f"{isolate(player)} against {isolate(columns[column])}: {show_number(value, signed=True)}"
                areas.append(Area(x, y, round(width, 1), height, text))
    x_title, y_title = axis_titles_of(view)
    names = [shorten(name, frame.longest_name) for name in columns]
    # A name above a column is written upwards to the right.
    end = left + max((column + 0.5) * width + 5.9 * len(name) for column, name in enumerate(names))
    return Drawing(
        "matrix",
        width=frame.width if not frame.is_narrow else round(max(frame.width, end + 8)),
        height=round(top + len(rows) * height) + 16,
        left=left,
        top=top,
        right=left + width * len(columns),
        bottom=top + len(rows) * height,
        x_title=x_title,
        y_title=y_title,
        names=[
            Text(left - 8, top + row * height + 20, shorten(name, frame.longest_name)) for row, name in enumerate(rows)
        ],
        columns=[Text(round(left + (column + 0.5) * width, 1), top - 8, name) for column, name in enumerate(names)],
        cells=cells,
        cell=(round(width, 1), height),
        areas=areas,
    )


def _width_of_cells(names: Sequence[str], left: float, frame: Frame) -> float:
    """Return the width of cells that leaves room for the names above them. On a phone, the drawing becomes wider."""
    if frame.is_narrow:
        return frame.cell
    room = frame.width - left - 16
    widest = [(room - 5.9 * min(frame.longest_name, len(name))) / (number + 0.5) for number, name in enumerate(names)]
    return min(frame.cell, room / len(names), *widest)
