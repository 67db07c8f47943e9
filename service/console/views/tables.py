"""Tables: their list, the units of amounts, and the page of one table with its rounds, statements and forms."""

from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import load
from schemas.clubs import ClubView
from schemas.game_fields import TableNameField
from schemas.ledger.defined_units import UnitRequestSchema
from schemas.ledger.page_queries import TablePageQuerySchema
from schemas.ledger.statements import StatementView, dump_statement, dump_table_rows
from schemas.money import MOST_DIGITS, show_decimal
from schemas.pages import QueryBoolean
from schemas.rounds import RoundView
from schemas.tables import TableChangesSchema, TableView
from service.clubs.scopes import KeyScope
from service.console.views.accounting.months import list_months
from service.console.views.accounting.statements import (
    count_settlements,
    cut_lines,
    find_rounds,
    list_payments,
    send_statement,
)
from service.console.views.addresses import address_with, filter_of, period_of, read_query, show_evenings
from service.console.views.exports import Column, wants_raw
from service.console.views.listing import NAME, Filter, Listing, Order, Query, by_time, show_list
from service.console.views.metadata import edit_entries, read_changed
from service.console.views.pages import console, console_form, console_page, render
from service.console.views.session import console_state, current_club, read_form
from service.db import Transaction
from service.db.pages import Page
from service.http.authentication import current_transaction
from service.ledger.actions.statements import get_statement
from service.players.actions import list_names
from service.rounds.actions.reading import list_rounds
from service.rounds.queries.round_filter import RoundFilter
from service.rounds.queries.rounds import list_last_opened
from service.tables.actions import count_tables, get_table, get_table_metadata, list_tables, update_table
from service.tables.queries import TableOrder
from service.units.actions import define_unit, list_units

