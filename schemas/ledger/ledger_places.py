"""Places in the ledger, and their cursors."""

from dataclasses import dataclass, replace
from typing import Any, Final, Self
from uuid import UUID

from schemas.base import WireField
from schemas.pages import CursorField, decode_cursor, encode_cursor, refuse_cursor

_POSITION_BYTES: Final = 8
_LINE_BYTES: Final = 4
_CURSOR_BYTES: Final = _POSITION_BYTES + _LINE_BYTES + 16 + _LINE_BYTES
_CURSOR_LENGTH: Final = 43
_CURSOR_PATTERN: Final = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"
_MOST_POSITION: Final = 2**63 - 1
_FIRST_WAITING: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class LedgerPlace:
    """
    A place in the ledger: after so many lines of an entry.

    Entries are in the order of their events in the tree of the club. After them come those whose events do not have a
    position yet; they are listed again at their positions.

    Attributes:
        position: the position of an entry.
        lines: the number of its lines before the place.
        waiting: the last entry before the place that has no position.
        waiting_lines: the number of its lines before the place.
    """

    position: int = 0
    lines: int = 0
    waiting: UUID = _FIRST_WAITING
    waiting_lines: int = 0

    @property
    def bookmark(self) -> "LedgerPlace":
        """The place after the last line that has a position."""
        return replace(self, waiting=_FIRST_WAITING, waiting_lines=0)

    def show(self) -> str:
        """
        Return the cursor of the page after the place.

        >>> place = LedgerPlace(7, 2, UUID(int=7), 1)
        >>> LedgerPlace.parse(place.show()) == place
        True
        """
        placed = self.position.to_bytes(_POSITION_BYTES) + self.lines.to_bytes(_LINE_BYTES)
        return encode_cursor(placed + self.waiting.bytes + self.waiting_lines.to_bytes(_LINE_BYTES))

    @classmethod
    def parse(cls, cursor: str) -> Self:
        """
        Parse a cursor.

        Raises:
            ValueError: it is not a cursor.
        """
        packed = decode_cursor(cursor, _CURSOR_BYTES)
        position = int.from_bytes(packed[:_POSITION_BYTES])
        if position > _MOST_POSITION:
            raise ValueError(refuse_cursor(cursor))
        lines = int.from_bytes(packed[_POSITION_BYTES : _POSITION_BYTES + _LINE_BYTES])
        waiting = packed[_POSITION_BYTES + _LINE_BYTES :]
        return cls(position, lines, UUID(bytes=waiting[:16]), int.from_bytes(waiting[16:]))


LAST_PLACE: Final = LedgerPlace(position=_MOST_POSITION, waiting=UUID(int=2**128 - 1))
"""The place after all entries."""


class LedgerCursorField(CursorField):
    """The cursor of a page of the ledger."""

    def __init__(self, **options: Any) -> None:
        length = {"minLength": _CURSOR_LENGTH, "maxLength": _CURSOR_LENGTH, "pattern": _CURSOR_PATTERN}
        WireField.__init__(self, described=length, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> LedgerPlace:
        try:
            return LedgerPlace.parse(value)
        except ValueError as error:
            raise self.refuse("not-a-cursor", str(error)) from None
