"""Query parameters, pages of lists and their cursors."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from typing import Any, ClassVar, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Sentence, WireError, WireField, WireSchema, show
from schemas.fields import Boolean, Time, UuidField, show_time
from scoring.errors import Mistake

MOST: Final = 100
DEFAULT: Final = 100
CURSOR_LENGTH: Final = 22
CURSOR_PATTERN: Final = "^[A-Za-z0-9_-]{21}[AQgw]$"
MOST_REVISION: Final = 999_999_999
_INTEGER: Final = re.compile("-?[0-9]+")
_LONGEST_INTEGER: Final = 16


def refuse_cursor(received: object) -> str:
    """Return the message for a text that is not a cursor."""
    return f"is {show(received)}, which is not a cursor of this list; expected the `next_cursor` of a page"


def cursor_error(received: str | UUID) -> WireError:
    """Return the error for a cursor in a query string, or for the item in it, that the list does not have."""
    cursor = show_cursor(received) if isinstance(received, UUID) else received
    return WireError((Mistake("not-a-cursor", ("query", "cursor"), refuse_cursor(cursor)),))


def show_cursor(last: UUID) -> str:
    """
    Return the cursor of the page after an item.

    >>> parse_cursor(show_cursor(UUID(int=7)))
    UUID('00000000-0000-0000-0000-000000000007')
    """
    return encode_cursor(last.bytes)


def parse_cursor(cursor: str) -> UUID:
    """
    Parse a cursor.

    Raises:
        ValueError: it is not a cursor.
    """
    return UUID(bytes=decode_cursor(cursor, 16))


def encode_cursor(place: bytes) -> str:
    """Return the text of a cursor: base64 for URLs, without padding."""
    return urlsafe_b64encode(place).rstrip(b"=").decode()


def decode_cursor(cursor: str, size: int) -> bytes:
    """
    Return the bytes that a cursor encodes.

    >>> decode_cursor(encode_cursor(b"a place"), 7)
    b'a place'

    Raises:
        ValueError: it is not a cursor of this size.
    """
    try:
        place = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (Error, ValueError):
        raise ValueError(refuse_cursor(cursor)) from None
    # The decoder ignores characters that are not base64.
    if len(place) != size or encode_cursor(place) != cursor:
        raise ValueError(refuse_cursor(cursor))
    return place


class CursorField(WireField):
    """The cursor of a page."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            described={"minLength": CURSOR_LENGTH, "maxLength": CURSOR_LENGTH, "pattern": CURSOR_PATTERN}, **options
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            return parse_cursor(value)
        except ValueError as error:
            raise self.refuse("not-a-cursor", str(error)) from None


class QueryInteger(WireField):
    """An integer in a query string: decimal digits only."""

    def __init__(self, *, least: int, most: int, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(described={"minimum": least, "maximum": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        expected = f"expected an integer from {self.least} to {self.most}"
        if not _INTEGER.fullmatch(value):
            raise self.refuse("not-an-integer", f"{show(value)} is not an integer; {expected}")
        if len(value) > _LONGEST_INTEGER or not self.least <= int(value) <= self.most:
            raise self.refuse("out-of-range", f"{show(value)} is out of range; {expected}")
        return int(value)


class QueryBoolean(WireField):
    """A boolean in a query string: `true` or `false`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(described={"type": "boolean"}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise self.refuse("not-a-boolean", f"is {show(value)}; expected true or false")
        return bool(value == "true")


class QuerySchema(WireSchema):
    """Parameters of a query string. Omitted ones are None."""

    @post_load
    def _fill(self, read: dict[str, Any], **_: Any) -> dict[str, Any]:
        return dict.fromkeys(self.load_fields) | read


class RevisionField(QueryInteger):
    """The number of a round's revision, in a query string."""

    default_description = "Number of the revision. The newest revision if omitted."

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_REVISION, **options)


class PageQuerySchema(QuerySchema):
    """The page of a list."""

    limit = QueryInteger(least=1, most=MOST, load_default=DEFAULT, description="Maximum number of items on the page.")
    cursor = CursorField(description="The `next_cursor` of the page before. The first page if omitted.")


class PageSchema(WireSchema):
    """One page of a list."""

    has_more = Boolean(required=True, description="True if the list has another page.")
    next_cursor = CursorField(
        required=True,
        allow_none=True,
        description="Cursor of the next page. Null on the last page. The header `Link` has the address of the"
        " next page.",
    )


class InPeriod:
    """
    A period from `from` (inclusive) to `to` (exclusive). It cannot end before it starts.

    Attributes:
        period: the names of the fields of the two times.
    """

    period: ClassVar = ("opened_from", "opened_before")

    @validates_schema(skip_on_field_errors=False)
    def _check_period(self, read: dict[str, Any], **_: Any) -> None:
        begin, end = map(read.get, self.period)
        if begin is not None and end is not None and begin > end:
            detail = f"is {show_time(begin)}, after the end at {show_time(end)}; expected a moment before it"
            raise ValidationError(Sentence("out-of-range", detail), "from")


class OpenedInPeriod(InPeriod):
    """A filter by the time when rounds were opened."""

    opened_from = Time(data_key="from", description="Only rounds opened at or after this time.")
    opened_before = Time(data_key="to", description="Only rounds opened before this time.")


class OfRounds(OpenedInPeriod):
    """A filter by the table of rounds, and by the time when they were opened."""

    table_id = UuidField(data_key="table", description="Only rounds of the table with this ID.")


PERIOD_START: Final = Time(
    data_key="from",
    required=True,
    allow_none=True,
    description="Start of the period (inclusive). Null if there is none.",
)
PERIOD_END: Final = Time(
    data_key="to",
    required=True,
    allow_none=True,
    description="End of the period (exclusive). Null if there is none.",
)
"""The fields of responses about a period."""
