"""The list of rounds, and its files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from werkzeug.wrappers import Response as BaseResponse

from schemas.accounting.page_queries import Evenings
from schemas.disputes import RoundAnomaly
from schemas.fields import Choice, DateField, show_time
from schemas.game_fields import PlayerField, RulesetReference, TableNameField
from schemas.money import show_decimal
from schemas.pages import PageQuerySchema, QueryBoolean, show_cursor
from schemas.rounds import STATUSES, RoundView
from schemas.settlements import IN_FORCE
from scoring.round_state import RoundStatus
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_query
from service.console.views.exports import Column, send_list, wanted_form
from service.console.views.filters import current_club
from service.console.views.pages import console, console_page, render
from service.db import Transaction
from service.disputes.actions.anomalies import find_unusual
from service.http.authentication import current_transaction
from service.players.actions import list_names as list_players
from service.rounds.actions.reading import list_rounds as list_views
from service.rounds.queries.rounds import RoundFilter
from service.tables.queries import list_names

_ROWS: Final = 50
"""The number of rounds on a page."""
_EXAMINED: Final = 100
"""The number of rounds that are examined for a page of unusual rounds."""
_EXPORTED: Final = 200
"""The number of rounds that are read at once for a file."""

UNUSUAL: Final = {
    "corrected-after-final": "Corrected after it was final",
    "irregular-hands": "Irregular hands",
    "unconfirmed": "Fewer confirmations than usual",
    "foul-rate": "More fouls than usual",
    "points-lost-to-caps": "More points lost to caps than usual",
}
"""The kinds of unusual rounds in words."""


class RoundListQuerySchema(PageQuerySchema):
    """Filters of the list of rounds. The period is in evenings of the club, both included."""

    table_name = TableNameField(data_key="table")
    player = PlayerField()
    ruleset = RulesetReference()
    status = Choice(STATUSES)
    state = Choice(IN_FORCE)
    first_evening = DateField(data_key="from")
    last_evening = DateField(data_key="to")
    unusual = QueryBoolean()


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round of the list, with the name of its table and what is unusual about it."""

    view: RoundView
    table: str
    unusual: Sequence[RoundAnomaly]

    @property
    def nets(self) -> Sequence[tuple[str, int]]:
        """The players with their net points."""
        round_ = self.view.round
        return [(seat.player, round_.nets[seat.seat]) for seat in round_.seats]

    def value_of(self, points: int) -> str | None:
        """Return the value of points as a decimal number; None if points have no value."""
        view = self.view
        if view.point_value is None or view.currency is None:
            return None
        return show_decimal(points * view.point_value, view.currency)


ResultRow = tuple[RoundRow, str, int]
"""A round, one of its players, and their net points."""

_COLUMNS: Final[Sequence[Column[ResultRow]]] = (
    Column("round", lambda row: row[0].view.id),
    Column("table", lambda row: row[0].table),
    Column("reference", lambda row: row[0].view.reference),
    Column("opened_at", lambda row: show_time(row[0].view.opened_at)),
    Column("ruleset", lambda row: str(row[0].view.round.ruleset)),
    Column("status", lambda row: row[0].view.round.status.value),
    Column("state", lambda row: row[0].view.state.value),
    Column("hands", lambda row: row[0].view.round.hands),
    Column("player", lambda row: row[1]),
    Column("net", lambda row: row[2]),
    Column("amount", lambda row: row[0].value_of(row[2]), is_decimal=True),
    Column("currency", lambda row: row[0].view.currency),
    Column("unusual", lambda row: " ".join(dict.fromkeys(each.code for each in row[0].unusual)) or None),
)
"""The columns of the list as a file, which has a row for each player of a round."""


@console.get("/rounds")
@console_page(KeyScope.READ)
def list_rounds() -> str | BaseResponse:
    """Render the list of rounds, or send it as a file."""
    query = read_query(RoundListQuerySchema())
    transaction, wanted, only_unusual = current_transaction(), _filter(query), bool(query["unusual"])
    form = wanted_form()
    if form is not None:
        found = _all(transaction, wanted, only_unusual=only_unusual)
        return send_list("rounds", form, _COLUMNS, ((row, *result) for row in found for result in row.nets))
    read = _EXAMINED if only_unusual else _ROWS
    page = list_views(transaction, wanted, after=query["cursor"], limit=read)
    rows = _rows(transaction, page.items)
    return render(
        "rounds.html",
        rows=[row for row in rows if row.unusual] if only_unusual else rows,
        examined=len(rows) if only_unusual else None,
        query=query,
        display_names=list_players(transaction, [player for row in rows for player, _ in row.nets]),
        period=Evenings(query["first_evening"], query["last_evening"]),
        next_cursor=page.next_after and show_cursor(page.next_after),
        statuses=[(status.value, status.value.capitalize()) for status in RoundStatus],
        states=[(state, state.capitalize()) for state in IN_FORCE],
        unusual_words=UNUSUAL,
    )


def _filter(query: Mapping[str, Any]) -> RoundFilter:
    period = Evenings(query["first_evening"], query["last_evening"]).times(current_club())
    return RoundFilter(
        **{name: query[name] for name in ("table_name", "player", "ruleset", "status", "state")}, **period
    )


def _rows(transaction: Transaction, views: Sequence[RoundView]) -> list[RoundRow]:
    """Add tables and what is unusual to rounds, with a number of statements that does not depend on theirs."""
    names = list_names(transaction, {UUID(view.table) for view in views})
    unusual = find_unusual(transaction, [UUID(view.id) for view in views])
    return [RoundRow(view, names[UUID(view.table)], unusual[UUID(view.id)]) for view in views]


def _all(transaction: Transaction, wanted: RoundFilter, *, only_unusual: bool) -> Iterator[RoundRow]:
    """Yield all rounds of the filter, read in parts."""
    after: UUID | None = None
    while True:
        page = list_views(transaction, wanted, after=after, limit=_EXPORTED)
        yield from (row for row in _rows(transaction, page.items) if row.unusual or not only_unusual)
        if page.next_after is None:
            return
        after = page.next_after
