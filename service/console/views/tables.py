"""Tables: their list, and the page of one with its rounds and the statement of any period."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from flask import Response

from schemas.accounting.page_queries import TablePageQuerySchema, TablesPageQuerySchema
from schemas.accounting.statements import StatementView, dump_statement, dump_table_rows
from schemas.clubs import ClubView
from schemas.fields import show_time
from schemas.money import show_decimal
from schemas.pages import show_cursor
from schemas.rounds import RoundView
from schemas.tables import TableView
from service.clubs.scopes import KeyScope
from service.console.views.addresses import address_with
from service.console.views.exports import Column, send_list, wanted_form, wants_raw
from service.console.views.filters import current_club, period_of, read_query, show_evenings
from service.console.views.pages import console, console_page, render
from service.console.views.statements import (
    count_settlements,
    cut_lines,
    find_rounds,
    list_payments,
    send_statement,
)
from service.http.authentication import current_transaction
from service.players.actions import list_names
from service.rounds.actions.reading import list_rounds
from service.rounds.queries.rounds import RoundFilter, list_last_opened
from service.tables.actions import get_statement, get_table, list_tables

_SIZE: Final = 50
_RECENT: Final = 10
"""The number of rounds on the page of a table."""

COLUMNS: Final[Sequence[Column[TableView]]] = (
    Column("id", lambda table: table.id),
    Column("name", lambda table: table.name),
    Column("ruleset", lambda table: table.ruleset),
    Column("point_value", lambda table: _point_value(table), is_decimal=True),
    Column("currency", lambda table: table.currency),
    Column("minimum_stack", lambda table: table.minimum_stack),
    Column("correction_window_minutes", lambda table: table.correction_window_minutes),
    Column("created_at", lambda table: show_time(table.created_at)),
)


@console.get("/tables", endpoint="list_tables")
@console_page(KeyScope.READ)
def show_tables() -> str | Response:
    """Render the tables of the club, or send them as a file."""
    query = read_query(TablesPageQuerySchema())
    form = wanted_form()
    if form is not None:
        return send_list("tables", form, COLUMNS, _all_tables(query["name"]))
    page = list_tables(current_transaction(), containing=query["name"], after=query["cursor"], limit=_SIZE)
    return render(
        "tables.html",
        tables=page.items,
        last_opened=list_last_opened(current_transaction(), [UUID(table.id) for table in page.items]),
        uuid=UUID,
        query=query,
        next_cursor=None if page.next_after is None else show_cursor(page.next_after),
    )


def _all_tables(containing: str | None) -> Iterator[TableView]:
    after: UUID | None = None
    while True:
        page = list_tables(current_transaction(), containing=containing, after=after, limit=500)
        yield from page.items
        if page.next_after is None:
            return
        after = page.next_after


@console.get("/tables/<uuid:table_id>")
@console_page(KeyScope.READ)
def show_table(table_id: UUID) -> str | Response:
    """Render a table with its rounds and a statement, or send the statement as a file."""
    query = read_query(TablePageQuerySchema())
    transaction, club = current_transaction(), current_club()
    table = get_table(transaction, table_id)
    statement = get_statement(transaction, table_id, query["settle_up"], **period_of(query))
    if query["form"] in ("csv", "json"):
        rows, document = (
            partial(dump_table_rows, statement, table.name, raw=wants_raw()),
            partial(dump_statement, statement),
        )
        return send_statement(f"statement-{table.name}", query, statement, rows, document)
    if query["form"] == "print":
        return render(
            "table_print.html",
            page_address=address_with(format=None),
            as_of=transaction.now,
            **_statement_values(table, statement, query),
        )
    rounds = list_rounds(transaction, RoundFilter(table_id=table_id), after=None, limit=_RECENT).items
    return render(
        "table.html",
        rounds=rounds,
        evenings=_evenings(rounds, club),
        open_round=list_last_opened(transaction, [table_id]).get(table_id, (None, None))[1],
        **_statement_values(table, statement, query),
    )


def _statement_values(table: TableView, statement: StatementView, query: dict[str, Any]) -> dict[str, Any]:
    in_order = sorted(statement.players, key=lambda each: (-each.points.net, each.player))
    players, next_cursor = cut_lines(in_order, query)
    return {
        "table": table,
        "view": statement,
        "settlements": count_settlements(statement, RoundFilter(table_id=UUID(table.id), **period_of(query))),
        "found": find_rounds(query["evenings"], table=table.name),
        "players": players,
        "next_cursor": next_cursor,
        "currencies": statement.currencies,
        "payments": list_payments(statement.settled),
        "query": query,
        "display_names": list_names(current_transaction(), [each.player for each in statement.players]),
        "period": show_evenings(query["evenings"]),
    }


def _evenings(rounds: list[RoundView], club: ClubView) -> list[tuple[date, datetime]]:
    """Return the last evenings in which rounds of a table were opened, each with the time of one, newest first."""
    found = {club.evening_of(each.opened_at): each.opened_at for each in rounds}
    return sorted(found.items(), reverse=True)


def _point_value(table: TableView) -> str | None:
    if table.point_value is None or table.currency is None:
        return None
    return show_decimal(table.point_value, table.currency)
