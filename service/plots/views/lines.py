"""Draw lines: stacks and points after each hand or round, and rates with intervals."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
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
    Drawing,
    Line,
    Tick,
)
from service.plots.views.scales import (
    MOST_POINTS,
    Number,
    Scale,
    choose_labels,
    find_ticks,
    shorten,
    show_number,
    show_rate,
    spread,
    thin_out,
)
from service.plots.views.words import address_of, isolate, text_of_place, tick_of

_LINE: Final = 18
"""The height of a label of a line."""
_MOST_MARKED: Final = 40
_MARKS: Final = 8
_MOST_AREAS: Final = 200


def draw_lines(view: PlotView) -> Drawing:
    """Return the drawing of lines: steps, or rates with intervals."""
    is_rate = view.plot is PlotName.FOULS
    values = [value for each in view.series for value in _all_values(each)]
    steps = find_ticks(0 if is_rate else min(values), max(values), whole=not is_rate)
    if is_rate:
        steps = [step for step in steps if step <= 1]
    labels = [show_rate(step) if is_rate else show_number(step) for step in steps]
    left = max(map(len, labels)) * CHARACTER + 14
    names = [_label_of_line(view, each) for each in view.series]
    right = WIDTH - (16 if is_rate else max(map(len, names)) * CHARACTER + 40)
    bottom = TOP + max(280, _LINE * len(view.series))
    y = Scale(steps[0], steps[-1], bottom, TOP)
    count = len(view.places)
    x = Scale(0, count - 1, left + 10, right - 10) if count > 1 else Scale(-1, 1, left, right)
    lines = [
        _draw_line(each, number, names[number], x, y, is_step=not is_rate) for number, each in enumerate(view.series)
    ]
    positions = spread([line.end[1] for line in lines], _LINE, TOP + 6, bottom)
    lines = [
        Line(each.number, each.path, each.marks, each.whiskers, each.end, each.label if not is_rate else "", at)
        for each, at in zip(lines, positions, strict=True)
    ]
    return Drawing(
        "lines",
        height=round(bottom) + FOOT,
        left=left,
        right=right,
        top=TOP,
        bottom=bottom,
        x_ticks=_ticks_below(view, x),
        y_ticks=[Tick(y(step), label) for step, label in zip(steps, labels, strict=True)],
        x_title=_axis_title(view),
        lines=lines,
        areas=_strips(view, x, left, right, bottom),
    )


def _all_values(series: PlotSeries) -> Iterable[Number]:
    for part in (series.values, series.lows or (), series.highs or ()):
        yield from (value for value in part if value is not None)


def _label_of_line(view: PlotView, series: PlotSeries) -> str:
    last = next((value for value in reversed(series.values) if value is not None), None)
    shown = "" if last is None else show_number(last, signed=view.plot is PlotName.NET)
    return f"{isolate(shorten(series.name, LONGEST_NAME))} {shown}"


def _axis_title(view: PlotView) -> str:
    if view.plot is PlotName.FOULS:
        return "Evenings"
    if view.plot is PlotName.STACKS:
        return "Hand" if view.is_one_round else "Hands, by the opening time of their rounds"
    return "Rounds, by their opening times"


def _draw_line(series: PlotSeries, number: int, label: str, x: Scale, y: Scale, *, is_step: bool) -> Line:
    parts: list[list[tuple[float, Number]]] = []
    is_gap = True
    for index, value in enumerate(series.values):
        if value is None:
            is_gap = True
            continue
        if is_gap:
            parts.append([])
        parts[-1].append((index, value))
        is_gap = False
    # Parts share the points of the line, because a player can have left and come back many times.
    total = sum(map(len, parts))
    most = MOST_POINTS if len(parts) == 1 else max(4, MOST_POINTS // max(1, len(parts)))
    kept = parts if total <= MOST_POINTS else [thin_out(part, most) for part in parts]
    placed = [[(x(at), y(value)) for at, value in part] for part in kept]
    points = [point for part in placed for point in part]
    every = 1 if len(points) <= _MOST_MARKED else -(-len(points) // _MARKS)
    # Lines that share their points have their marks at different places.
    marks = points if every == 1 else [*points[number * 3 % every :: every], points[-1]]
    whiskers = [
        (x(index), y(low), y(high))
        for index, (low, high) in enumerate(zip(series.lows or (), series.highs or (), strict=True))
        if low is not None and high is not None
    ]
    path = " ".join(_path(part, is_step=is_step) for part in placed)
    return Line(number, path, marks, whiskers, points[-1] if points else (x.end, y.start), label, 0)


def _path(points: Sequence[tuple[float, float]], *, is_step: bool) -> str:
    first, *others = points
    # One point alone becomes a line that is too short to see, whose round ends are a dot.
    parts = [f"H{x}V{y}" if is_step else f"L{x} {y}" for x, y in others] or ["h.01"]
    return f"M{first[0]} {first[1]}{''.join(parts)}"


def _ticks_below(view: PlotView, x: Scale) -> list[Tick]:
    if view.plot is PlotName.STACKS and not view.is_one_round:
        starts = [index for index, place in enumerate(view.places) if place.hand == 0]
        chosen = [starts[index] for index in choose_labels(len(starts), MOST_TICKS)]
    elif view.plot is PlotName.STACKS:
        last = len(view.places) - 1
        chosen = [int(step) for step in find_ticks(0, last, MOST_TICKS) if 0 <= step <= last] if last else [0]
    else:
        chosen = choose_labels(len(view.places), MOST_TICKS)
    ticks: list[Tick] = []
    for index in chosen:
        label = tick_of(view, view.places[index])
        if not ticks or x(index) - ticks[-1].at > (len(label) + 1) * CHARACTER:
            ticks.append(Tick(x(index), label))
    return ticks


def _strips(view: PlotView, x: Scale, left: float, right: float, bottom: float) -> list[Area]:
    """Return an area for each place, or for every few if there are many."""
    chosen = choose_labels(len(view.places), _MOST_AREAS)
    middles = [x(index) for index in chosen]
    edges = [left, *(round((one + other) / 2, 1) for one, other in pairwise(middles)), right]
    return [
        Area(
            start,
            TOP,
            round(end - start, 1),
            bottom - TOP,
            text_of_place(view, index),
            address_of(view.places[index]),
        )
        for index, start, end in zip(chosen, edges, edges[1:], strict=False)
    ]
