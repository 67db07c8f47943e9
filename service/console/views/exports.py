"""Lists of the console as files: every list has CSV and JSON with the filter of its page."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from io import BytesIO
from itertools import islice
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from flask import Response, request, stream_with_context
from werkzeug.utils import send_file

from schemas.base import WireError
from schemas.fields import show_time
from schemas.ledger.csv_rows import dump_rows, text_cell
from scoring.errors import Mistake
from service.console.views.session import club_zone
from service.http.authentication import current_transaction
from service.http.responses import CSV, encode_json

JSON: Final = "application/json"
_BATCH: Final = 500
_NOT_IN_NAMES: Final = re.compile(r'[\\/:*?"<>|\s\x00-\x1f]+')
"""What file systems do not accept in the names of files, and spaces."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """
    A column of a list or of a file.

    Attributes:
        name: its name in the header of the CSV file, and the field in JSON.
        value: returns the value of a row: a text, a number, a boolean, a time, an ID or None; or an object or array,
            which is JSON in a CSV file. None if only the page has the column.
        heading: its heading on the page, empty for buttons and links; None if only the files have the column.
        cell: the macro of `cells.html` that shows a row in this column. By default, the page shows the value.
        empty: what the page shows for None.
        style: the classes of its cells: `figure` for numbers, `whole` and `wide` for those that need a whole line.
        is_header: whether its cell is the heading of the row.
        in_files: whether the files have it too.
        is_decimal: whether the text is a decimal number, such as an amount, which no spreadsheet runs as a formula.
    """

    name: str
    value: Callable[[T], Any] | None = None
    heading: str | None = None
    cell: str | None = None
    empty: str = "–"
    style: str = ""
    is_header: bool = False
    in_files: bool = True
    is_decimal: bool = False


def wanted_form() -> str | None:
    """Return `csv` or `json` if the page was asked for as a file, by `?format=`."""
    form = request.args.get("format")
    return form if form in ("csv", "json") else None


def wants_print() -> bool:
    """Return whether the page was asked for as a page to print, by `?format=print`."""
    return request.args.get("format") == "print"


def wanted_part(*parts: str) -> str:
    """
    Return the part of a page that is asked for as a file, by `?part=`; the first one by default.

    Raises:
        WireError: the page does not have this part.
    """
    part = request.args.get("part") or parts[0]
    if part not in parts:
        detail = f"is {part[:40]!r}; expected one of {', '.join(parts)}"
        raise WireError((Mistake("not-a-choice", ("query", "part"), detail),))
    return part


def wants_raw() -> bool:
    """Return whether the texts of a CSV file are to be as they are stored, by `?ids=raw`."""
    return request.args.get("ids") == "raw"


def send_list(name: str, form: str, columns: Sequence[Column[T]], rows: Iterable[T]) -> Response:
    """
    Send all rows of a list as a file, while they are read.

    Args:
        name: the name of the file without its ending.
        form: `csv` or `json`.
        columns: the columns.
        rows: all rows of the filter, not only those of the page.
    """
    written = [column for column in columns if column.value is not None and column.in_files]
    shown = (encode_row(written, row) for row in rows)
    blocks = _csv_blocks(written, shown) if form == "csv" else json_blocks(shown)
    return send_blocks(name, form, blocks)


def encode_row(columns: Sequence[Column[T]], row: T) -> dict[str, Any]:
    """Return a row of a file by the names of its columns."""
    return {column.name: _encode_value(column.value(row)) for column in columns if column.value is not None}


def _encode_value(value: Any) -> Any:
    """
    Return a value of a row as files have it: times as RFC 3339 in UTC, and IDs and words as texts.

    >>> _encode_value(datetime.fromisoformat("2026-11-20T20:00Z")), _encode_value(UUID(int=7)), _encode_value(7)
    ('2026-11-20T20:00:00Z', '00000000-0000-0000-0000-000000000007', 7)
    """
    match value:
        case datetime():
            return show_time(value)
        case UUID() | Enum():
            return str(value)
    return value


def send_blocks(name: str, form: str, blocks: Iterable[bytes]) -> Response:
    """
    Send a file while it is made.

    Args:
        name: the name of the file without its ending.
        form: `csv` or `json`.
        blocks: the content of the file; a list is sent at once.
    """
    content = blocks if isinstance(blocks, list) else stream_with_context(iter(blocks))
    response = Response(content, content_type=f"{CSV}; charset=utf-8" if form == "csv" else JSON)
    return attach(response, name, form)


def attach(response: Response, name: str, form: str) -> Response:
    """Return a response as a file to download, with its name and today's date in the time zone of the club."""
    today = current_transaction().now.astimezone(club_zone()).date()
    filename = f"{_NOT_IN_NAMES.sub('-', name)}-{today.isoformat()}.{form}"
    # Werkzeug encodes names as RFC 6266 says, but only for files that it sends.
    file = send_file(BytesIO(), request.environ, "text/plain", as_attachment=True, download_name=filename)
    response.headers["Content-Disposition"] = file.headers["Content-Disposition"]
    return response


def _csv_blocks(columns: Sequence[Column[Any]], rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    yield dump_rows([[column.name for column in columns]])
    remaining = iter(rows)
    while part := list(islice(remaining, _BATCH)):
        yield dump_rows([[_cell(column, row[column.name]) for column in columns] for row in part])


def _cell(column: Column[Any], value: Any) -> Any:
    if isinstance(value, (dict, list)):
        return text_cell(encode_json(value).decode(), raw=wants_raw())
    return text_cell(value, raw=wants_raw()) if isinstance(value, str) and not column.is_decimal else value


def json_blocks(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield a JSON array with one object a line."""
    separator = b"[\n"
    for row in rows:
        yield separator + encode_json(row)
        separator = b",\n"
    yield b"[]\n" if separator == b"[\n" else b"\n]\n"
