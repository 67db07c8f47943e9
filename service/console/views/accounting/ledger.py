"""The ledger: the journal of the club."""

from collections.abc import Iterator, Sequence
from typing import Final

from flask import Response

from schemas.fields import Choice
from schemas.ledger.journal import EntryKind, player_of
from schemas.ledger.ledger_lines import LedgerLine
from schemas.ledger.ledger_places import LedgerCursorField, LedgerPlace
from schemas.ledger.page_queries import EveningsQuerySchema
from schemas.money import show_decimal
from service.clubs.scopes import KeyScope
from service.console.views.addresses import period_of, show_evenings, table_of
from service.console.views.exports import Column
from service.console.views.listing import EVENINGS, NAME, Filter, Listing, Part, Query, Sum, by_time, show_list
from service.console.views.navigation.finding import PLAYER, TABLE
from service.console.views.pages import console, console_page
from service.db import Transaction
from service.http.formats import format_won
from service.ledger.actions.journal import count_ledger, list_ledger, sum_ledger
from service.ledger.queries.journal import JournalFilter


def _filter(query: Query) -> JournalFilter:
    return JournalFilter(player=query["player"], kind=query["kind"], **table_of(query), **period_of(query))


def _read_ledger(transaction: Transaction, query: Query, after: LedgerPlace | None, limit: int) -> Part[LedgerLine]:
    newest_first = query["sort"] == "newest"
    page = list_ledger(transaction, _filter(query), after=after, limit=limit, newest_first=newest_first)
    return Part(page.lines, page.next_after if page.has_more else None)


def _sum_ledger(transaction: Transaction, query: Query) -> Sequence[Sum]:
    """Return what the entries add to the balance of a player: sums over all players are zero."""
    if query["player"] is None:
        return ()
    sums = sum_ledger(transaction, _filter(query))
    return [("Added to the balance", format_won(amount, unit)) for unit, amount in sums.items()]


def _players_of_line(line: LedgerLine) -> Iterator[str]:
    yield from filter(None, (player_of(line.payer), player_of(line.payee)))


LEDGER: Final = Listing[LedgerLine](
    name="ledger",
    title="Ledger",
    label="Entries",
    columns=(
        Column("posted_at", lambda line: line.entry.posted_at, "Written", style="whole"),
        Column("played_at", lambda line: line.played_at),
        Column("kind", lambda line: line.entry.kind.value, "Entry", "entry_kind"),
        Column("table", lambda line: line.entry.table_name, "Table", "payment_table"),
        Column("round", lambda line: line.entry.round),
        Column("reference", lambda line: line.entry.reference),
        Column("hand", lambda line: line.hand, "Hand", "payment_hand"),
        Column("payer", lambda line: player_of(line.payer), "Payer", "payment_payer"),
        Column("payee", lambda line: player_of(line.payee), "Payee", "payment_payee"),
        Column("due", lambda line: line.due, "Due", style="figure"),
        Column("paid", lambda line: line.paid, "Paid", style="figure"),
        Column("limited_by", lambda line: line.limited_by, "Limited by", "payment_limit"),
        Column(
            "amount",
            lambda line: show_decimal(line.amount, line.entry.unit),
            "Amount",
            "payment_amount",
            style="figure",
            is_decimal=True,
        ),
        Column("unit", lambda line: line.entry.unit.code),
        Column("revision", lambda line: line.entry.revision),
        Column("previous_revision", lambda line: line.entry.previous_revision),
        Column("final", lambda line: line.entry.is_final, "Settlement", "payment_settlement"),
        Column("id", lambda line: line.entry.id),
        Column("line", lambda line: line.number),
        Column("reverses", lambda line: line.entry.reverses),
        Column("note", lambda line: line.entry.note),
    ),
    read=_read_ledger,
    none="The journal has no entries yet. A round is listed from its end.",
    no_match="No entries match. Choose other evenings, another table or another player.",
    rows=("line", "lines"),
    count=lambda transaction, query, limit: count_ledger(transaction, _filter(query), limit),
    orders=by_time("posted_at"),
    sums=_sum_ledger,
    filters=(
        *EVENINGS,
        Filter("table", label="Table", attributes=NAME, finder=TABLE),
        Filter("player", label="Player", attributes=NAME, finder=PLAYER),
        Filter(
            "kind",
            Choice({kind.value: kind for kind in EntryKind}),
            "Entries",
            (("", "All"), *((kind.value, kind.value.capitalize()) for kind in EntryKind)),
        ),
    ),
    schema=EveningsQuerySchema,
    cursor=LedgerCursorField(),
    show_cursor=LedgerPlace.show,
    players=_players_of_line,
    style="wide",
)


@console.get("/ledger", endpoint="list_ledger")
@console_page(KeyScope.READ)
def show_ledger() -> str | Response:
    """Render the journal, the newest entries first, or send all entries of a filter as a file."""
    return show_list(LEDGER, "ledger.html", show_evenings=show_evenings)
