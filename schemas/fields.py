"""The kinds of value on the wire. Each refuses with a code, what was found and what would be right."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, fields

from schemas.base import MOST_SHOWN, Reader, WireField, WireSchema, count_mistakes, reader_of
from scoring.cards import BY_NAME, RANKS, SUITS, Card

MOST_INTEGER: Final = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

CARD_PATTERN: Final = f"^[{RANKS}][{SUITS}]$"
PLAIN_PATTERN: Final = r"^[^\u0000-\u001f\u007f-\u009f]*$"
CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
UUID_PATTERN: Final = f"^{_UUID.pattern}$"
_SHOWN: Final = 60
_WORDS: Final = {None: "null", True: "true", False: "false"}


def show(value: object) -> str:
    """
    Show a value found, in the words of JSON and cut where it is long; of what holds others, only what it is.

    >>> show("Ax"), show(None), show(["As", "Td"])
    ("'Ax'", 'null', 'a list')
    """
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = _WORDS[value] if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


class Integer(WireField):
    """A whole number: 3 or 3.0, not "3", not true, nothing beyond what every JSON reader keeps exactly."""

    def __init__(self, *, least: int = -MOST_INTEGER, most: int = MOST_INTEGER, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(described={"minimum": least, "maximum": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse("not-an-integer", f"is {show(value)}; a whole number is right")
        if isinstance(value, float) and not value.is_integer():
            raise self.refuse("not-an-integer", f"is {value}; a whole number is right")
        number = int(value)
        if not self.least <= number <= self.most:
            raise self.refuse("out-of-range", f"is {show(number)}; {self.least} to {self.most} is right")
        return number


class Boolean(WireField):
    """True or false, and nothing that might mean one of them."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.refuse("not-a-boolean", f"is {show(value)}; true or false is right")
        return value


