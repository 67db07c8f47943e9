"""Addresses of pages of the console: what the query of a request says, and addresses to link to."""

from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from flask import request

from schemas.base import WireError, WireSchema, load
from scoring.errors import Mistake
from service.console.views.session import PATH, club_zone, find_console_state, read_form


def read_query(schema: WireSchema) -> dict[str, Any]:
    """
    Return the query of the address, as a schema of query parameters reads it; empty and other values are omitted.

    Raises:
        WireError: a value is invalid.
    """
    names = {field.data_key or name for name, field in schema.load_fields.items()}
    values = {name: value for name, value in request.args.items() if value.strip() and name in names}
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
