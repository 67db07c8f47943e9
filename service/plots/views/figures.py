"""Plots as figures of a page, and as SVG files."""

import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from flask import Response, render_template, url_for
from markupsafe import Markup

from schemas.fields import show_time
from schemas.statistics.plots import PlotName, PlotView, dump_plot_rows, list_columns, list_rows
from service.clubs.actions import get_club
from service.http.authentication import current_transaction
from service.http.request_state import current_request
from service.http.responses import CSV
from service.plots.actions import get_plot
from service.plots.queries import PlotFilter
from service.plots.views.bars import draw_bars, draw_histogram, draw_matrix
from service.plots.views.drawings import NARROW, WIDE, Drawing, Frame
from service.plots.views.lines import draw_lines
from service.plots.views.scales import show_number, show_percent
from service.plots.views.words import (
    LABELS,
    NOTES,
    address_of_hand,
    address_of_player,
    chosen_line_of,
    count_others,
    describe,
    player_name,
    show_last,
    tell_others,
    title_of,
)

SVG: Final = "image/svg+xml"
_MOST_ROWS: Final = 100
_VARIABLE: Final = re.compile(r"var\(--[\w-]+, ([^()]*)\)")
_COMMENT: Final = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
_STYLE: Final = _COMMENT.sub(
    "", _VARIABLE.sub(r"\1", (Path(__file__).parent / "templates" / "plot.css").read_text(encoding="utf-8"))
)
"""The style of SVG files, without variables, which some programs that show them do not know."""
_STYLE_HASH: Final = b64encode(sha256(_STYLE.encode()).digest()).decode()
_STYLED: Final = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'",
}
_DRAWERS: Final[dict[PlotName, Callable[[PlotView, Frame], Drawing]]] = {
    PlotName.STACKS: draw_lines,
    PlotName.NET: draw_lines,
    PlotName.SOURCES: draw_bars,
    PlotName.HEAD_TO_HEAD: draw_matrix,
    PlotName.CAPS: draw_bars,
    PlotName.FOULS: draw_lines,
    PlotName.DISTRIBUTION: draw_histogram,
}


def show_plot(plot: PlotName | str, **attributes: Any) -> Markup:
    """
    Return a plot as a figure of a page, with its table and the addresses of its files.

    Templates of the console call it as `plot`, with the attributes of `PlotFilter`:

        {{ plot("stacks", round_id=round.id) }}
        {{ plot("net", player="ann", opened_from=begin, opened_before=end) }}
        {{ plot("head-to-head", table_id=table.id) }}

    The transaction of the request reads the figures. `/console/plots` shows the same plot, with the query parameters
    `plot`, `round`, `table`, `player`, `highlight`, `from` and `to`.

    Raises:
        NotFound: the round or the table does not exist.
        WireError: the plot needs a filter that matches fewer hands.
    """
    chosen, transaction = PlotFilter(**attributes), current_transaction()
    return render_figure(get_plot(transaction, get_club(transaction), PlotName(plot), chosen), chosen)


def render_figure(view: PlotView, filter_: PlotFilter) -> Markup:
    """Render a plot as a figure of a page."""
    state = current_request()
    state.plots += 1
    query: dict[str, Any] = {
        "plot": view.plot.value,
        "round": filter_.round_id,
        "table": filter_.table_id,
        "player": filter_.player,
        "highlight": filter_.highlight,
        "from": show_time(filter_.opened_from),
        "to": show_time(filter_.opened_before),
    }
    name, count = f"plot-{state.plots}", len(view.places)
    return Markup(
        render_template(
            "plots/figure.html",
            id=name,
            title=title_of(view),
            note=_note_of(view),
            choices=_list_choices(view),
            wide=Markup(_render_svg(view, name, WIDE, is_page=True)),
            narrow=Markup(_render_svg(view, f"{name}-narrow", NARROW, is_page=True)),
            is_empty=view.is_empty,
            columns=_columns_of(view),
            rows=[_cells_of(view, row) for row in islice(list_rows(view), _MOST_ROWS)],
            more_rows=max(0, count - _MOST_ROWS),
            all_rows=count,
            address_of=lambda form: url_for("console.show_plots", **query, format=form),
        )
    )


