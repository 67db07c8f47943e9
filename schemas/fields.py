"""Field types. Each error has a code, the value found and the values accepted."""

import re
from calendar import month_name, monthrange
from collections.abc import Mapping
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, fields

from schemas.base import MOST_SHOWN, WireField, count_mistakes, show

MOST_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON parser represents exactly."""
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
FIRST_DATE: Final = date(1900, 1, 1)
_LAST_DATE: Final = date(9998, 12, 31)
_MONTHS: Final = 12
_HOURS: Final = 24
_MINUTES: Final = 60
_LEAP_SECOND: Final = "60"
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
UUID_PATTERN: Final = f"^{_UUID.pattern}$"
_LONGEST_KEY: Final = 60


class Integer(WireField):
    """An integer: 3 or 3.0, but not "3" or true, and no larger than every JSON parser represents exactly."""

    def __init__(self, *, least: int = -MOST_INTEGER, most: int = MOST_INTEGER, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(described={"minimum": least, "maximum": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse("not-an-integer", f"is {show(value)}; expected an integer")
        if isinstance(value, float) and not value.is_integer():
            raise self.refuse("not-an-integer", f"is {value}; expected an integer")
        number = int(value)
        if not self.least <= number <= self.most:
            raise self.refuse("out-of-range", f"is {show(number)}; expected {self.least} to {self.most}")
        return number


class Boolean(WireField):
    """True or false."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.refuse("not-a-boolean", f"is {show(value)}; expected true or false")
        return value


_CONTROL: Final = r"\u0000-\u001f\u007f-\u009f"
_JOINERS: Final = r"\u200c\u200d"
"""ZWNJ and ZWJ, which some scripts and emoji need."""
_FORMAT: Final = (
    r"\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064"
    r"\u2066-\u206f\ufeff\ufff9-\ufffb"
)
_SEPARATORS: Final = r"\u2028\u2029"
_PRIVATE: Final = r"\ue000-\uf8ff"
_IN_TEXTS: Final = _CONTROL + _FORMAT + _SEPARATORS + _PRIVATE
_SURROGATES: Final = r"\ud800-\udfff"
# JSON Schema validators can match one half of a surrogate pair, so the contract leaves these out.
_BEYOND: Final = (
    rf"{_SURROGATES}\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0001\U000e0020-\U000e007f\U000f0000-\U0010ffff"
)
TEXT_PATTERN: Final = f"^[^{_IN_TEXTS}]*$"
"""Pattern of a text of one line, as far as JSON Schema can express it."""
_JOINED: Final = (
    r"\u0620-\u06dc\u06de-\u06ff\u0710-\u088f\u0892-\u08e1\u08e3-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff"
    r"\u1810-\u18af\u1a20-\u1aaf\ufb50-\ufdff\ufe70-\ufefc"
)
"""Letters and marks of scripts that write words with joiners: Arabic, Syriac, those of India, Khmer and others."""
ID_PATTERN: Final = f"^(?:[^{_IN_TEXTS}{_JOINERS}]|[{_JOINED}](?:[{_JOINERS}][{_JOINED}])+)*$"
"""Pattern of an ID, as far as JSON Schema can express it."""
_UNPRINTABLE: Final = re.compile(f"[{_IN_TEXTS}{_BEYOND}]")


class Characters(Enum):
    """
    The characters that a text can contain.

    The lists are those of the Unicode categories Cc, Cf, Cs, Co, Zl and Zp, written out so that every version of Python
    and the contract have the same.
    """

    TEXT = (TEXT_PATTERN, _UNPRINTABLE, f"^[^{_IN_TEXTS}{_BEYOND}]*$")
    """Text and display names: no invisible characters except ZWJ and ZWNJ."""
    ID = (
        ID_PATTERN,
        re.compile(f"[{_IN_TEXTS}{_BEYOND}]|(?<![{_JOINED}])[{_JOINERS}]|[{_JOINERS}](?![{_JOINED}])"),
        f"^(?:[^{_IN_TEXTS}{_BEYOND}{_JOINERS}]|[{_JOINED}](?:[{_JOINERS}][{_JOINED}])+)*$",
    )
    """IDs: no invisible characters except ZWJ and ZWNJ between letters of scripts that need them."""

    @property
    def pattern(self) -> str:
        """The pattern for the contract."""
        return self.value[0]

    @property
    def exact_pattern(self) -> str:
        """The pattern of exactly the accepted texts, for the compiled validator, which accepts no lone surrogates."""
        return self.value[2].replace(_SURROGATES, "")

    def find_refused(self, text: str) -> str | None:
        """Return the first character that the text cannot contain, as `U+` and its number; None if there is none."""
        match = self.value[1].search(text)
        return None if match is None else f"U+{ord(match[0]):04X}"


