"""The list of rounds, and its files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from werkzeug.wrappers import Response as BaseResponse

from schemas.disputes import RoundAnomaly
from schemas.fields import Choice
from schemas.game_fields import PlayerField, RulesetReference, TableNameField
from schemas.ledger.page_queries import EveningsQuerySchema
from schemas.money import show_decimal
from schemas.pages import QueryBoolean
from schemas.rounds import STATUSES, RoundView
from schemas.settlements import IN_FORCE
from scoring.round_state import RoundStatus
from service.clubs.scopes import KeyScope
from service.console.views.addresses import period_of
from service.console.views.exports import Column
from service.console.views.listing import EVENINGS, NAME, TABLE_NAME, Filter, Listing, Part, Query, show_list
from service.console.views.pages import console, console_page
from service.db import Transaction
from service.disputes.actions.anomalies import find_unusual
from service.rounds.actions.reading import list_rounds as list_views
from service.rounds.queries.round_filter import RoundFilter
from service.tables.queries import StoredTable, find_any, list_by_id
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


def _read_rounds(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Part[RoundRow]:
    table = None if query["table"] is None else find_any(transaction, query["table"])
    filter_ = RoundFilter(
        table_id=None if table is None else table.id,
        table_name=query["table"] if table is None else None,
        **{name: query[name] for name in ("player", "ruleset", "status", "state")},
        **period_of(query),
    )
    only_unusual = bool(query["unusual"])
    page = list_views(transaction, filter_, after=after, limit=max(limit, _EXAMINED) if only_unusual else limit)
    rows = _add_tables(transaction, page.items)
    if not only_unusual:
        return Part(rows, page.next_after)
    shown, examined = [row for row in rows if row.unusual], len(rows)
    note = f"{len(shown)} unusual among {examined} examined {'round' if examined == 1 else 'rounds'}"
    return Part(shown, page.next_after, f"{note}{'; the next page examines older ones' if page.next_after else ''}.")


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
    none="No rounds match this filter.",
    filters=(
        Filter("table", TableNameField(), "Table", attributes=TABLE_NAME),
        Filter("player", PlayerField(), "Player", attributes=NAME),
        *EVENINGS,
        Filter("ruleset", RulesetReference(), "Ruleset", attributes=NAME | {"placeholder": "pineapple or pineapple@1"}),
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
