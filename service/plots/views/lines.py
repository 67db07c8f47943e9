"""Draw lines: stacks and points after each hand or round, and rates with intervals."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from schemas.statistics.plots import PlotName, PlotSeries, PlotView
from service.plots.views.drawings import CHARACTER, FOOT, TOP, Area, Drawing, Frame, Label, Line, Tick
from service.plots.views.scales import (
    Number,
    Scale,
    choose_labels,
    find_ticks,
    shorten,
    show_rate,
    spread,
    thin_out,
)
from service.plots.views.words import (
    address_of,
    axis_titles_of,
    chosen_line_of,
    count_others,
    isolate,
    player_name,
    show_last,
    text_of_place,
    tick_of,
)

_LINE: Final = 18
"""The height of a label of a line."""
_MOST_MARKED: Final = 40


def draw_lines(view: PlotView, frame: Frame) -> Drawing:
    """Return the drawing of lines: steps, or rates with intervals."""
    is_rate = view.plot is PlotName.FOULS
    parts = [part for each in view.series for part in (each.values, each.lows, each.highs)]
    parts += [] if view.others is None else [view.others.lows, view.others.highs]
    values = [value for part in parts for value in part or () if value is not None]
    steps = find_ticks(0 if is_rate else min(values), max(values), whole=not is_rate)
    if is_rate:
        steps = [step for step in steps if step <= 1]
    labels = [show_rate(step) if is_rate else frame.tick(step) for step in steps]
    left = max(map(len, labels)) * CHARACTER + 14
    names = [] if is_rate else [_label_line(view, each, frame) for each in view.series]
    names += [] if view.others is None else [count_others(view)]
    right = frame.width - (max(map(len, names)) * CHARACTER + 16 if names else 16)
    bottom = TOP + frame.height
    y = Scale(steps[0], steps[-1], bottom, TOP)
    count = len(view.places)
    x = Scale(0, count - 1, left + 10, right - 10) if count > 1 else Scale(-1, 1, left, right)
    lines = [_draw_line(each, x, y, frame, is_step=not is_rate) for each in view.series]
    band, end_of_band = ("", None) if view.others is None else _draw_band(view.others, x, y, frame)
    ends = [line.end for line in lines] + ([] if end_of_band is None else [end_of_band])
    x_title, y_title = axis_titles_of(view)
    return Drawing(
        "lines",
        width=frame.width,
        height=bottom + FOOT,
        left=left,
        right=right,
        top=TOP,
        bottom=bottom,
        x_ticks=_ticks_below(view, x, frame),
        y_ticks=[Tick(y(step), label) for step, label in zip(steps, labels, strict=True)],
        x_title=x_title,
        y_title=y_title,
        lines=lines,
        chosen=chosen_line_of(view),
        band=band,
        labels=_place_labels(names, ends, len(lines), bottom) if names else [],
        areas=_strips(view, x, left, right, bottom, frame.most_areas) if frame.most_areas else [],
    )


def _label_line(view: PlotView, series: PlotSeries, frame: Frame) -> str:
    """Return the label of a line: the name and, if there is room, the last value."""
    name = isolate(shorten(player_name(view, series.name), frame.longest_name))
    return name if frame.is_narrow else f"{name} {show_last(view, series)}"


def _place_labels(names: Sequence[str], ends: Sequence[tuple[float, float]], lines: int, bottom: float) -> list[Label]:
    """Return the labels of lines, and of the band after them, so that none covers another."""
    positions = spread([y for _, y in ends], _LINE, TOP + 6, bottom)
    numbers: list[int | None] = [*range(lines), None]
    return [Label(*each) for each in zip(names, ends, positions, numbers, strict=False)]


def _list_parts(count: int, *values: Sequence[Number | None]) -> Iterator[list[tuple[int, list[Number]]]]:
    """Yield the parts of lines without a gap: the places, and the values there."""
    at = ((index, [of[index] for of in values]) for index in range(count))
    for has_values, part in groupby(at, lambda each: None not in each[1]):
        if has_values:
            yield [(index, [value for value in of if value is not None]) for index, of in part]


def _draw_line(series: PlotSeries, x: Scale, y: Scale, frame: Frame, *, is_step: bool) -> Line:
    parts = [[(index, value) for index, [value] in part] for part in _list_parts(len(series.values), series.values)]
    # Parts share the points of the line, because a player can have left and come back many times.
    most = frame.most_points if len(parts) == 1 else max(4, frame.most_points // max(1, len(parts)))
    kept = parts if sum(map(len, parts)) <= frame.most_points else [thin_out(part, most) for part in parts]
    placed = [[(x(at), y(value)) for at, value in part] for part in kept]
    points = [point for part in placed for point in part]
    intervals = () if series.lows is None else _list_parts(len(series.values), series.lows, series.highs or ())
    whiskers = [(x(index), y(low), y(high)) for part in intervals for index, [low, high] in part]
    path = " ".join(_path(part, is_step=is_step) for part in placed)
    marks = points if len(points) <= _MOST_MARKED else points[-1:]
    return Line(path, marks, whiskers, points[-1] if points else (x.end, y.start))


def _draw_band(others: PlotSeries, x: Scale, y: Scale, frame: Frame) -> tuple[str, tuple[float, float]]:
    """Return the path around the least and the most of the others, and the middle of its end."""
    paths, end = [], (x.end, y.start)
    for part in _list_parts(len(others.values), others.lows or (), others.highs or ()):
        size = -(-len(part) // frame.most_points)
        groups = [part[start : start + size] for start in range(0, len(part), size)]
        points = [
            (x(group[0][0]), y(min(low for _, [low, _] in group)), y(max(high for _, [_, high] in group)))
            for group in groups
        ]
        last, [low, high] = part[-1]
        points.append((x(last), y(low), y(high)))
        there = "".join(f"H{at}V{top}" for at, _, top in points[1:])
        back = "".join(f"V{bottom}H{at}" for at, bottom, _ in reversed(points[:-1]))
        paths.append(f"M{points[0][0]} {points[0][2]}{there}V{points[-1][1]}{back}Z")
        end = (points[-1][0], round((y(low) + y(high)) / 2, 1))
    return "".join(paths), end


def _path(points: Sequence[tuple[float, float]], *, is_step: bool) -> str:
    first, *others = points
    # One point alone becomes a line that is too short to see, whose round ends are a dot.
    parts = [f"H{x}V{y}" if is_step else f"L{x} {y}" for x, y in others] or ["h.01"]
    return f"M{first[0]} {first[1]}{''.join(parts)}"


def _ticks_below(view: PlotView, x: Scale, frame: Frame) -> list[Tick]:
    if view.plot is PlotName.STACKS and not view.is_one_round:
        starts = [index for index, place in enumerate(view.places) if place.hand == 0]
        chosen = [starts[index] for index in choose_labels(len(starts), frame.most_ticks)]
    elif view.plot is PlotName.STACKS:
        last = len(view.places) - 1
        chosen = [int(step) for step in find_ticks(0, last, frame.most_ticks) if 0 <= step <= last] if last else [0]
    else:
        chosen = choose_labels(len(view.places), frame.most_ticks)
    ticks: list[Tick] = []
    for index in chosen:
        label = tick_of(view, view.places[index])
        if not ticks or x(index) - ticks[-1].at > (len(label) + 1) * CHARACTER:
            ticks.append(Tick(x(index), label))
    return ticks


def _strips(view: PlotView, x: Scale, left: float, right: float, bottom: float, most: int) -> list[Area]:
    """Return an area for each place, or for every few if there are many."""
    chosen = choose_labels(len(view.places), most)
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
