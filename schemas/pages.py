"""Lists in pages, by opaque cursor."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from schemas.base import WireField, WireSchema
from schemas.fields import show

MOST: Final = 100
DEFAULT: Final = 20
CURSOR_LENGTH: Final = 22
CURSOR_PATTERN: Final = "^[A-Za-z0-9_-]{21}[AQgw]$"
MOST_REVISION: Final = 999_999_999
NO_CURSOR: Final = "is no cursor of this list; take it from the Link header"


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
        raise ValueError(NO_CURSOR)
    return last


class CursorField(WireField):
    """Where a page begins."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            described={"minLength": CURSOR_LENGTH, "maxLength": CURSOR_LENGTH, "pattern": CURSOR_PATTERN}, **options
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> UUID:
        try:
            return read_cursor(value)
        except ValueError as error:
            raise self.refuse("not-a-cursor", str(error)) from None


class QueryInteger(WireField):
    """A whole number in a query string: plain digits."""

    def __init__(self, *, least: int, most: int, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(described={"minimum": least, "maximum": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not (value.isascii() and value.isdigit() and len(value) < 10 and self.least <= int(value) <= self.most):
            right = f"a whole number from {self.least} to {self.most} is right"
            raise self.refuse("not-an-integer", f"is {show(value)}; {right}")
        return int(value)


class QuerySchema(WireSchema):
    """What is asked for in a query string; what is not is None, and nothing there is null."""

    @post_load
    def _fill(self, read: dict[str, Any], **_: Any) -> dict[str, Any]:
        return dict.fromkeys(self.load_fields) | read


class RevisionField(QueryInteger):
    """A revision of a round in a query string."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_REVISION, **options)


class PageQuerySchema(QuerySchema):
    """Which page of a list."""

    limit = QueryInteger(least=1, most=MOST, load_default=DEFAULT)
    cursor = CursorField()
