"""Plots as SVG: well-formed, within their frame, readable with any figures, and without inline styles in pages."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
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
from schemas.statistics.plots import MOST_SERIES, PlotName, PlotPlace, PlotSeries, PlotView
from scoring.sources import PointSources
from service.app import create_app
from service.config import Config
from service.http.request_state import RequestState, begin_request
from service.plots.actions import CAPS, SOURCES
from service.plots.queries import PlotFilter
from service.plots.views import figures
from service.plots.views.bars import MOST_BARS
from service.plots.views.figures import render_figure, render_svg_file
from service.plots.views.lines import draw_lines
from service.plots.views.scales import MOST_POINTS, find_ticks, show_short, spread, thin_out

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
    """Return a plot of any figures: so many places and players, with values up to `size` and gaps."""
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


SHAPES = [(1, 1, 1), (2, 2, 3), (13, 3, 120), (40, MOST_SERIES, 10**6), (13, 3, HUGE), (5000, MOST_SERIES, 500)]


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
        written = render_svg_file(view)
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
    assert len(written) < 1_500_000


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
        assert classes - styled <= {"d0", "name", "figures-wide"}


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
        drawn, beside = page[: page.index("</svg>")], page[page.index("</svg>") :]
        assert set(re.findall(r'<a href="([^"]*)" tabindex="-1">', drawn)) == addresses
        linked = set(re.findall(r'<a href="(/console/(?:rounds|players)[^"]*)"', beside))
        assert addresses <= linked, "the table has the same links, for keyboards"


def test_figures_of_a_page_have_ids_of_their_own(app: Flask) -> None:
    with a_page(app):
        both = str(render_figure(view_of(PlotName.NET, 3, 2, 9), PlotFilter()))
        both += str(render_figure(view_of(PlotName.SOURCES, 3, 2, 9), PlotFilter()))
    ids = re.findall(r' id="([^"]*)"', both)
    assert len(ids) == len(set(ids)) > 6


def test_long_lines_are_thinned_out_and_keep_their_extremes() -> None:
    view = view_of(PlotName.NET, 5000, MOST_SERIES, 500)
    drawing = draw_lines(view)
    heights = [tick.at for tick in drawing.y_ticks]
    for line, series in zip(drawing.lines, view.series, strict=True):
        points = line.path.count("V") + line.path.count("M")
        assert MOST_POINTS / 4 < points <= MOST_POINTS
        drawn = [float(y) for y in re.findall(r"V([\d.]+)", line.path)]
        numbers = [value for value in series.values if value is not None]
        low, high = -500, 500
        # The axis is linear between its lowest and its highest tick, -600 and 600.
        assert [tick.label for tick in drawing.y_ticks][:1] == ["−600"]
        scale = (heights[0] - heights[-1]) / 1200
        assert max(drawn) == pytest.approx(heights[0] - (min(numbers) + 600) * scale, abs=0.11)
        assert min(drawn) == pytest.approx(heights[0] - (max(numbers) + 600) * scale, abs=0.11)
        assert low <= min(numbers) < max(numbers) <= high


def test_labels_of_many_lines_do_not_overlap() -> None:
    drawing = draw_lines(view_of(PlotName.NET, 3, MOST_SERIES, 2))
    places = sorted(line.label_y for line in drawing.lines)
    assert all(after - before >= 17.9 for before, after in pairwise(places))


def test_the_table_of_a_page_has_at_most_500_rows(app: Flask) -> None:
    with a_page(app):
        page = str(render_figure(view_of(PlotName.NET, 5000, 2, 50), PlotFilter()))
    assert page.count("<tr>") == 501
    assert "The first 500 of 5,000 rows. The CSV file has all." in page


def test_bars_of_many_players_are_the_first(app: Flask) -> None:
    with a_page(app):
        page = str(render_figure(view_of(PlotName.SOURCES, 1, 70, 50), PlotFilter()))
    assert page.count('<rect class="area"') == MOST_BARS
    assert f"The first {MOST_BARS} of 70 players" in page


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
