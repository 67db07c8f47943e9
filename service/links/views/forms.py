"""What the pages of links receive: forms, numbers in them, cursors and days."""

from datetime import date
from typing import Final
from urllib.parse import parse_qsl
from uuid import UUID

from flask import request
from marshmallow import ValidationError
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from schemas.fields import DateField
from schemas.pages import parse_cursor
from service.errors import NotFound
from service.http.request_body import receive_body

_FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 10
_DAY: Final = DateField()


def read_form() -> dict[str, str]:
    """
    Return the fields of a form.

    Raises:
        UnsupportedMediaType: the body is not a form.
        BadRequest: the form has too many fields.
    """
    if request.mimetype != _FORM:
        raise UnsupportedMediaType
    try:
        return dict(parse_qsl(receive_body().decode(errors="replace"), max_num_fields=_MOST_FIELDS))
    except ValueError as error:
        raise BadRequest from error


def read_number(text: str) -> int | str:
    """Return a text of digits as a number; the schema explains any other."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < _MOST_FIELDS else text


def read_cursor(cursor: str | None) -> UUID | None:
    """
    Parse the cursor of a page.

    Raises:
        NotFound: it is none.
    """
    try:
        return None if cursor is None else parse_cursor(cursor)
    except ValueError as error:
        raise NotFound("the page has an unknown cursor") from error


def read_day(text: str) -> date:
    """
    Parse the day of an evening.

    Raises:
        NotFound: it is none.
    """
    try:
        day: date = _DAY.deserialize(text)
    except ValidationError:
        raise NotFound("the page is of no evening; expected a day such as 2026-11-20") from None
    return day
