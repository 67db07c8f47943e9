"""Lists in pages, by opaque cursor."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, fields

from schemas.base import Sentence, WireSchema

MOST: Final = 100
DEFAULT: Final = 20
MOST_REVISION: Final = 999_999_999


def show_cursor(last: UUID) -> str:
    """
    Write a cursor that leads on after an item.

    >>> read_cursor(show_cursor(UUID(int=7)))
    UUID('00000000-0000-0000-0000-000000000007')
    """
    return urlsafe_b64encode(last.bytes).rstrip(b"=").decode()


def read_cursor(cursor: str) -> UUID:
    """
    Read a cursor.

    Raises:
        ValueError: it is none.
    """
    try:
        last = UUID(bytes=urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (Error, ValueError):
        last = None
    # Decoding overlooks characters that are not base64.
    if last is None or show_cursor(last) != cursor:
        raise ValueError("is no cursor of this list; take it from the Link header")
    return last


class CursorField(fields.String):
    """Where a page begins."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            return read_cursor(super()._deserialize(value, attr, data, **kwargs))
        except ValueError as error:
            raise ValidationError(Sentence("not-a-cursor", str(error))) from None


class QueryInteger(fields.String):
    """A whole number in a query string: plain digits."""

    def __init__(self, *, least: int, most: int, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(metadata={"type": "integer", "minimum": least, "maximum": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not (text.isascii() and text.isdigit() and len(text) < 10 and self.least <= int(text) <= self.most):
            found = f"is {text[:60]!r}; a whole number from {self.least} to {self.most} is right"
            raise ValidationError(Sentence("not-an-integer", found))
        return int(text)


class RevisionField(QueryInteger):
    """A revision of a round in a query string."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_REVISION, load_default=None, **options)


class PageQuerySchema(WireSchema):
    """Which page of a list."""

    limit = QueryInteger(least=1, most=MOST, load_default=DEFAULT)
    cursor = CursorField(load_default=None)
