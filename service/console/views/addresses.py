"""Addresses of pages of the console: parse and describe what their queries select, and build addresses to link to."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode
from uuid import UUID

from babel.dates import format_date
from flask import request

from schemas.base import WireError, WireSchema, load
from schemas.ledger.page_queries import Evenings, join_repeated
from schemas.tables import TableView
from scoring.errors import Mistake
from service.console.views.session import PATH, club_zone, current_club, find_console_state, read_form
from service.http.authentication import current_transaction
from service.tables.actions import find_table, list_tables
from service.tables.queries import StoredTable, list_names

MOST_SUGGESTED: Final = 100


def read_query(schema: WireSchema) -> dict[str, Any]:
    """
    Parse the query of the page; empty fields of a form are omitted.

    Raises:
        WireError: it is not valid.
    """
    return _load_query(schema, join_repeated(request.args.to_dict(flat=False)))


def read_known_query(schema: WireSchema) -> dict[str, Any]:
    """
    Parse the parameters of the query that a schema has; others and empty ones are omitted.

    Raises:
        WireError: a value is invalid.
    """
    names = {field.data_key or name for name, field in schema.load_fields.items()}
    return _load_query(schema, {name: value for name, value in request.args.items() if value.strip() and name in names})


def _load_query(schema: WireSchema, values: Mapping[str, str]) -> dict[str, Any]:
    try:
        read: dict[str, Any] = load(schema, values)
    except WireError as error:
        raise WireError(tuple(mistake.under("query") for mistake in error.mistakes)) from error
    return read


def read_days() -> tuple[datetime | None, datetime | None]:
    """
    Read the days `from` and `to` of the query, in the time zone of the club, as the period that they include.

    Raises:
        WireError: a value is not a day.
    """
    first, last = read_dates()
    zone = club_zone()
    begin = None if first is None else datetime.combine(first, time(), zone)
    return begin, None if last is None else datetime.combine(last + timedelta(days=1), time(), zone)


def read_dates() -> tuple[date | None, date | None]:
    """
    Read the dates `from` and `to` of the form or the query.

    Raises:
        WireError: a value is not a date.
    """
    return _read_day("from"), _read_day("to")


def _read_day(name: str) -> date | None:
    text = (read_form().get(name) or request.args.get(name, "")).strip()
    try:
        day = date.fromisoformat(text) if text else None
    except ValueError:
        day = date.max
    if day is not None and not date.min < day < date.max:
        detail = f"is {text[:20]!r}; expected a day like 2026-11-20"
        raise WireError((Mistake("text-pattern", ("query", name), detail),))
    return day


def period_of(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the times of the evenings of a query."""
    evenings: Evenings = query["evenings"]
    return evenings.times(current_club())


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
        return f"Evenings from {_show_day(first)} to {_show_day(last)}"
    if first is not None:
        return f"Evenings from {_show_day(first)}"
    return "All rounds" if last is None else f"Evenings until {_show_day(last)}"


def _show_day(day: date) -> str:
    return str(format_date(day, "d MMMM y", locale="en_GB"))


def table_of(query: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the table of a query as the filters of payments and statistics have it; without a table, nothing.

    Raises:
        NotFound: the club has no table with this name or ID.
    """
    known_as = query["table"]
    return {} if known_as is None else {"table_id": UUID(find_table(current_transaction(), known_as).id)}


def filter_of(table: TableView | StoredTable) -> str:
    """Return what finds a table in filters: its name or, if it is archived and the name is free, its ID."""
    return table.name if table.archived_at is None else str(table.id)


def suggest_tables(chosen: Iterable[UUID] = ()) -> list[tuple[str, str]]:
    """Return IDs and names of the newest tables of the club that are not archived, and of those that are chosen."""
    suggested = {table.id: table.name for table in list_tables(current_transaction(), limit=MOST_SUGGESTED).items}
    others = {table_id for table_id in chosen if str(table_id) not in suggested}
    if others:
        suggested |= {str(table_id): name for table_id, name in list_names(current_transaction(), others).items()}
    return list(suggested.items())


def address_with(**changes: object) -> str:
    """Return the address of the page with changed values of its query; None removes one."""
    values: dict[str, Any] = {
        **request.args.to_dict(flat=False),
        **{name: None if value is None else str(value) for name, value in changes.items()},
    }
    query = urlencode({name: value for name, value in values.items() if value}, doseq=True)
    state = find_console_state()
    path = (state.page_path if state else None) or quote(request.path)
    return f"{path}?{query}" if query else path


def player_address(player: str) -> str:
    """Return the address of a player's page. Browsers resolve `.` and `..` in a path, so these IDs are in the query."""
    if player in (".", ".."):
        return f"{PATH}/player?{urlencode({'id': player})}"
    return f"{PATH}/players/{quote(player, safe='')}"
