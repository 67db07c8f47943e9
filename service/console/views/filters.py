"""What the filters of tables, the ledger and players share: their queries, periods and names."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final
from uuid import UUID

from babel.dates import format_date
from flask import request

from schemas.accounting.page_queries import Evenings, join_repeated
from schemas.base import WireError, WireSchema, load
from schemas.clubs import ClubView
from service.clubs.actions import get_club
from service.http.authentication import current_transaction
from service.tables.actions import find_table, list_tables

MOST_SUGGESTED: Final = 100


def read_query(schema: WireSchema) -> dict[str, Any]:
    """
    Parse the query of the page; empty fields of a form are omitted.

    Raises:
        WireError: it is not valid.
    """
    try:
        read: dict[str, Any] = load(schema, join_repeated(request.args.to_dict(flat=False)))
    except WireError as error:
        raise WireError(tuple(mistake.under("query") for mistake in error.mistakes)) from None
    return read


def period_of(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the times of the evenings of a query."""
    evenings: Evenings = query["evenings"]
    return evenings.times(current_club())


def current_club() -> ClubView:
    """Return the club of the session."""
    return get_club(current_transaction())


def show_evenings(evenings: Evenings) -> str:
    """
    Describe a period.

    >>> show_evenings(Evenings(date(2026, 11, 20), date(2026, 11, 20)))
    'Evening of Friday 20 November 2026'
    >>> show_evenings(Evenings(last=date(2026, 11, 20))), show_evenings(Evenings())
    ('Evenings until 20 November 2026', 'All rounds')
    """
    first, last = evenings.first, evenings.last
    if first is not None and first == last:
        return f"Evening of {format_date(first, 'EEEE d MMMM y', locale='en_GB')}"
    if first is not None and last is not None:
        return f"Evenings from {_show(first)} to {_show(last)}"
    if first is not None:
        return f"Evenings from {_show(first)}"
    return "All rounds" if last is None else f"Evenings until {_show(last)}"


def table_of(query: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the table of a query as the filters of payments and statistics have it; without a table, nothing.

    Raises:
        NotFound: the club has no table with this name.
    """
    name = query["table"]
    return {} if name is None else {"table_id": UUID(find_table(current_transaction(), name).id)}


def suggest_tables() -> list[tuple[str, str]]:
    """Return IDs and names of the newest tables of the club."""
    return [(table.id, table.name) for table in list_tables(current_transaction(), limit=MOST_SUGGESTED).items]


def _show(day: date) -> str:
    return str(format_date(day, "d MMMM y", locale="en_GB"))
