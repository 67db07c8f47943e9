"""Compares the list of a page of the console with its files, and counts its statements."""

import csv
import io
import json
from typing import Any

from service.http.responses import encode_json
from tests.support.browser.console_visitor import Visitor
from tests.support.database.recorded_statements import recorded_statements


def read_files(visitor: Visitor, path: str) -> list[dict[str, Any]]:
    """Download a list as JSON and as CSV with the filter of its page, check that both agree, and return the rows."""
    sign = "&" if "?" in path else "?"
    # A response is read before the next request, because its context ends with it.
    as_json, as_csv = (visitor.get(f"{path}{sign}format={form}", buffered=True) for form in ("json", "csv"))
    assert (as_json.status_code, as_json.mimetype) == (200, "application/json"), as_json.text
    assert (as_csv.status_code, as_csv.mimetype) == (200, "text/csv")
    assert as_csv.headers["Content-Disposition"].startswith("attachment; filename=")
    assert as_csv.headers["Cache-Control"] == "no-store"
    rows: list[dict[str, Any]] = json.loads(as_json.text)
    written = list(csv.DictReader(io.StringIO(as_csv.get_data().decode("utf-8-sig"))))
    assert [_plain(row) for row in rows] == [
        {name: value.removeprefix("'") for name, value in row.items()} for row in written
    ]
    return rows


def count_statements(visitor: Visitor, path: str) -> int:
    """Return how many SQL statements a page sends."""
    visitor.show(path)
    with recorded_statements() as statements:
        visitor.show(path)
    return len(statements)


def _plain(row: dict[str, Any]) -> dict[str, str]:
    """Return a row as CSV writes it: true and false as JSON, objects and arrays as JSON too."""
    return {name: _cell(value) for name, value in row.items()}


def _cell(value: Any) -> str:
    if isinstance(value, (bool, dict, list)):
        return encode_json(value).decode()
    return "" if value is None else str(value)
