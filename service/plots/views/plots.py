"""Plots over HTTP."""

from typing import Any, Final

from flask import Response

from schemas.statistics.plots import PlotName, PlotQuerySchema, PlotSchema, dump_plot
from service.clubs.actions import get_club
from service.clubs.scopes import KeyScope
from service.errors import NotFound
from service.http.authentication import current_transaction
from service.http.resource import JSON, Resource
from service.http.responses import CSV, best_media_type, json_response
from service.plots.actions import get_plot
from service.plots.queries import PlotFilter
from service.plots.views.figures import SVG, respond_file

FORMS: Final = (JSON, SVG, CSV)
_VARY: Final = {"Vary": "Accept"}
_TEXT: Final = {"type": "string"}
_NAME: Final[list[dict[str, Any]]] = [
    {
        "in": "path",
        "name": "plot",
        "required": True,
        "schema": {"type": "string", "enum": [name.value for name in PlotName]},
        "description": "Name of the plot: the stacks after each hand (`stacks`), points won over time (`net`), points"
        " by source (`sources`), points between each two players (`head-to-head`), points due and paid (`caps`), the"
        " rate of foul boards (`fouls`), or how often each number of points was won in a hand (`distribution`).",
    }
]

plots = Resource("plots", __name__, description="Plots of what was played.", template_folder="templates")


@plots.route("/v1/plots/<string:plot>", methods=["GET"], parameters=_NAME)
@plots.operation("get_plot", KeyScope.READ, forms=FORMS)
@plots.arguments(PlotQuerySchema, location="query")
@plots.response(200, PlotSchema)
@plots.alt_response(200, schema=_TEXT, content_type=SVG)
@plots.alt_response(200, schema=_TEXT, content_type=CSV)
def show_one_plot(query: dict[str, Any], plot: str) -> Response:
    """
    Return a plot as SVG, or its figures as CSV or JSON, as the header `Accept` requests.

    The figures are those of the revisions in force, so they follow corrections. Hands of open rounds count. The unit is
    points; amounts of money are in the ledger and in statements. The plot `stacks` is of a round, or of the newest
    evening that the filter matches, at the table of its last round. The places of `net` are rounds; if there are more
    than 400, evenings or longer periods. SVG and JSON have a line for the 8 players with the most hands, and the others
    as a band; a row and a column for 8, or a bar for 30, and the sum of the others. CSV has all players.
    """
    if plot not in set(PlotName):
        raise NotFound(f"there is no plot {plot[:60]!r}; expected one of {', '.join(PlotName)}")
    transaction, raw = current_transaction(), query.pop("raw")
    club = get_club(transaction)
    form = best_media_type(FORMS)
    filter_ = PlotFilter(**club.period(query), has_all_players=form == CSV)
    view = get_plot(transaction, club, PlotName(plot), filter_)
    if form not in (SVG, CSV):
        return json_response(dump_plot(view), headers=_VARY)
    response = respond_file(view, form, raw=raw)
    response.headers.update(_VARY)
    return response
