"""Addresses of pages of the console: parse and describe what their queries select, and build addresses to link to."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode
from uuid import UUID

from babel.dates import format_date
from flask import request

from schemas.base import WireError, WireSchema, load
from schemas.ledger.page_queries import LONGEST_TRAIL, Evenings, join_repeated
from schemas.tables import TableView
from scoring.errors import Mistake
from service.console.views.session import PATH, club_zone, current_club, find_console_state, read_form
from service.http.authentication import current_transaction
from service.tables.actions import list_tables
from service.tables.queries import StoredTable, list_names

MOST_SUGGESTED: Final = 100
_SECOND: Final = 2


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
    """Return the table of a query, which was found, as the filters of payments and statistics have it; or nothing."""
    return {} if query["table"] is None else {"table_id": UUID(query["table"])}


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
    """
    Return the address of the page with changed values of its query; None removes one.

    With the page of a list, the way back to the pages before it changes too.
    """
    if "cursor" in changes:
        changes = {"back": None, "page": None, **changes}
    values: dict[str, Any] = {
        **request.args.to_dict(flat=False),
        **{name: None if value is None else str(value) for name, value in changes.items()},
    }
    query = urlencode({name: value for name, value in values.items() if value}, doseq=True)
    return f"{page_path()}?{query}" if query else page_path()


def next_page(cursor: str) -> str:
    """
    Return the address of the next page of a list, which has the cursors of the pages before it.

    A long way back loses its beginning: the first page has a link of its own.
    """
    here, back = request.args.get("cursor"), request.args.get("back", "")
    trail = "~".join(filter(None, (back, here)))
    while len(trail) > LONGEST_TRAIL:
        trail = trail.partition("~")[2]
    number = 1 if here is None else request.args.get("page", 0, type=int)
    return address_with(cursor=cursor, back=trail or None, page=number + 1 if number else None)


def previous_page() -> str | None:
    """Return the address of the page before a page of a list; None on the first one, and if it is not known."""
    trail = request.args.get("back", "").split("~")
    number = request.args.get("page", 0, type=int)
    if "cursor" not in request.args or (trail == [""] and number != _SECOND):
        return None
    cursor = trail.pop() or None
    page = number - 1 if cursor and number > 1 else None
    return address_with(cursor=cursor, back="~".join(trail) or None, page=page)


def page_path() -> str:
    """Return the path of the page, which is not that of the request if a form that was refused shows it again."""
    state = find_console_state()
    return (state.page_path if state else None) or quote(request.path)


def player_address(player: str) -> str:
    """Return the address of a player's page. Browsers resolve `.` and `..` in a path, so these IDs are in the query."""
    if player in (".", ".."):
        return f"{PATH}/player?{urlencode({'id': player})}"
    return f"{PATH}/players/{quote(player, safe='')}"
