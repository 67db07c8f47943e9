"""The list of rounds, and its files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from werkzeug.wrappers import Response as BaseResponse

from schemas.disputes import RoundAnomaly
from schemas.fields import Choice
from schemas.ledger.page_queries import EveningsQuerySchema
from schemas.money import show_decimal
from schemas.pages import QueryBoolean
from schemas.rounds import STATUSES, RoundView
from schemas.settlements import IN_FORCE
from scoring.round_state import RoundStatus
from service.clubs.scopes import KeyScope
from service.console.views.addresses import period_of, table_of
from service.console.views.exports import Column
from service.console.views.listing import EVENINGS, NAME, Filter, Listing, Part, Query, Sum, by_time, show_list
from service.console.views.navigation.finding import PLAYER, RULESET, TABLE
from service.console.views.pages import console, console_page
from service.db import Transaction
from service.disputes.actions.anomalies import find_unusual
from service.http.formats import format_money_won, format_signed
from service.ledger.actions.statements import get_player_result
from service.rounds.actions.reading import count_rounds
from service.rounds.actions.reading import list_rounds as list_views
from service.rounds.queries.round_filter import RoundFilter
from service.tables.queries import StoredTable, list_by_id
from service.verification.queries.findings import count_by_round

_EXAMINED: Final = 100
"""The number of rounds that are examined for a page of unusual rounds."""

UNUSUAL: Final = {
    "corrected-after-final": "Corrected after it was final",
    "irregular-hands": "Irregular hands",
    "unconfirmed": "Fewer confirmations than usual",
    "foul-rate": "More fouls than usual",
    "points-lost-to-caps": "More points lost to caps than usual",
}
"""The kinds of unusual rounds in words."""


@dataclass(frozen=True, slots=True)
class RoundRow:
    """
    A round of the list, and a line of its files, which have one for each player.

    Attributes:
        view: the round.
        table: its table.
        unusual: what is unusual about it.
        findings: how many findings of the last verification it has.
        player, net: the player of a line and their net points; None on the page.
    """

    view: RoundView
    table: StoredTable
    unusual: Sequence[RoundAnomaly]
    findings: int
    player: str | None = None
    net: int | None = None

    @property
    def nets(self) -> Sequence[tuple[str, int]]:
        """The players with their net points."""
        round_ = self.view.round
        return [(seat.player, round_.nets[seat.seat]) for seat in round_.seats]

    @property
    def codes(self) -> Sequence[str]:
        """The kinds of what is unusual, each once."""
        return list(dict.fromkeys(each.code for each in self.unusual))

    @property
    def amount(self) -> str | None:
        """The net points of the line as a decimal number in money; None if points have no value."""
        view = self.view
        if self.net is None or view.point_value is None or view.unit is None:
            return None
        return show_decimal(self.net * view.point_value, view.unit)


def _filter(query: Query) -> RoundFilter:
    names = ("player", "ruleset", "status", "state")
    return RoundFilter(**{name: query[name] for name in names}, **table_of(query), **period_of(query))


def _read_rounds(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Part[RoundRow]:
    only_unusual = bool(query["unusual"])
    page = list_views(
        transaction,
        _filter(query),
        after=after,
        limit=max(limit, _EXAMINED) if only_unusual else limit,
        oldest_first=query["sort"] == "oldest",
    )
    rows = _add_tables(transaction, page.items)
    if not only_unusual:
        return Part(rows, page.next_after)
    shown, examined = [row for row in rows if row.unusual], len(rows)
    note = f"{len(shown)} unusual among {examined} examined {'round' if examined == 1 else 'rounds'}"
    return Part(shown, page.next_after, f"{note}{'; the next page examines others' if page.next_after else ''}.")


def _count_rounds(transaction: Transaction, query: Query, limit: int) -> int | None:
    """Count the rounds; what is unusual is found when rounds are examined."""
    return None if query["unusual"] else count_rounds(transaction, _filter(query), limit)


def _sum_rounds(transaction: Transaction, query: Query) -> Sequence[Sum]:
    """Return what a player won in their rounds, in whatever state they are: sums over all players are zero."""
    if query["player"] is None or query["unusual"] or query["status"] or query["state"]:
        return ()
    result = get_player_result(transaction, _filter(query), query["player"])
    if result is None:
        return ()
    money = [("Won", format_money_won(amount, unit)) for unit, amount in sorted(result.money.items())]
    return (("Net points", format_signed(result.net)), *money)


def _add_tables(transaction: Transaction, views: Sequence[RoundView]) -> list[RoundRow]:
    """Add tables, findings and what is unusual to rounds; the number of statements does not depend on theirs."""
    ids = [UUID(view.id) for view in views]
    tables = list_by_id(transaction, {UUID(view.table) for view in views})
    unusual, findings = find_unusual(transaction, ids), count_by_round(transaction, ids)
    return [
        RoundRow(view, tables[UUID(view.table)], unusual[id_], findings.get(id_, 0))
        for view, id_ in zip(views, ids, strict=True)
    ]


ROUNDS: Final = Listing[RoundRow](
    name="rounds",
    title="Rounds",
    columns=(
        Column("round", lambda row: row.view.id),
        Column("opened_at", lambda row: row.view.opened_at, "Opened", "round_opened", is_header=True),
        Column("table", lambda row: row.table.name, "Table", "round_table"),
        Column("reference", lambda row: row.view.reference),
        Column("players", heading="Players", cell="round_players", style="whole"),
        Column("player", lambda row: row.player),
        Column("net", lambda row: row.net),
        Column("amount", lambda row: row.amount, is_decimal=True),
        Column("unit", lambda row: row.view.unit and row.view.unit.code),
        Column("hands", lambda row: row.view.round.hands, "Hands", style="figure"),
        Column("ruleset", lambda row: str(row.view.round.ruleset), "Ruleset"),
        Column("status", lambda row: row.view.round.status.value),
        Column("state", lambda row: row.view.state.value, "State", "round_state"),
        Column("findings", lambda row: row.findings),
        Column("unusual", lambda row: " ".join(row.codes) or None, "Unusual", "round_unusual"),
    ),
    read=_read_rounds,
    none="The club has no rounds yet.",
    no_match="No rounds match this filter.",
    rows=("round", "rounds"),
    orders=by_time("opened_at"),
    count=_count_rounds,
    sums=_sum_rounds,
    filters=(
        Filter("table", label="Table", attributes=NAME, finder=TABLE),
        Filter("player", label="Player", attributes=NAME, finder=PLAYER),
        *EVENINGS,
        Filter("ruleset", label="Ruleset", attributes=NAME, finder=RULESET),
        Filter(
            "status",
            Choice(STATUSES),
            "Round",
            (("", "Any"), *((status.value, status.value.capitalize()) for status in RoundStatus)),
        ),
        Filter(
            "state", Choice(IN_FORCE), "Settlement", (("", "Any"), *((state, state.capitalize()) for state in IN_FORCE))
        ),
        Filter("unusual", QueryBoolean(), "Show", (("", "All rounds"), ("true", "Unusual rounds only"))),
    ),
    schema=EveningsQuerySchema,
    players=lambda row: (player for player, _ in row.nets),
    lines=lambda row: (replace(row, player=player, net=net) for player, net in row.nets),
    style="rounds",
)


@console.get("/rounds")
@console_page(KeyScope.READ)
def list_rounds() -> str | BaseResponse:
    """Render the list of rounds, or send it as a file, which has a row for each player of a round."""
    return show_list(ROUNDS, unusual_words=UNUSUAL)