_RECENT: Final = 10
"""The number of rounds on the page of a table."""
_EDITED: Final = (
    *("name", "ruleset", "point_value", "unit", "charge_per", "charge_amount", "minimum_stack"),
    *("correction_window_minutes", "reference"),
)
"""The fields of the form that changes a table."""
_NUMBERS: Final = frozenset({"point_value", "charge_amount", "minimum_stack", "correction_window_minutes"})
_LONGEST_NUMBER: Final = 16
_CHANGES: Final = TableChangesSchema()
_UNIT: Final = UnitRequestSchema()
_UNIT_FIELDS: Final = ("code", "name", "digits")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table of the list, when its last round was opened, and its open round."""

    table: TableView
    opened_at: datetime | None
    open_round: UUID | None


def _read_tables(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Page[TableRow]:
    page = list_tables(
        transaction,
        containing=query["name"],
        archived=bool(query["archived"]),
        after=after,
        limit=limit,
        order=TableOrder(query["sort"]),
    )
    opened = list_last_opened(transaction, [UUID(table.id) for table in page.items])
    return Page([TableRow(table, *opened.get(UUID(table.id), (None, None))) for table in page.items], page.next_after)


TABLES: Final = Listing[TableRow](
    name="tables",
    title="Tables",
    columns=(
        Column("id", lambda row: row.table.id),
        Column("name", lambda row: row.table.name, "Table", "table_name", is_header=True),
        Column("ruleset", lambda row: row.table.ruleset, "Ruleset"),
        Column(
            "point_value",
            lambda row: _point_value(row.table),
            "A point is",
            "table_point",
            style="figure",
            is_decimal=True,
        ),
        Column("unit", lambda row: row.table.unit and row.table.unit.code),
        Column("charge_per", lambda row: row.table.charge_per and row.table.charge_per.value),
        Column("charge_amount", lambda row: row.table.charge_amount),
        Column("minimum_stack", lambda row: row.table.minimum_stack),
        Column("correction_window_minutes", lambda row: row.table.correction_window_minutes),
        Column("now", heading="Now", cell="table_now"),
        Column("opened_at", lambda row: row.opened_at, "Last round opened", empty="never", in_files=False),
        Column("created_at", lambda row: row.table.created_at, "Created"),
        Column("archived_at", lambda row: row.table.archived_at),
    ),
    read=_read_tables,
    count=lambda transaction, query, limit: count_tables(
        transaction, containing=query["name"], archived=bool(query["archived"]), limit=limit
    ),
    none="The club has no tables yet. Create one here, with `ofc table create` or over the API.",
    no_match="No table matches this filter.",
    rows=("table", "tables"),
    orders=(*by_time("created_at"), Order("name", "By name", "name", is_descending=False)),
    filters=(
        Filter("name", TableNameField(), "Name contains", attributes=NAME),
        Filter("archived", QueryBoolean(), "Show", (("", "Tables in use"), ("true", "Archived tables"))),
    ),
    style="wide",
)


@console.get("/tables", endpoint="list_tables")
@console_page(KeyScope.READ)
def show_tables() -> str | Response:
    """Render the tables of the club with the units of its amounts, or send the tables as a file."""
    # A form that was refused shows this page again, at another address.
    console_state().page_path = url_for("console.list_tables")
    return show_list(
        TABLES, "tables.html", list_units=partial(list_units, current_transaction()), most_digits=MOST_DIGITS
    )


@console.post("/tables/units")
@console_form(KeyScope.TABLES, show_again=show_tables)
def save_unit() -> BaseResponse:
    """Define a unit of the club, and show the list of tables with the units."""
    form = {name: read_form().get(name, "").strip() for name in _UNIT_FIELDS}
    digits = form["digits"]
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_NUMBER else digits
    define_unit(current_transaction(), load(_UNIT, {**form, "digits": number}))
    return redirect(url_for("console.list_tables", _anchor="units"), HTTPStatus.SEE_OTHER)


@console.get("/tables/<uuid:table_id>")
@console_page(KeyScope.READ)
def show_table(table_id: UUID) -> str | Response:
    """Render a table with its rounds, a statement and the forms that change it, or send the statement as a file."""
    console_state().page_path = url_for("console.show_table", table_id=table_id)
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
    metadata = get_table_metadata(transaction, table_id)
    return render(
        "table.html",
        rounds=rounds,
        evenings=_evenings(rounds, club),
        open_round=list_last_opened(transaction, [table_id]).get(table_id, (None, None))[1],
        edited=_edit(table),
        metadata=metadata,
        entries=edit_entries(metadata, read_form()),
        **_statement_values(table, statement, query),
    )


@console.post("/tables/<uuid:table_id>/edit")
@console_form(KeyScope.TABLES, show_again=show_table)
def change_table(table_id: UUID) -> BaseResponse:
    """
    Change a table for its next rounds.

    Only what differs from the page is changed, so that what somebody else has changed since it was opened stays.
    """
    fields = _edit(get_table(current_transaction(), table_id))
    changed: dict[str, Any] = {
        name: read_value(name, sent.strip()) for name, (sent, shown) in fields.items() if sent.strip() != shown
    }
    form = read_form()
    metadata = read_changed(form)
    if metadata is not None:
        changed["metadata"] = metadata
    if changed:
        update_table(current_transaction(), table_id, load(_CHANGES, changed))
    return _show(table_id)


@console.post("/tables/<uuid:table_id>/archive")
@console_form(KeyScope.TABLES, show_again=show_table)
def change_table_state(table_id: UUID) -> BaseResponse:
    """Archive a table, or bring it back."""
    sent = read_form().get("is_archived", "")
    changes = load(_CHANGES, {"is_archived": {"true": True, "false": False}.get(sent, sent)})
    update_table(current_transaction(), table_id, changes)
    return _show(table_id)


def _edit(table: TableView) -> dict[str, tuple[str, str]]:
    """Return the fields of the form of a table: what was sent, or the table as it is, and what the page showed."""
    form = read_form()
    recorded = {name: getattr(table, name) for name in _EDITED} | {"unit": table.unit and table.unit.code}
    texts = {name: "" if value is None else str(value) for name, value in recorded.items()}
    return {name: (form.get(name, text), form.get(f"shown:{name}", text)) for name, text in texts.items()}


def read_value(name: str, text: str) -> str | int | None:
    """Return a field of the form as a request of the API has it."""
    is_number = name in _NUMBERS and text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER
    return int(text) if is_number else text or None


def _show(table_id: UUID) -> BaseResponse:
    return redirect(url_for("console.show_table", table_id=table_id), HTTPStatus.SEE_OTHER)


def _statement_values(table: TableView, statement: StatementView, query: dict[str, Any]) -> dict[str, Any]:
    in_order = sorted(statement.players, key=lambda each: (-each.points.net, each.player))
    players, next_cursor = cut_lines(in_order, query)
    of_period = RoundFilter(table_id=UUID(table.id), **period_of(query))
    is_print = query["form"] == "print"
    return {
        "table": table,
        "view": statement,
        "settlements": count_settlements(statement, of_period),
        "months": [] if is_print else list_months(current_transaction(), of_period, query["evenings"]),
        "rounds_filter": find_rounds(query["evenings"], table=filter_of(table)),
        "players": players,
        "next_cursor": next_cursor,
        "units": statement.units,
        "payments": list_payments(statement.settled),
        "query": query,
        "display_names": list_names(current_transaction(), [each.player for each in statement.players]),
        "period": show_evenings(query["evenings"]),
    }


def _evenings(rounds: list[RoundView], club: ClubView) -> list[tuple[date, datetime]]:
    """Return the last evenings in which rounds of a table were opened, each with the time of one, newest first."""
    evenings = {club.evening_of(each.opened_at): each.opened_at for each in rounds}
    return sorted(evenings.items(), reverse=True)


def _point_value(table: TableView) -> str | None:
    if table.point_value is None or table.unit is None:
        return None
    return show_decimal(table.point_value, table.unit)
