"""Plots as SVG: well-formed, within their frame, readable with any figures, and without inline styles in pages."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from schemas.clubs import ClubView
from schemas.statistics.plots import MOST_BARS, MOST_PLACES, MOST_SERIES, PlotName, PlotPlace, PlotSeries, PlotView
from scoring.sources import PointSources
from service.app import create_app
from service.config import Config
from service.http.request_state import RequestState, begin_request
from service.plots.actions import CAPS, SOURCES
from service.plots.queries import PlotFilter
from service.plots.views import figures
from service.plots.views.drawings import NARROW, WIDE, Frame
from service.plots.views.figures import render_figure, render_svg_file
from service.plots.views.lines import draw_lines
from service.plots.views.scales import find_ticks, show_short, spread, thin_out

SPACE = "{http://www.w3.org/2000/svg}"
CLUB = ClubView("riverside", "Europe/Berlin", time(6))
NAMES = (
    "ann",
    "<script>alert(1)</script>",
    "Maximiliane von der Heide-Hohenstein",
    "שרה",
    "a\ufffeb",
    "\u202eevil",
    "&amp;",
)
HUGE = 2**53 - 1
MOST_BYTES = 200_000
"""The size of a plot on a page, with the table, and of a file."""
START = datetime(2026, 11, 20, 20, tzinfo=UTC)
A_ROUND = UUID(int=7)


@pytest.fixture(scope="module")
def app() -> Flask:
    return create_app(Config("postgresql:///ofc"))


@contextmanager
def a_page(app: Flask) -> Iterator[None]:
    """Begin a request, in which a page is rendered."""
    with app.test_request_context():
        begin_request(RequestState(None, "show_plots"))
        yield


def name(number: int) -> str:
    return f"{NAMES[number % len(NAMES)]}{number}"


def view_of(plot: PlotName, count: int, players: int, size: int) -> PlotView:
    """Return a plot of any figures: so many places and players, with values up to `size`, gaps and others."""
    return (
        with_others(view_of_all(plot, count, players, size), size)
        if players == MOST_SERIES
        else view_of_all(plot, count, players, size)
    )


def with_others(view: PlotView, size: int) -> PlotView:
    """Return a plot from which twelve players were left out."""
    count = len(view.places)
    if view.plot in (PlotName.STACKS, PlotName.NET):
        low = 0 if view.plot is PlotName.STACKS else -size
        lows, highs = [None, *range(low, low + count - 1)], [None, *[size] * (count - 1)]
        others = PlotSeries("others", [None, *[size] * (count - 1)], lows=lows, highs=highs)
        return replace(view, omitted=12, others=others)
    if view.plot is PlotName.HEAD_TO_HEAD:
        return replace(view, omitted=12, others=PlotSeries("others", [size] * count))
    if view.plot in (PlotName.SOURCES, PlotName.CAPS):
        return replace(view, omitted=12, places=[*view.places[:-1], PlotPlace(hands=36)])
    return view


def view_of_all(plot: PlotName, count: int, players: int, size: int) -> PlotView:
    """Return a plot of any figures without others."""
    values = [
        [((index + 2) * (player + 3) * 7919) % (2 * size + 1) - size for index in range(count)]
        for player in range(players)
    ]
    names = [name(player) for player in range(players)]
    lines = [
        PlotSeries(each, [abs(value) if plot is PlotName.STACKS else value for value in of], is_player=True)
        for each, of in zip(names, values, strict=True)
    ]
    if plot is PlotName.STACKS:
        if count > 3:
            lines[0] = PlotSeries(lines[0].name, [*lines[0].values[:2], None, *lines[0].values[3:]], is_player=True)
        places = [PlotPlace(round=A_ROUND, hand=number, opened_at=START) for number in range(count)]
        return PlotView(plot, places, lines, CLUB, "kitchen", "2026-11-20/1", is_one_round=True)
    if plot is PlotName.NET:
        places = [
            PlotPlace(round=UUID(int=number), opened_at=START + timedelta(hours=number)) for number in range(count)
        ]
        return PlotView(plot, places, lines, CLUB)
    if plot is PlotName.FOULS:
        rates = [(value + size) / (2 * size) for value in values[0]]
        places = [
            PlotPlace(first=date(2026, 1, 1) + timedelta(number), last=date(2026, 1, 1), hands=9, fouls=2)
            for number in range(count)
        ]
        ends = [max(0, rate - 0.1) for rate in rates], [min(1, rate + 0.1) for rate in rates]
        return PlotView(plot, places, [PlotSeries("rate", rates, lows=ends[0], highs=ends[1])], CLUB)
    if plot is PlotName.DISTRIBUTION:
        places = [PlotPlace(low=5 * number - 60, high=5 * number - 56) for number in range(count)]
        return PlotView(plot, places, [PlotSeries("hands", [abs(value) for value in values[0]])], CLUB)
    places = [PlotPlace(player=each, hands=3) for each in names]
    if plot is PlotName.HEAD_TO_HEAD:
        return PlotView(
            plot,
            places,
            [PlotSeries(each, [of[0]] * players, True) for each, of in zip(names, values, strict=True)],
            CLUB,
        )
    parts = SOURCES if plot is PlotName.SOURCES else CAPS
    signs = (1, -1) if plot is PlotName.SOURCES else (1,)
    series = [
        PlotSeries(part, [signs[(number + index) % len(signs)] * abs(of[0]) for index, of in enumerate(values)])
        for number, part in enumerate(parts)
    ]
    return PlotView(plot, places, series, CLUB)


SHAPES = [(1, 1, 1), (2, 2, 3), (13, 3, 120), (40, MOST_SERIES, 10**6), (13, 3, HUGE), (MOST_PLACES, MOST_SERIES, 500)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("plot", list(PlotName))
def test_every_plot_is_well_formed_and_within_its_frame(
    app: Flask, plot: PlotName, shape: tuple[int, int, int]
) -> None:
    count, players, size = shape
    if plot in (PlotName.FOULS, PlotName.DISTRIBUTION):
        count = min(count, 45)
    view = view_of(plot, count, players, size)
    with a_page(app):
        file, page = render_svg_file(view), str(render_figure(view, PlotFilter()))
    wide, narrow = re.findall("<svg.*?</svg>", page, re.DOTALL)
    for written in (file, wide, narrow):
        check_drawing(written)
    assert len(file.encode()) < MOST_BYTES
    assert len(page.encode()) < MOST_BYTES


def check_drawing(written: str) -> None:
    """Check that a drawing is well-formed and within its frame, and that its axes have titles with units."""
    root = ElementTree.fromstring(written)
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    positions = list(positions_in(root))
    assert len(positions) > 10
    for x, y in positions:
        assert -1 <= x <= width + 1
        assert -1 <= y <= height + 1
    [image] = [each for each in root.iter(f"{SPACE}g") if each.get("role") == "img"]
    ids = {each.attrib["id"]: each for each in image if "id" in each.attrib}
    title, description = (ids[reference] for reference in image.attrib["aria-labelledby"].split())
    assert (title.tag, description.tag) == (f"{SPACE}title", f"{SPACE}desc")
    assert title.text
    assert len(description.text or "") > 30
    assert "<script" not in written
    titles = [each.text or "" for each in root.iter(f"{SPACE}text") if "title" in each.attrib["class"].split()]
    assert len(titles) == 2
    assert any(each.endswith(("(points)", "(%)", "(number)")) for each in titles)


def positions_in(root: Element) -> Iterator[tuple[float, float]]:
    """Yield the positions of rectangles, lines, texts and marks, and those on paths of lines."""
    for each in root.iter():
        if each.tag == f"{SPACE}rect" and "x" in each.attrib:
            x, y = float(each.attrib["x"]), float(each.attrib["y"])
            yield x, y
            yield x + float(each.attrib["width"]), y + float(each.attrib["height"])
            assert float(each.attrib["width"]) >= 0
            assert float(each.attrib["height"]) > 0
        elif each.tag == f"{SPACE}text" and "x" in each.attrib:
            x = float(each.attrib["x"])
            length = 6.2 * len(re.sub("[\u2068\u2069]", "", each.text or ""))
            is_end = "end" in each.attrib["class"].split()
            start = x - length if is_end else x - length / 2 if "middle" in each.attrib["class"] else x
            yield start, float(each.attrib["y"])
            yield start + length, float(each.attrib["y"])
        elif match := re.match(r"translate\(([\d.]+) ([\d.]+)\)", each.get("transform", "")):
            yield float(match[1]), float(match[2])


def test_a_file_has_its_style_and_a_page_has_none(app: Flask) -> None:
    for plot in PlotName:
        view = view_of(plot, 5, 3, 50)
        with a_page(app):
            file, page = render_svg_file(view), str(render_figure(view, PlotFilter()))
        assert file.count("<style>") == 1
        assert "var(" not in file
        assert "<a " not in file
        assert "<style" not in page
        assert " style=" not in page + file
        assert "onload" not in page
        drawn = page[page.index("<svg") : page.index("</svg>") + 6]
        classes = {each for names in re.findall(r'class="([^"]*)"', drawn) for each in names.split()}
        sheet = (Path(figures.__file__).parent / "templates" / "plot.css").read_text(encoding="utf-8")
        styled = set(re.findall(r"\.([a-z][\w-]*)", sheet))
        assert classes - styled <= {
            "name",
            "bars",
            "histogram",
            "matrix",
            *(f"k{number}" for number in range(MOST_SERIES)),
        }


def test_parts_link_to_hands_rounds_and_players(app: Flask) -> None:
    expected = {
        PlotName.STACKS: {f"/console/rounds/{A_ROUND}", *(f"/console/rounds/{A_ROUND}/hands/{n}" for n in range(1, 5))},
        PlotName.NET: {f"/console/rounds/{UUID(int=number)}" for number in range(5)},
        PlotName.SOURCES: {"/console/players/ann0", "/console/players/%3Cscript%3Ealert%281%29%3C%2Fscript%3E1"},
        PlotName.CAPS: {"/console/players/ann0", "/console/players/%3Cscript%3Ealert%281%29%3C%2Fscript%3E1"},
    }
    for plot, addresses in expected.items():
        with a_page(app):
            page = str(render_figure(view_of(plot, 5, 2, 50), PlotFilter()))
        drawn, beside = page[: page.index("</svg>")], page[page.rindex("</svg>") :]
        assert set(re.findall(r'<a href="([^"]*)" tabindex="-1">', drawn)) == addresses
        linked = set(re.findall(r'<a href="(/console/(?:rounds|players)[^"]*)"', beside))
        assert addresses <= linked, "the table has the same links, for keyboards"


def test_figures_of_a_page_have_ids_of_their_own(app: Flask) -> None:
    with a_page(app):
        both = str(render_figure(view_of(PlotName.NET, 3, 2, 9), PlotFilter()))
        both += str(render_figure(view_of(PlotName.SOURCES, 3, 2, 9), PlotFilter()))
    ids = re.findall(r' id="([^"]*)"', both)
    assert len(ids) == len(set(ids)) > 6


@pytest.mark.parametrize("frame", [WIDE, NARROW], ids=["wide", "narrow"])
def test_long_lines_are_thinned_out_and_keep_their_extremes(frame: Frame) -> None:
    view = view_of_all(PlotName.NET, MOST_PLACES, MOST_SERIES, 500)
    drawing = draw_lines(view, frame)
    heights = [tick.at for tick in drawing.y_ticks]
    for line, series in zip(drawing.lines, view.series, strict=True):
        points = line.path.count("V") + line.path.count("M")
        assert frame.most_points / 4 < points <= frame.most_points
        drawn = [float(y) for y in re.findall(r"V([\d.]+)", line.path)]
        numbers = [value for value in series.values if value is not None]
        # The axis is linear between its lowest and its highest tick, -600 and 600.
        assert [tick.label for tick in drawing.y_ticks][:1] == ["−600"]
        scale = (heights[0] - heights[-1]) / 1200
        assert max(drawn) == pytest.approx(heights[0] - (min(numbers) + 600) * scale, abs=0.11)
        assert min(drawn) == pytest.approx(heights[0] - (max(numbers) + 600) * scale, abs=0.11)
        assert -500 <= min(numbers) < max(numbers) <= 500


@pytest.mark.parametrize("frame", [WIDE, NARROW], ids=["wide", "narrow"])
def test_labels_of_lines_and_the_band_do_not_overlap(frame: Frame) -> None:
    drawing = draw_lines(view_of(PlotName.NET, 3, MOST_SERIES, 2), frame)
    places = sorted(label.y for label in drawing.labels)
    assert len(places) == MOST_SERIES + 1
    assert all(after - before >= 17.9 for before, after in pairwise(places))


def test_the_band_is_from_the_least_to_the_most_of_the_others() -> None:
    series = [PlotSeries("ann", [0, 10, 10], is_player=True)]
    others = PlotSeries("others", [None, 5, 0], lows=[None, -5, -10], highs=[None, 5, 0])
    places = [PlotPlace(round=A_ROUND, opened_at=START)] * 3
    drawing = draw_lines(PlotView(PlotName.NET, places, series, CLUB, omitted=2, others=others), WIDE)
    height = {tick.label: tick.at for tick in drawing.y_ticks}
    last = drawing.labels[-1]
    assert last.text == "2 others"
    assert last.start[1] == pytest.approx(height["−5"])
    x = [float(each) for each in re.findall(r"[MH]([\d.]+)", drawing.band)]
    y = [float(each) for each in re.findall(r"[V ]([\d.]+)", drawing.band)]
    assert len(set(x)) == 2
    assert (min(y), max(y)) == (height["5"], height["−10"])


def test_the_wanted_line_is_in_color_or_the_one_with_the_most_at_the_end(app: Flask) -> None:
    series = [PlotSeries(player, [0, end], is_player=True) for player, end in (("ann", 5), ("bob", 40), ("cyd", -45))]
    places = [PlotPlace(round=A_ROUND, hand=number, opened_at=START) for number in range(2)]
    view = PlotView(PlotName.STACKS, places, series, CLUB, is_one_round=True, names={"bob": "Bob Ray"})
    for shown, player, name in ((view, "bob", "Bob Ray"), (replace(view, highlight="cyd"), "cyd", "cyd")):
        with a_page(app):
            page, file = str(render_figure(shown, PlotFilter())), render_svg_file(shown)
        assert re.findall(r'value="([^"]*)" checked', page) == [player]
        assert file.count('<g class="chosen">') == 1
        [picked] = re.findall(r'<text class="name picked"[^>]*>\u2068(.*?)\u2069', file)
        assert picked == name
        assert re.findall(r'class="pick(\d)"', page) == ["0", "1", "2"]


def test_the_table_of_a_page_has_at_most_100_rows(app: Flask) -> None:
    with a_page(app):
        page = str(render_figure(view_of_all(PlotName.NET, 500, 2, 50), PlotFilter()))
    assert page.count("<tr>") == 101
    assert "The first 100 of 500 rows. The CSV file has all." in page


def test_the_last_bar_is_that_of_the_others(app: Flask) -> None:
    view = with_others(view_of_all(PlotName.SOURCES, 1, MOST_BARS + 1, 50), 50)
    with a_page(app):
        page = str(render_figure(view, PlotFilter()))
    wide = page[: page.index("</svg>")]
    assert wide.count('<rect class="area"') == MOST_BARS + 1
    assert re.findall(r'<text class="name end"[^>]*>([^<]*)</text>', wide)[-1] == "12 others"
    assert "12 players with fewer hands: added up. The CSV file has all." in page


def test_parts_of_bars_have_patterns_as_well_as_colours(app: Flask) -> None:
    with a_page(app):
        written = render_svg_file(view_of(PlotName.SOURCES, 1, 3, 50))
    looks = re.findall(r'class="bar (c\d)"[^>]*/>(?:<rect[^>]*fill="url\(#plot-(p\d)\)"/>)?', written)
    assert len(set(looks[: len(SOURCES)])) == len({pattern for _, pattern in looks[: len(SOURCES)]}) == len(SOURCES)
    assert SOURCES[:4] == PointSources._fields


@given(st.integers(-HUGE, HUGE), st.integers(-HUGE, HUGE), st.integers(3, 9))
def test_ticks_are_round_numbers_that_enclose_the_values(one: int, other: int, most: int) -> None:
    low, high = sorted((one, other))
    ticks = find_ticks(low, high, most)
    assert ticks[0] <= low <= high <= ticks[-1]
    assert 2 <= len(ticks) <= most + 3
    [step] = {after - before for before, after in pairwise(ticks)}
    assert re.fullmatch("(1|2|5)0*", str(step))
    assert all(isinstance(tick, int) and tick % step == 0 for tick in ticks)


@given(st.floats(0.0001, 1))
def test_ticks_of_rates_enclose_them(high: float) -> None:
    ticks = find_ticks(0, high, whole=False)
    assert ticks[0] == 0
    assert ticks[-1] >= high - 1e-9
    assert len(ticks) <= 9


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=4000), st.integers(8, 500))
def test_thinning_keeps_the_ends_and_the_extremes(values: list[int], most: int) -> None:
    points = [(float(index), value) for index, value in enumerate(values)]
    thinned = thin_out(points, most)
    assert len(thinned) <= max(most, 4)
    assert (thinned[0], thinned[-1]) == (points[0], points[-1])
    assert thinned == sorted(set(thinned))
    assert set(thinned) <= set(points)
    assert (min(y for _, y in thinned), max(y for _, y in thinned)) == (min(values), max(values))


@given(st.lists(st.floats(0, 300), min_size=1, max_size=16))
def test_spread_labels_keep_their_distance_and_stay_inside(positions: list[float]) -> None:
    placed = spread(positions, 18, 0, 300)
    order = sorted(placed)
    assert all(after - before >= 17.999 for before, after in pairwise(order))
    assert order[0] >= -0.001
    assert order[-1] <= 300.001


@given(st.integers(-HUGE, HUGE))
def test_short_numbers_have_at_most_five_characters(value: int) -> None:
    assert len(show_short(value)) <= 5
    assert (show_short(value)[0] == "−") == (value < 0)