def _note_of(view: PlotView) -> str:
    notes = [NOTES[view.plot]]
    if view.omitted:
        notes.append(f"{tell_others(view)} The CSV file has all.")
    return " ".join(filter(None, notes))


@dataclass(frozen=True, slots=True)
class Choice:
    """A line that a reader of a page can have in color."""

    player: str
    name: str
    last: str
    is_chosen: bool


def _list_choices(view: PlotView) -> list[Choice]:
    """List the lines of players, if there is more than one."""
    if view.is_empty or not _has_choice(view):
        return []
    chosen = chosen_line_of(view)
    return [
        Choice(each.name, player_name(view, each.name), show_last(view, each), number == chosen)
        for number, each in enumerate(view.series)
    ]


def _has_choice(view: PlotView) -> bool:
    return _DRAWERS[view.plot] is draw_lines and len(view.series) > 1


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of a table: its kind, the value, the text that is shown, and the page that it links to."""

    kind: str
    value: object
    text: str
    address: str | None = None


def _columns_of(view: PlotView) -> list[tuple[str, bool]]:
    """List the headers of a table, and whether each is over numbers."""
    columns = list_columns(view)
    is_text = ("player", "round", "opened_at", "first", "last")
    return [
        (
            player_name(view, column.name) if column.is_player else LABELS[column.name],
            not (column.place and column.name in is_text),
        )
        for column in columns
    ]


def _cells_of(view: PlotView, row: list[Any]) -> list[ShownCell]:
    columns = list_columns(view)
    named = {column.name: value for column, value in zip(columns, row, strict=True) if column.place}
    return [
        _show_cell(view, column.name if column.place else "", value, named)
        for column, value in zip(columns, row, strict=True)
    ]


def _show_cell(view: PlotView, name: str, value: Any, row: dict[str, Any]) -> ShownCell:
    if value is None:
        return ShownCell("text", "", count_others(view)) if name == "player" else ShownCell("none", "", "")
    if isinstance(value, UUID):
        return ShownCell("text", value, f"…{str(value)[-6:]}", address_of_hand(value, None))
    if isinstance(value, datetime):
        local = value.astimezone(view.zone)
        return ShownCell("time", show_time(value), f"{local:%Y-%m-%d %H:%M}")
    if isinstance(value, date):
        return ShownCell("time", value.isoformat(), value.isoformat())
    if name == "player":
        return ShownCell("text", value, player_name(view, value), address_of_player(value))
    if isinstance(value, float):
        return ShownCell("number", f"{value:.4f}", show_percent(value))
    address = address_of_hand(row["round"], value) if name == "hand" else None
    return ShownCell("number", value, show_number(value), address)


def render_svg_file(view: PlotView) -> str:
    """Render a plot as an SVG file, which contains its style and no links."""
    return _render_svg(view, "plot", WIDE, is_page=False)


def _render_svg(view: PlotView, name: str, frame: Frame, *, is_page: bool) -> str:
    """Render a drawing, for a page with links and the choice of a line, or for a file with its style."""
    empty = Drawing("empty", 120, width=frame.width)
    return render_template(
        "plots/plot.svg",
        id=name,
        drawing=empty if view.is_empty else _DRAWERS[view.plot](view, frame),
        title=title_of(view),
        description=describe(view),
        has_links=is_page,
        is_choice=is_page and _has_choice(view),
        style=None if is_page else Markup(_STYLE),
    )


def respond_file(view: PlotView, form: str, *, raw: bool | None) -> Response:
    """Return a plot as a file, in the media type `form`: SVG or CSV, whose texts may be raw."""
    if form == CSV:
        return Response(dump_plot_rows(view, raw=raw), content_type=f"{CSV}; charset=utf-8; header=present")
    # A browser that shows the file applies its style only if the policy of the response names it.
    return Response(render_svg_file(view), headers=_STYLED, content_type=f"{SVG}; charset=utf-8")