class Text(WireField):
    """A text of one line, which a database can keep: no control characters."""

    def __init__(self, *, longest: int = 200, pattern: str | None = None, wanted: str = "", **options: Any) -> None:
        self.longest = longest
        self.expression = re.compile(pattern, re.ASCII) if pattern else None
        self.wanted = wanted
        described = {"minLength": 1, "maxLength": longest, "pattern": pattern or PLAIN_PATTERN}
        super().__init__(described=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise self.refuse("not-a-text", f"is {show(value)}; a text is right")
        if not 1 <= len(value) <= self.longest:
            found = f"is {len(value)} characters long" if value else "is empty"
            raise self.refuse("text-length", f"{found}; 1 to {self.longest} characters are right")
        if CONTROL.search(value):
            raise self.refuse(
                "text-characters", "has a control character or half of a surrogate pair; plain text is right"
            )
        if self.expression and not self.expression.fullmatch(value):
            raise self.refuse("text-pattern", f"is {show(value)}; {self.wanted} is right")
        return value


class Choice(WireField):
    """One of a few words."""

    def __init__(self, words: Mapping[str, Any], **options: Any) -> None:
        self.words = dict(words)
        allowed = [*self.words, None] if options.get("allow_none") else [*self.words]
        super().__init__(described={"enum": allowed}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str) or value not in self.words:
            raise self.refuse("not-a-choice", f"is {show(value)}; one of {', '.join(self.words)} is right")
        return self.words[value]


class CardField(WireField):
    """A card: rank then suit."""

    def __init__(self, **options: Any) -> None:
        super().__init__(described={"pattern": CARD_PATTERN, "example": "As"}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Card:
        card = BY_NAME.get(value) if isinstance(value, str) else None
        if card is None:
            wanted = f"a rank of {RANKS} and a suit of {SUITS}, like 'As' or 'Td', is right"
            raise self.refuse("card-unknown", f"is {show(value)}; {wanted}")
        return card


class Listing(WireField, fields.List[Any]):
    """A list, with a bound on its length; where more is wrong in it than is ever shown, the rest is not looked at."""

    def __init__(self, inner: fields.Field[Any], *, most: int, least: int = 0, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(inner, described={"minItems": least, "maxItems": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.refuse("not-a-list", f"is {show(value)}; a list is right")
        if not self.least <= len(value) <= self.most:
            raise self.refuse("list-length", f"has {len(value)} items; {self.least} to {self.most} are right")
        read: list[Any] = []
        mistakes: dict[int, Any] = {}
        found = 0
        for index, item in enumerate(value):
            try:
                read.append(self.inner.deserialize(item, **kwargs))
            except ValidationError as error:
                mistakes[index] = error.messages
                found += count_mistakes(error.messages)
                if found >= MOST_SHOWN:
                    break
        if mistakes:
            raise ValidationError(mistakes, valid_data=read)
        return read

    @property
    def value_reader(self) -> Reader:
        """What reads a list of the right length whose items are right."""
        read, least, most = reader_of(self.inner), self.least, self.most

        def read_all(value: Any) -> list[Any]:
            if type(value) is not list or not least <= len(value) <= most:
                raise ValidationError("")
            return [read(item) for item in value]

        return read_all


class _Cards(Listing):
    """Cards, which are read all at once."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return tuple(super()._deserialize(value, attr, data, **kwargs))

    @property
    def value_reader(self) -> Reader:
        """What reads cards that are all well written."""
        least, most, by_name = self.least, self.most, BY_NAME

        def read_all(value: Any) -> tuple[Card, ...]:
            if type(value) is not list or not least <= len(value) <= most:
                raise ValidationError("")
            try:
                return tuple([by_name[name] for name in value])
            except TypeError as error:  # what is no name at all
                raise ValidationError("") from error

        return read_all


class RowField(_Cards):
    """The cards of one row."""

    def __init__(self, size: int, **options: Any) -> None:
        self.size = size
        super().__init__(CardField(), least=size, most=size, **_each_once(options))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, list) and len(value) != self.size:
            raise self.refuse("row-size", f"has {len(value)} cards; {self.size} belong there")
        return super()._deserialize(value, attr, data, **kwargs)


class CardList(_Cards):
    """Cards outside a row: dealt, discarded or set by the clock."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(CardField(), most=most, **_each_once(options))


def _each_once(options: dict[str, Any]) -> dict[str, Any]:
    """Describe cards as those of one deck; the rules, which know who else has a card, refuse it a second time."""
    return {**options, "metadata": {"uniqueItems": True, **options.get("metadata", {})}}


class Time(WireField):
    """A moment: RFC 3339, with its offset."""

    def __init__(self, **options: Any) -> None:
        super().__init__(described={"format": "date-time", "example": "2026-11-20T20:15:00Z"}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        wanted = "RFC 3339 with an offset, like 2026-11-20T20:15:00Z, is right"
        if not isinstance(value, str) or not _TIME.fullmatch(value):
            raise self.refuse("not-a-time", f"is {show(value)}; {wanted}")
        try:
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except ValueError:
            raise self.refuse("not-a-time", f"is {show(value)}; {wanted}") from None
        except OverflowError:
            raise self.refuse("not-a-time", f"is {show(value)}, outside the calendar; {wanted}") from None


class UuidField(Text):
    """An id that the service made."""

    def __init__(self, **options: Any) -> None:
        described = {"format": "uuid", "minLength": 36, "pattern": UUID_PATTERN, **options.pop("metadata", {})}
        super().__init__(longest=36, metadata=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not _UUID.fullmatch(text):
            raise self.refuse("not-an-id", f"is {show(value)}; a UUID is right")
        return UUID(text)


class Inner(WireField, fields.Nested):
    """An object inside another."""

    @property
    def value_reader(self) -> Reader:
        """What reads an object that is right."""
        schema = self.schema
        assert isinstance(schema, WireSchema), "objects on the wire are read strictly"
        return schema.reader


class Table(WireField, fields.Dict):
    """An object whose keys are words and whose values are all of one kind."""

    def __init__(self, values: fields.Field[Any], *, most: int = 64, **options: Any) -> None:
        self.most = most
        super().__init__(keys=fields.String(), values=values, described={"maxProperties": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise self.refuse("not-an-object", f"is {show(value)}; an object is right")
        if len(value) > self.most:
            raise self.refuse("list-length", f"has {len(value)} entries; {self.most} at most are right")
        mistakes: dict[str, Any] = {}
        read: dict[str, Any] = {}
        for key, inner in value.items():
            try:
                if len(key) > _SHOWN:
                    raise self.refuse("text-length", f"has a key of {len(key)} characters; {_SHOWN} at most are right")
                read[key] = self.value_field.deserialize(inner) if self.value_field else inner
            except ValidationError as error:
                mistakes[key] = error.messages
        if mistakes:
            raise ValidationError(mistakes)
        return read


class Anything(WireField):
    """A part of an answer's own shape, compared and never believed."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise self.refuse("not-an-object", f"is {show(value)}; an object, part of the answer's shape, is right")
        return value


class Figure(WireField):
    """A figure of an answer, of whatever shape it is kept in."""

    def __init__(self, **options: Any) -> None:
        kinds = {"type": ["object", "array", "string", "integer"]}
        bounds = {"minimum": -MOST_INTEGER, "maximum": MOST_INTEGER, "maxLength": 1000, "minItems": 0, "maxItems": 1000}
        super().__init__(described={**kinds, **bounds}, allow_none=True, **options)


def show_time(moment: datetime | None) -> str | None:
    """
    Write a moment as the wire does.

    >>> show_time(datetime(2026, 11, 20, 20, 15, tzinfo=UTC))
    '2026-11-20T20:15:00Z'
    """
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
