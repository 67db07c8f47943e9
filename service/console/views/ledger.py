"""The ledger: every payment between two players."""

from typing import Final

from flask import Response

from schemas.accounting.page_queries import LedgerPageQuerySchema
from schemas.accounting.payment_lines import dump_ledger_line
from service.clubs.scopes import KeyScope
from service.console.views.exports import json_blocks, send_blocks, wanted_form, wants_raw
from service.console.views.filters import period_of, read_query, show_evenings, suggest_tables, table_of
from service.console.views.pages import console, console_page, render
from service.http.authentication import current_transaction
from service.ledger.actions import export_ledger, list_ledger, stream_ledger
from service.players.actions import list_names
from service.rounds.queries.rounds import RoundFilter

_SIZE: Final = 50


@console.get("/ledger", endpoint="list_ledger")
@console_page(KeyScope.READ)
def show_ledger() -> str | Response:
    """Render the payments of a filter, oldest round first, or send all of them as a file."""
    query = read_query(LedgerPageQuerySchema())
    transaction = current_transaction()
    wanted = RoundFilter(player=query["player"], **table_of(query), **period_of(query))
    form = wanted_form()
    if form == "csv":
        return send_blocks("ledger", form, export_ledger(transaction, wanted, after=None, raw=wants_raw()))
    if form == "json":
        return send_blocks("ledger", form, json_blocks(map(dump_ledger_line, stream_ledger(transaction, wanted))))
    page = list_ledger(transaction, wanted, after=query["cursor"], limit=_SIZE)
    return render(
        "ledger.html",
        lines=page.lines,
        display_names=list_names(transaction, {player for line in page.lines for player in (line.payer, line.payee)}),
        tables=suggest_tables(),
        period=show_evenings(query["evenings"]),
        query=query,
        next_cursor=None if page.next_after is None else page.next_after.show(),
    )