_WITHOUT: Final = {
    Characters.ID: "a name or id without control, format and private characters",
    Characters.TEXT: "text without control, format and private characters",
}


class Text(WireField):
    """A text of one line without invisible characters."""

    def __init__(
        self,
        *,
        longest: int = 200,
        pattern: str | None = None,
        meaning: str = "",
        characters: Characters = Characters.TEXT,
        **options: Any,
    ) -> None:
        """
        Initialize the field.

        Args:
            longest: maximum number of characters.
            pattern: regular expression of the values.
            meaning: the pattern in words.
            characters: the characters that values can contain.
            options: options of every field.
        """
        self.longest = longest
        self.characters = characters
        self.expression = re.compile(pattern, re.ASCII) if pattern else None
        self.meaning = meaning
        is_exact = pattern is not None and pattern.endswith(f"{{{longest}}}$")
        self.lengths = meaning if is_exact else f"1 to {longest} characters"
        described = {
            "minLength": 1,
            "maxLength": longest,
            "pattern": pattern or characters.pattern,
        }
        super().__init__(described=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise self.refuse("not-a-text", f"is {show(value)}; expected a string")
        if not 1 <= len(value) <= self.longest:
            length = f"is {len(value)} characters long" if value else "is empty"
            raise self.refuse("text-length", f"{length}; expected {self.lengths}")
        refused = self.characters.find_refused(value)
        if refused is not None:
            raise self.refuse("text-characters", f"has the character {refused}; expected {_WITHOUT[self.characters]}")
        if self.expression and not self.expression.fullmatch(value):
            raise self.refuse("text-pattern", f"is {show(value)}; expected {self.meaning}")
        return value


class Choice(WireField):
    """One of a few strings."""

    def __init__(self, words: Mapping[str, Any], **options: Any) -> None:
        self.words = dict(words)
        allowed = [*self.words, None] if options.get("allow_none") else [*self.words]
        super().__init__(described={"enum": allowed}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str) or value not in self.words:
            raise self.refuse("not-a-choice", f"is {show(value)}; expected one of {', '.join(self.words)}")
        return self.words[value]


class Listing(WireField, fields.List[Any]):
    """An array with limits of its length. Validation stops at `MOST_SHOWN` errors."""

    def __init__(self, inner: fields.Field[Any], *, most: int, least: int = 0, **options: Any) -> None:
        self.least, self.most = least, most
        super().__init__(inner, described={"minItems": least, "maxItems": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.refuse("not-a-list", f"is {show(value)}; expected an array")
        if not self.least <= len(value) <= self.most:
            raise self.refuse("list-length", f"has {len(value)} items; expected {self.least} to {self.most}")
        read: list[Any] = []
        mistakes: dict[int, Any] = {}
        count = 0
        for index, item in enumerate(value):
            try:
                read.append(self.inner.deserialize(item, **kwargs))
            except ValidationError as error:
                mistakes[index] = error.messages
                count += count_mistakes(error.messages)
                if count >= MOST_SHOWN:
                    break
        if mistakes:
            raise ValidationError(mistakes, valid_data=read)
        return read


def _why_no_day(text: str) -> str | None:
    """Return why no calendar has a day, given as YYYY-MM-DD; None if it is a day."""
    year, month, day = (int(part) for part in text.split("-"))
    if not 1 <= month <= _MONTHS:
        return f"and a year has {_MONTHS} months"
    days = monthrange(max(year, 1), month)[1]
    if not 1 <= day <= days:
        return f"and {month_name[month]} {year} has {days} days"
    return None if year else "and years begin with 0001"


def _why_no_time(text: str) -> str:
    """
    Return why a time that is written as RFC 3339 wants it is none.

    >>> _why_no_time("2026-02-29T20:15:00Z"), _why_no_time("2026-12-31T23:59:60Z")
    ('and February 2026 has 28 days', 'and leap seconds are not accepted: send the second before it')
    """
    if (why := _why_no_day(text[:10])) is not None:
        return why
    if text[17:19] == _LEAP_SECOND:
        return "and leap seconds are not accepted: send the second before it"
    hour, minute, second = (int(part) for part in text[11:19].split(":"))
    if hour >= _HOURS or minute >= _MINUTES or second >= _MINUTES:
        return "outside the day: hours are 00 to 23, minutes and seconds 00 to 59"
    return "outside the calendar"


class Time(WireField):
    """A time: RFC 3339 with a UTC offset."""

    def __init__(self, **options: Any) -> None:
        super().__init__(described={"format": "date-time", "example": "2026-11-20T20:15:00Z"}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        advice = "expected RFC 3339 with an offset, for example 2026-11-20T20:15:00Z"
        if not isinstance(value, str) or not _TIME.fullmatch(value):
            raise self.refuse("not-a-time", f"is {show(value)}; {advice}")
        try:
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            raise self.refuse("not-a-time", f"is {show(value)}, {_why_no_time(value)}; {advice}") from None


_READ_TIME: Final = Time()


def build_time(text: str | None) -> datetime | None:
    """
    Parse a time, in UTC; None stays None.

    Raises:
        ValidationError: it is not a valid time.
    """
    return None if text is None else _READ_TIME.deserialize(text)


class DateField(WireField):
    """A date."""

    def __init__(self, **options: Any) -> None:
        super().__init__(described={"format": "date", "example": "2026-11-20"}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> date:
        try:
            parsed = date.fromisoformat(value) if _DATE.fullmatch(value) else None
        except ValueError:
            parsed = None
        if parsed is None:
            why = _why_no_day(value) if isinstance(value, str) and _DATE.fullmatch(value) else None
            text = show(value) if why is None else f"{show(value)}, {why}"
            raise self.refuse("not-a-date", f"is {text}; expected a date, for example 2026-11-20")
        if not FIRST_DATE <= parsed <= _LAST_DATE:
            raise self.refuse("out-of-range", f"is {show(value)}; expected {FIRST_DATE} to {_LAST_DATE}")
        return parsed


class Number(WireField):
    """A number of a response, with digits after the decimal point."""


class UuidField(Text):
    """An ID assigned by the service."""

    def __init__(self, **options: Any) -> None:
        described = {"format": "uuid", "minLength": 36, "pattern": UUID_PATTERN, **options.pop("metadata", {})}
        super().__init__(longest=36, metadata=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not _UUID.fullmatch(text):
            raise self.refuse("not-an-id", f"is {show(value)}; expected a UUID")
        return UUID(text)


class Inner(WireField, fields.Nested):
    """A nested object."""


class Dictionary(WireField, fields.Dict):
    """An object with arbitrary keys and values of one type."""

    def __init__(self, values: fields.Field[Any], *, most: int = 64, **options: Any) -> None:
        self.most = most
        super().__init__(keys=fields.String(), values=values, described={"maxProperties": most}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise self.refuse("not-an-object", f"is {show(value)}; expected an object")
        if len(value) > self.most:
            raise self.refuse("list-length", f"has {len(value)} entries; expected at most {self.most}")
        mistakes: dict[str, Any] = {}
        read: dict[str, Any] = {}
        for key, inner in value.items():
            try:
                if len(key) > _LONGEST_KEY:
                    raise self.refuse(
                        "text-length", f"has a key of {len(key)} characters; expected at most {_LONGEST_KEY}"
                    )
                read[key] = self.value_field.deserialize(inner) if self.value_field else inner
            except ValidationError as error:
                mistakes[key] = error.messages
        if mistakes:
            raise ValidationError(mistakes)
        return read


class ExpectedField(WireField):
    """Part of the expected response; it is only compared."""

    default_description = (
        "Part of the expected response. A difference is a 422, and nothing is stored. It is not compared for a replay."
    )

    def __init__(self) -> None:
        super().__init__(described={"additionalProperties": True}, load_default=None)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise self.refuse("not-an-object", f"is {show(value)}; expected an object, a part of the response")
        return value


class AnyValue(WireField):
    """Any JSON value of a response."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_none=True, **options)


def show_time(moment: datetime | None) -> str | None:
    """
    Format a time in RFC 3339, in UTC.

    >>> show_time(datetime(2026, 11, 20, 20, 15, tzinfo=UTC))
    '2026-11-20T20:15:00Z'
    """
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
