"""The page with plots of what was played."""

import re
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from flask import Response, request, url_for
from markupsafe import Markup
from marshmallow import ValidationError

from schemas.base import WireError, find_mistakes, load, show
from schemas.clubs import ClubView
from schemas.fields import DateField, show_time
from schemas.statistics.plots import PlotName, PlotQuerySchema, PlotView, dump_plot
from scoring.errors import Mistake
from service.clubs.actions import get_club
from service.clubs.scopes import KeyScope
from service.console.views.exports import JSON, attach, wants_raw
from service.console.views.pages import as_sentence, console, console_page, render
from service.console.views.session import console_state
from service.http.authentication import current_transaction
from service.http.responses import CSV, encode_json
from service.plots.actions import find_newest_evening, get_plot
from service.plots.queries import PlotFilter
from service.plots.views.figures import SVG, render_figure, respond_file
from service.plots.views.words import TITLES
from service.tables.actions import list_tables
from service.tables.queries import list_names

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_QUERY: Final = PlotQuerySchema()
_FIELDS: Final = ("round", "table", "player", "highlight", "evening", "from", "to")
_FILES: Final = ("svg", "csv", "json")
_READ_DAY: Final = DateField()
_MOST_TABLES: Final = 1000


@console.get("/plots")
@console_page(KeyScope.READ)
def show_plots() -> Response | tuple[str, int] | str:
    """
    Render a plot with its filter, or send it as a file.

    Without a filter, the page shows the newest evening with a round. A day in `from` and `to` is an evening of the
    club; both are included.
    """
    transaction = current_transaction()
    club = get_club(transaction)
    fields = {name: value for name in _FIELDS if (value := request.args.get(name, "").strip())}
    name = request.args.get("plot", PlotName.NET.value)
    if not fields.keys() - {"highlight"}:
        newest = find_newest_evening(transaction, club)
        fields |= {} if newest is None else {"evening": newest.isoformat()}
    try:
        if name not in set(PlotName):
            raise _unknown_plot(name)
        filter_ = PlotFilter(**_filter_of(fields, club), has_all_players=request.args.get("format") == "csv")
        view = get_plot(transaction, club, PlotName(name), filter_)
    except WireError as error:
        console_state().refusal = as_sentence(error)
        return _render_page(name, fields, None), 422
    form = request.args.get("format")
    if form in _FILES:
        return _send_file(form, PlotName(name), view)
    return _render_page(name, fields, render_figure(view, filter_), view)


def _filter_of(fields: dict[str, str], club: ClubView) -> dict[str, Any]:
    """Return the filter of a query; how its file is written is not part of it."""
    query = load(_QUERY, _with_times(fields, club))
    del query["raw"]
    return club.period(query)


def _unknown_plot(name: str) -> WireError:
    detail = f"is {show(name)}; expected one of {', '.join(PlotName)}"
    return WireError((Mistake("not-a-choice", ("query", "plot"), detail),))


def _with_times(fields: dict[str, str], club: ClubView) -> dict[str, str]:
    """Return the query with the days in `from` and `to` as times: the start of the one, and the end of the other."""
    times = dict(fields)
    for name, index in (("from", 0), ("to", 1)):
        if _DAY.fullmatch(fields.get(name, "")):
            try:
                day = _READ_DAY.deserialize(fields[name])
            except ValidationError as error:
                raise WireError(tuple(each.under(name) for each in find_mistakes(error))) from error
            times[name] = str(show_time(club.evening(day)[index]))
    return times


def _send_file(form: str, plot: PlotName, view: PlotView) -> Response:
    if form == "json":
        response = Response(encode_json(dump_plot(view)) + b"\n", content_type=JSON)
    else:
        response = respond_file(view, CSV if form == "csv" else SVG, raw=wants_raw())
        # The headers of the console would replace a policy for the file, which is an attachment and is not shown.
        response.headers.pop("Content-Security-Policy", None)
    return attach(response, plot.value, form)


def _find_statement(fields: dict[str, str]) -> str | None:
    """Return the address of the statement of the same rounds; None if they are one round, or not whole evenings."""
    days = [fields[name] for name in ("from", "to") if name in fields]
    if "round" in fields or not all(map(_DAY.fullmatch, days)):
        return None
    query: dict[str, str] = {name: fields[name] for name in ("table", "player", "from", "to") if name in fields}
    if not days:
        query["period"] = "all"
    return f"{url_for('console.show_club_statement')}?{urlencode(query)}"


def _render_page(name: str, fields: dict[str, str], drawing: Markup | None, view: PlotView | None = None) -> str:
    tables = list_tables(current_transaction(), name=None, after=None, limit=_MOST_TABLES).items
    names = {table.id: table.name for table in tables}
    if drawing is not None and "table" in fields and fields["table"] not in names:
        chosen_table = list_names(current_transaction(), [UUID(fields["table"])])
        names |= {str(table_id): name for table_id, name in chosen_table.items()}
    if view is not None and view.plot is PlotName.STACKS and not view.is_one_round and view.opened_from is not None:
        # The plot has chosen the evening and the table.
        fields = fields | {"evening": view.club.evening_of(view.opened_from).isoformat()}
        fields["table"] = next((table for table, name in names.items() if name == view.table_name), "")
    if "evening" in fields:
        fields = fields | {"from": fields["evening"], "to": fields["evening"]}
    return render(
        "plots.html",
        drawing=drawing,
        statement=None if drawing is None else _find_statement(fields),
        chosen=name,
        fields=fields,
        plots=[(plot.value, TITLES[plot]) for plot in PlotName],
        tables=[("", "All tables"), *sorted(names.items(), key=lambda table: table[1])],
    )
