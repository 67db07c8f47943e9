"""The list of disputes, and the button that takes the next one."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.disputes import DisputeState
from schemas.fields import Choice, Text, show_time
from schemas.money import show_decimal
from schemas.pages import CursorField, QueryBoolean, QuerySchema, show_cursor
from schemas.settlements import SettlementState
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_query
from service.console.views.exports import Column, send_list, wanted_form
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import console_state
from service.disputes.actions.cases import CaseView, iterate_cases, list_cases, take_next_dispute
from service.disputes.queries import cases
from service.disputes.queries.cases import DECIDED, CaseFilter, CaseOrder, StoredCase
from service.http.authentication import current_key, current_transaction
from service.http.formats import format_duration
from service.players.actions import list_names

PAGE_SIZE: Final = 50
_EXAMINED: Final = 100
"""The number of disputes that are examined for a page of those of unusual rounds."""

TABS: Final[Mapping[str, tuple[str, Sequence[DisputeState]]]] = {
    "open": ("Open", (DisputeState.OPEN,)),
    "review": ("In review", (DisputeState.UNDER_REVIEW,)),
    "decided": ("Decided", DECIDED),
}
ORDERS: Final = {
    CaseOrder.OLDEST: "Oldest first",
    CaseOrder.NEWEST: "Newest first",
    CaseOrder.WINDOW: "Least window left first",
    CaseOrder.POINTS: "Most points at stake first",
    CaseOrder.MONEY: "Most money at stake first",
}
ANOMALIES: Final = {
    "corrected-after-final": "Corrected after final",
    "irregular-hands": "Hands accepted as played",
    "unconfirmed": "Few confirmations",
    "foul-rate": "Many fouls",
    "points-lost-to-caps": "Points lost to caps",
}
"""What is unusual about a round, in a few words."""


class DisputeListQuerySchema(QuerySchema):
    """What the list of disputes shows."""

    tab = Choice({tab: tab for tab in TABS}, load_default="open")
    table = Text()
    player = Text()
    reviewer = Text()
    unusual = QueryBoolean()
    sort = Choice({order.value: order for order in CaseOrder})
    taken = Choice({"none": "none"})
    cursor = CursorField()
    format = Choice({"csv": "csv", "json": "json"})


def window_of(case: StoredCase) -> str:
    """Return how long the settlement of a disputed round can still be corrected without an adjustment."""
    if case.window_left is None:
        return "Round open" if case.settlement_state is SettlementState.OPEN else "Final"
    if case.settlement_state is SettlementState.PROVISIONAL:
        return f"{format_duration(case.window_left)} left"
    return f"Paused; {format_duration(case.window_left)} after the decision"


def _label_tab(tab: str, counted: Mapping[DisputeState, int]) -> str:
    label, states = TABS[tab]
    return label if tab == "decided" else f"{label} ({sum(counted[state] for state in states)})"


def _describe_empty(query: Mapping[str, Any]) -> str:
    if any(query[name] for name in ("table", "player", "reviewer", "unusual", "cursor")):
        return "No dispute matches the filter."
    return {
        "open": "No dispute is open. Players open disputes on the pages of their links, and keys over the API.",
        "review": "No dispute is in review.",
        "decided": "No dispute has been decided.",
    }[str(query["tab"])]


def _players(view: CaseView) -> str:
    return ", ".join(player for _, player in sorted(view.case.players.items()))


def _money(view: CaseView) -> str | None:
    case = view.case
    return None if case.money is None or case.currency is None else show_decimal(case.money, case.currency)


COLUMNS: Final[Sequence[Column[CaseView]]] = (
    Column("dispute", lambda view: str(view.id)),
    Column("opened_at", lambda view: show_time(view.case.opened_at)),
    Column("state", lambda view: view.case.state.value),
    Column("table", lambda view: view.case.table),
    Column("round", lambda view: str(view.case.round_id)),
    Column("reference", lambda view: view.case.reference),
    Column("hand", lambda view: view.case.hand),
    Column("seat", lambda view: view.case.seat),
    Column("row", lambda view: view.case.board_row),
    Column("by", lambda view: view.case.author),
    Column("claim", lambda view: view.case.claim),
    Column("players", _players),
    Column("points", lambda view: view.case.points),
    Column("money", _money),
    Column("currency", lambda view: view.case.currency),
    Column("settlement_state", lambda view: view.case.settlement_state.value),
    Column("provisional_until", lambda view: show_time(view.case.provisional_until)),
    Column("unusual", lambda view: ", ".join(each.code for each in view.unusual)),
    Column("reviewer", lambda view: view.case.reviewer),
    Column("ended_by", lambda view: view.case.ended_by),
    Column("ended_at", lambda view: show_time(view.case.ended_at)),
)
"""The columns of the list as a file."""


def _render_list() -> str | Response:
    console_state().page_path = url_for("console.list_disputes")
    query = read_query(DisputeListQuerySchema())
    label, states = TABS[query["tab"]]
    wanted = CaseFilter(states, query["table"], query["player"], query["reviewer"])
    order = query["sort"] or (CaseOrder.NEWEST if query["tab"] == "decided" else CaseOrder.OLDEST)
    transaction = current_transaction()
    form, only_unusual = wanted_form(), bool(query["unusual"])
    if form is not None:
        found = iterate_cases(transaction, wanted, order)
        rows = (view for view in found if view.unusual or not only_unusual)
        return send_list(f"disputes-{query['tab']}", form, COLUMNS, rows)
    read = _EXAMINED if only_unusual else PAGE_SIZE
    page = list_cases(transaction, wanted, order, after=query["cursor"], limit=read)
    counted = cases.count_by_state(transaction, (DisputeState.OPEN, DisputeState.UNDER_REVIEW))
    return render(
        "disputes.html",
        label=label,
        tabs_shown=[(_label_tab(tab, counted), tab) for tab in TABS],
        scopes=KeyScope,
        empty=_describe_empty(query),
        query=query,
        order=order,
        orders=[(each.value, text) for each, text in ORDERS.items()],
        views=[view for view in page.items if view.unusual or not only_unusual],
        examined=len(page.items) if only_unusual else None,
        next_cursor=page.next_after and show_cursor(page.next_after),
        now=transaction.now,
        window_of=window_of,
        display_names=list_names(transaction, [player for view in page.items for player in view.case.players.values()]),
        nothing_taken=query["taken"] == "none" and query["cursor"] is None,
        anomalies=ANOMALIES,
    )


@console.get("/disputes")
@console_page(KeyScope.READ)
def list_disputes() -> str | Response:
    """Render the list of disputes, or send it as a file."""
    return _render_list()


@console.post("/disputes/next")
@console_form(KeyScope.DISPUTES, _render_list)
def take_next() -> BaseResponse:
    """Take the oldest open dispute into review, and open it. If there is none, the list says so."""
    taken = take_next_dispute(current_transaction(), current_key().name)
    if taken is None:
        return redirect(url_for("console.list_disputes", taken="none"), HTTPStatus.SEE_OTHER)
    return redirect(url_for("console.show_dispute", dispute_id=taken), HTTPStatus.SEE_OTHER)
