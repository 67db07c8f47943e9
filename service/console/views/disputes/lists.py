"""The list of disputes, and the button that takes the next one."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.disputes import DisputeState
from schemas.fields import Choice, Text
from schemas.money import show_decimal
from schemas.pages import QueryBoolean
from schemas.settlements import SettlementState
from service.clubs.scopes import KeyScope
from service.console.views.addresses import address_with, read_query
from service.console.views.exports import Column
from service.console.views.listing import NAME, Filter, Listing, Order, Part, Query, show_list
from service.console.views.navigation.finding import PLAYER, TABLE
from service.console.views.pages import console, console_form, console_page
from service.console.views.session import console_state
from service.db import Transaction
from service.disputes.actions.cases import CaseView, count_cases, list_cases, take_next_dispute
from service.disputes.queries import cases
from service.disputes.queries.cases import DECIDED, CaseFilter, CaseOrder, StoredCase
from service.http.authentication import current_key, current_transaction
from service.http.formats import format_duration

_EXAMINED: Final = 100
"""The number of disputes that are examined for a page of those of unusual rounds."""

TABS: Final[Mapping[str, tuple[str, Sequence[DisputeState]]]] = {
    "open": ("Open", (DisputeState.OPEN,)),
    "review": ("In review", (DisputeState.UNDER_REVIEW,)),
    "decided": ("Decided", DECIDED),
}
ORDERS: Final = {
    order: Order(order.value, *words)
    for order, words in {
        CaseOrder.OLDEST: ("Oldest first", "opened_at", True),
        CaseOrder.NEWEST: ("Newest first", "opened_at", False),
        CaseOrder.WINDOW: ("Least window left first", "provisional_until", False),
        CaseOrder.POINTS: ("Most points at stake first", "points", True),
        CaseOrder.MONEY: ("Most money at stake first", "points", True),
    }.items()
}
"""The orders of a list. The column of the time shows the age, which is largest for the oldest."""
ANOMALIES: Final = {
    "corrected-after-final": "Corrected after final",
    "irregular-hands": "Hands accepted as played",
    "unconfirmed": "Few confirmations",
    "foul-rate": "Many fouls",
    "points-lost-to-caps": "Points lost to caps",
}
"""What is unusual about a round, in a few words."""


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


def _players(view: CaseView) -> str:
    return ", ".join(player for _, player in sorted(view.case.players.items()))


def _money(view: CaseView) -> str | None:
    case = view.case
    return None if case.money is None or case.unit is None else show_decimal(case.money, case.unit)


def _filter(query: Query) -> CaseFilter:
    return CaseFilter(TABS[query["tab"]][1], query["table"], query["player"], query.get("reviewer"))


def _count_disputes(transaction: Transaction, query: Query, limit: int) -> int | None:
    """Count the disputes; what is unusual is found when disputes are examined."""
    return None if query["unusual"] else count_cases(transaction, _filter(query), limit)


def _read_disputes(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Part[CaseView]:
    only_unusual = bool(query["unusual"])
    page = list_cases(
        transaction,
        _filter(query),
        CaseOrder(query["sort"]),
        after=after,
        limit=max(limit, _EXAMINED) if only_unusual else limit,
    )
    if not only_unusual:
        return Part(page.items, page.next_after)
    shown, examined = [view for view in page.items if view.unusual], len(page.items)
    note = f"{len(shown)} of unusual rounds among {examined} examined {'dispute' if examined == 1 else 'disputes'}"
    return Part(shown, page.next_after, f"{note}{'; the next page examines others' if page.next_after else ''}.")


def _orders(tab: str) -> Sequence[Order]:
    """Return the orders of a tab, the default one first: of those that wait, the oldest."""
    first = CaseOrder.NEWEST if tab == "decided" else CaseOrder.OLDEST
    return [ORDERS[first], *(order for each, order in ORDERS.items() if each is not first)]


def _columns(tab: str) -> tuple[Column[CaseView], ...]:
    is_decided = tab == "decided"
    return (
        Column("dispute", lambda view: view.id, "Dispute", "dispute_about", is_header=True),
        Column("opened_at", lambda view: view.case.opened_at, "Age", "dispute_age"),
        Column("state", lambda view: view.case.state),
        Column("table", lambda view: view.case.table),
        Column("round", lambda view: view.case.round_id),
        Column("reference", lambda view: view.case.reference),
        Column("hand", lambda view: view.case.hand),
        Column("seat", lambda view: view.case.seat),
        Column("row", lambda view: view.case.board_row),
        Column("by", lambda view: view.case.author),
        Column("claim", lambda view: view.case.claim),
        Column("settlement_state", lambda view: view.case.settlement_state),
        Column("provisional_until", lambda view: view.case.provisional_until, "Window left", "dispute_window"),
        Column("points", lambda view: view.case.points, "At stake", "dispute_stake", style="figure"),
        Column("money", _money, is_decimal=True),
        Column("unit", lambda view: view.case.unit and view.case.unit.code),
        Column("players", _players, "Players", "dispute_players"),
        Column("unusual", lambda view: ", ".join(each.code for each in view.unusual), "Unusual", "dispute_unusual"),
        Column("reviewer", _reviewer, None if is_decided else "Reviewer", empty="Nobody"),
        Column("ended_by", lambda view: view.case.ended_by, "Decided" if is_decided else None, "dispute_decision"),
        Column("ended_at", lambda view: view.case.ended_at),
    )


def _reviewer(view: CaseView) -> str | None:
    """Return who reviews, or that their name was erased."""
    return view.case.reviewer or ("erased" if view.case.has_reviewer else None)


def _filters(tab: str) -> tuple[Filter, ...]:
    return (
        Filter("tab", Choice({each: each for each in TABS}, load_default="open"), "Tab", kind="hidden"),
        Filter("taken", Choice({"none": "none"}), kind="hidden"),
        Filter("table", label="Table", attributes=NAME, finder=TABLE),
        Filter("player", label="Player", attributes=NAME, finder=PLAYER),
        Filter("reviewer", Text(), None if tab == "open" else "Reviewer", attributes=NAME),
        Filter("unusual", QueryBoolean(), "Show", (("", "All disputes"), ("true", "Of unusual rounds only"))),
    )


_NONE: Final = {
    "open": "No dispute is open. Players open disputes on the pages of their links, and keys over the API.",
    "review": "No dispute is in review.",
    "decided": "No dispute has been decided.",
}
DISPUTES: Final = {
    tab: Listing[CaseView](
        name="disputes-{tab}",
        title="Disputes",
        label=f"{label} disputes",
        columns=_columns(tab),
        read=_read_disputes,
        none=_NONE[tab],
        no_match="No dispute matches the filter.",
        rows=("dispute", "disputes"),
        filters=_filters(tab),
        orders=_orders(tab),
        count=_count_disputes,
        players=lambda view: view.case.players.values(),
        style="list",
    )
    for tab, (label, _) in TABS.items()
}
"""The list of each tab."""


def _render_list() -> str | Response:
    console_state().page_path = url_for("console.list_disputes")
    query = read_query(DISPUTES["open"].query)
    counted = cases.count_by_state(current_transaction(), (DisputeState.OPEN, DisputeState.UNDER_REVIEW))
    other = {"reviewer": None, "cursor": None, "sort": None, "taken": None}
    return show_list(
        DISPUTES[query["tab"]],
        "disputes.html",
        tabs_of_states=[
            (_label_tab(tab, counted), address_with(tab=tab, **other), tab == query["tab"]) for tab in TABS
        ],
        nothing_taken=query["taken"] == "none" and query["cursor"] is None,
        now=current_transaction().now,
        window_of=window_of,
        anomalies=ANOMALIES,
    )


@console.get("/disputes")
@console_page(KeyScope.READ)
def list_disputes() -> str | Response:
    """Render the list of disputes, or send it as a file."""
    return _render_list()


@console.post("/disputes/next")
@console_form(KeyScope.DISPUTES, show_again=_render_list)
def take_next() -> BaseResponse:
    """Take the oldest open dispute into review, and open it. If there is none, the list says so."""
    taken = take_next_dispute(current_transaction(), current_key())
    if taken is None:
        return redirect(url_for("console.list_disputes", taken="none"), HTTPStatus.SEE_OTHER)
    return redirect(url_for("console.show_dispute", dispute_id=taken), HTTPStatus.SEE_OTHER)
