"""The ledger: every payment between two players."""

from typing import Final

from flask import Response

from schemas.accounting.page_queries import EveningsQuerySchema
from schemas.accounting.payment_lines import LedgerLine, PaymentCursorField, PaymentPlace
from schemas.game_fields import PlayerField, TableNameField
from schemas.money import show_decimal
from service.clubs.scopes import KeyScope
from service.console.views.exports import Column
from service.console.views.filters import period_of, show_evenings, table_of
from service.console.views.listing import EVENINGS, NAME, TABLE_NAME, Filter, Listing, Part, Query, show_list
from service.console.views.pages import console, console_page
from service.db import Transaction
from service.ledger.actions import list_ledger
from service.rounds.queries.round_filter import RoundFilter


def _read_payments(transaction: Transaction, query: Query, after: PaymentPlace | None, limit: int) -> Part[LedgerLine]:
    filter_ = RoundFilter(player=query["player"], **table_of(query), **period_of(query))
    page = list_ledger(transaction, filter_, after=after, limit=limit)
    return Part(page.lines, page.next_after)


def _show_amount(line: LedgerLine) -> str | None:
    return None if line.amount is None or line.currency is None else show_decimal(line.amount, line.currency)


LEDGER: Final = Listing[LedgerLine](
    name="ledger",
    title="Ledger",
    label="Payments",
    columns=(
        Column("played_at", lambda line: line.played_at, "Played", style="whole"),
        Column("table", lambda line: line.table_name, "Table", "payment_table"),
        Column("round", lambda line: line.place.round_id),
        Column("reference", lambda line: line.reference),
        Column("hand", lambda line: line.place.hand, "Hand", "payment_hand"),
        Column("payer", lambda line: line.payer, "Payer", "payment_payer"),
        Column("payee", lambda line: line.payee, "Payee", "payment_payee"),
        Column("due", lambda line: line.due, "Due", style="figure"),
        Column("paid", lambda line: line.paid, "Paid", style="figure"),
        Column("limited_by", lambda line: line.limited_by, "Limited by", "payment_limit"),
        Column("amount", _show_amount, "Amount", "payment_amount", style="figure", is_decimal=True),
        Column("currency", lambda line: line.currency),
        Column("revision", lambda line: line.revision),
        Column("final", lambda line: line.is_final, "Settlement", "payment_settlement"),
    ),
    read=_read_payments,
    none="No payments match. Choose other evenings, another table or another player.",
    filters=(
        *EVENINGS,
        Filter("table", TableNameField(), "Table", attributes=TABLE_NAME),
        Filter("player", PlayerField(), "Player", attributes=NAME),
    ),
    schema=EveningsQuerySchema,
    cursor=PaymentCursorField(),
    show_cursor=PaymentPlace.show,
    players=lambda line: (line.payer, line.payee),
    style="wide",
)


@console.get("/ledger", endpoint="list_ledger")
@console_page(KeyScope.READ)
def show_ledger() -> str | Response:
    """Render the payments of a filter, oldest round first, or send all of them as a file."""
    return show_list(LEDGER, "ledger.html", show_evenings=show_evenings)
