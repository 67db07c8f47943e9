"""Periods: from a moment on, and before another."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from schemas.base import Sentence
from schemas.fields import show_time


class InPeriod:
    """What is asked for of a period; it ends where it begins, or later."""

    @validates_schema(skip_on_field_errors=False)
    def _check_period(self, read: dict[str, Any], **_: Any) -> None:
        begin, end = read.get("opened_from"), read.get("opened_before")
        if begin is not None and end is not None and begin > end:
            detail = f"is {show_time(begin)}, after the end at {show_time(end)}; a moment before it is right"
            raise ValidationError(Sentence("out-of-range", detail), "from")
