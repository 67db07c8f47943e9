"""Rounds taken out, one document a line."""

from typing import Final

from schemas.fields import Time, UuidField
from schemas.pages import CursorField, QueryInteger, QuerySchema
from schemas.periods import InPeriod

MOST_LINES: Final = 10_000


class ExportQuerySchema(InPeriod, QuerySchema):
    """Which rounds to export: those of a table, opened from a moment on and before another."""

    table_id = UuidField(data_key="table")
    opened_from = Time(data_key="from")
    opened_before = Time(data_key="to")
    limit = QueryInteger(
        least=1,
        most=MOST_LINES,
        metadata={"description": "At most so many lines; the header `Link` then leads on. All where it is left out."},
    )
    cursor = CursorField()
