"""
Encode and decode event payloads as JSON, by the types of their dataclass fields.

A field has the name of its JSON key. Cards, ids, times and digests are texts in JSON: `"As"`, a UUID in small letters,
RFC 3339 in UTC, and hexadecimal digits.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import EnumType
from operator import attrgetter
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    NewType,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)
from uuid import UUID

import orjson

from evidence.canonical import canonical_json
from evidence.errors import EvidenceError
from evidence.tree import HASH_BYTES
from scoring.cards import BY_NAME, NAMES, Card
from scoring.errors import Mistake, Path
from scoring.round_state import RoundSeat

T = TypeVar("T")

CanonicalJson = NewType("CanonicalJson", bytes)
"""A JSON object as `canonical_json` writes it, which is copied into the JSON around it."""

JsonObject = Annotated[dict[str, Any], "JSON"]
"""A JSON object, of which nothing more is decoded."""
Base64 = Annotated[bytes, "base64"]
"""Bytes that are base64 in JSON, where others are hexadecimal digits."""
Hash = Annotated[bytes, "hash"]
"""Likewise, 32 bytes."""
Lines = Annotated[str, "lines"]
"""A text of several lines."""

_KEY: Final = "key"
_OMITTED: Final = "omitted"
OMITTED: Final = {_OMITTED: True}
"""The metadata of a dataclass field that JSON leaves out where it has its default."""
_NAMES: Final[dict[tuple[type[Any], str], str]] = {(RoundSeat, "opening_stack"): "stack"}
"""JSON keys of fields of the rules' own types that are named otherwise here."""
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_CONTROLS_IN_LINES: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.(?!000000)[0-9]{6})?Z")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_]+")
_LONGEST_SHOWN: Final = 60


def named(key: str) -> dict[str, str]:
    """Return the metadata of a dataclass field with another JSON key than its name."""
    return {_KEY: key}


Decoder = Callable[[Any], Any]
"""Decodes JSON, or raises an `EvidenceError` with places."""


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """How values of a type are encoded as JSON and decoded. A value has one encoding; `decode` refuses every other."""

    encode: Callable[[T], Any]
    decode: Callable[[Any], T]


def codec_of(type_: Any) -> Codec[Any]:
    """
    Return the codec of a type.

    >>> codec_of(tuple[int, ...]).decode([1, 2]), codec_of(bytes | None).encode(b"AB")
    ((1, 2), '4142')
    """
    if type_ not in _CODECS:
        _CODECS[type_] = _make_codec(type_)
    return _CODECS[type_]


def _make_codec(type_: Any) -> Codec[Any]:
    if get_origin(type_) in (Union, UnionType):
        [inner] = [each for each in get_args(type_) if each is not NoneType]
        return _optional(codec_of(inner))
    if get_origin(type_) is tuple:
        item, _ = get_args(type_)
        return _list_of(codec_of(item))
    if isinstance(type_, EnumType):
        return _choice_of(type_)
    if is_dataclass(type_):
        return _object_of(cast(type[Any], type_))
    raise TypeError(f"{type_} has no form in JSON")


def refuse_value(code: str, value: object, expected: str) -> NoReturn:
    """
    Refuse a value that was read.

    Raises:
        EvidenceError: always.
    """
    raise EvidenceError((Mistake(code, (), f"is {show_value(value)}; expected {expected}"),))


def show_value(value: object) -> str:
    """
    Return a value as JSON, shortened if it is long.

    >>> show_value("three"), show_value(None)
    ("'three'", 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    return repr(value)[:_LONGEST_SHOWN]


def show_place(path: Path) -> str:
    """
    Return a place in a payload as code would write it.

    >>> show_place(("document", "seats", 0, "stack"))
    'document.seats[0].stack'
    """
    steps = [f".{step}" if isinstance(step, str) and _PLAIN.fullmatch(step) else f"[{step!r}]" for step in path]
    return "".join(steps).removeprefix(".")


def write_time(at: datetime) -> str:
    """
    Return a time in UTC as RFC 3339.

    >>> write_time(datetime(2026, 11, 20, 20, 15, tzinfo=UTC))
    '2026-11-20T20:15:00Z'
    """
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _same(value: T) -> T:
    return value


def _under(error: EvidenceError, *place: str | int) -> Iterator[Mistake]:
    return (mistake.under(*place) for mistake in error.mistakes)


def _checked(type_: type[T], code: str, expected: str) -> Codec[T]:
    """Return the codec of a type that JSON has too; true and false are no numbers."""

    def decode(value: Any) -> T:
        if type(value) is not type_:
            refuse_value(code, value, expected)
        return value

    return Codec(_same, decode)


def _parsed(encode: Callable[[T], str], parse: Callable[[str], T], code: str, expected: str) -> Codec[T]:
    """Return the codec of a type that is a text in JSON; the same value has one way of being written."""

    def decode(value: Any) -> T:
        try:
            parsed = parse(value)
            if encode(parsed) == value:
                return parsed
        except (ValueError, TypeError, AttributeError, OverflowError):
            pass
        refuse_value(code, value, expected)

    return Codec(encode, decode)


def _decode_text(value: Any) -> str:
    if type(value) is not str:
        refuse_value("not-a-text", value, "a text")
    if _CONTROLS.search(value):
        refuse_value("text-characters", value, "no control characters")
    return value


def _decode_lines(value: Any) -> str:
    if type(value) is not str or not value:
        refuse_value("not-a-text", value, "a signed note")
    if _CONTROLS_IN_LINES.search(value):
        refuse_value("text-characters", value, "no control characters but line feeds")
    return value


def _encode_base64(value: bytes) -> str:
    return b64encode(value).decode()


def _decode_base64(written: str) -> bytes:
    return b64decode(written, validate=True)


def _decode_hash(value: Any) -> bytes:
    decoded: bytes = _BASE64.decode(value)
    if len(decoded) != HASH_BYTES:
        detail = f"has {len(decoded)} bytes; expected {HASH_BYTES}"
        raise EvidenceError((Mistake("hash-length", (), detail),))
    return decoded


def _decode_json(value: Any) -> CanonicalJson:
    if type(value) is not dict:
        refuse_value("not-an-object", value, "an object")
    return CanonicalJson(canonical_json(value))


def _optional(inner: Codec[T]) -> Codec[T | None]:
    return Codec(
        lambda value: None if value is None else inner.encode(value),
        lambda value: None if value is None else inner.decode(value),
    )


def _list_of(item: Codec[T]) -> Codec[tuple[T, ...]]:
    encode_item, decode_item = item.encode, item.decode

    def decode(value: Any) -> tuple[T, ...]:
        if type(value) is not list:
            refuse_value("not-a-list", value, "a list")
        try:
            return tuple([decode_item(each) for each in value])
        except EvidenceError:
            raise EvidenceError(tuple(_list_mistakes(item, value))) from None

    return Codec(list if encode_item is _same else lambda value: [encode_item(each) for each in value], decode)


def list_decoder(decode_item: Decoder) -> Decoder:
    """Return what decodes lists, item by item, as a tuple."""
    return _list_of(Codec(_same, decode_item)).decode


def optional_decoder(decode: Decoder) -> Decoder:
    """Return what decodes null as None, and any other value as `decode` does."""
    return _optional(Codec(_same, decode)).decode


def _list_mistakes(item: Codec[Any], value: list[Any]) -> Iterator[Mistake]:
    for index, each in enumerate(value):
        try:
            item.decode(each)
        except EvidenceError as error:
            yield from _under(error, index)


def _decode_cards(value: Any) -> tuple[Card, ...]:
    if type(value) is not list:
        refuse_value("not-a-list", value, "a list")
    try:
        return tuple([BY_NAME[name] for name in value])
    except (KeyError, TypeError):
        refuse_value("card-unknown", value, "cards such as 'As'")


def _choice_of(choices: EnumType) -> Codec[Any]:
    by_value: dict[str, Any] = {choice.value: choice for choice in cast(Iterable[Any], choices)}

    def decode(value: Any) -> Any:
        if type(value) is not str or value not in by_value:
            refuse_value("value-unknown", value, f"one of {', '.join(by_value)}")
        return by_value[value]

    return Codec(attrgetter("value"), decode)


@dataclass(frozen=True, slots=True)
class _Member:
    """A field of an object; one with a default is left out of the JSON where it has that."""

    name: str
    key: str
    codec: Codec[Any]
    default: Any


def _object_of(type_: type[T]) -> Codec[T]:
    hints = get_type_hints(type_, include_extras=True)
    members = [
        _Member(
            each.name,
            each.metadata.get(_KEY) or _NAMES.get((type_, each.name), each.name),
            codec_of(hints[each.name]),
            each.default if each.metadata.get(_OMITTED) else MISSING,
        )
        for each in fields(cast(Any, type_))
    ]
    return Codec(_object_encoder(members), _object_decoder(type_, members))


def object_decoder(make: Callable[..., T], parts: Mapping[str, Decoder]) -> Decoder:
    """Return what decodes objects with these keys, each by its decoder, and makes a value of the parts."""
    return _object_decoder(make, [_Member(key, key, Codec(_same, decode), MISSING) for key, decode in parts.items()])


def _object_decoder(make: Callable[..., T], members: list[_Member]) -> Callable[[Any], T]:
    """Return what decodes objects quickly, and explains those that cannot be decoded."""
    required = [(each.name, each.key, each.codec.decode) for each in members if each.default is MISSING]
    rarely = [each for each in members if each.default is not MISSING]

    def decode(value: Any) -> T:
        try:
            decoded = {name: decode_part(value[key]) for name, key, decode_part in required}
            if len(value) > len(required):
                decoded |= {each.name: each.codec.decode(value[each.key]) for each in rarely if each.key in value}
        except (KeyError, TypeError, EvidenceError):
            raise _explain(members, value) from None
        if len(value) != len(decoded):
            raise _explain(members, value)
        for each in rarely if len(decoded) > len(required) else ():
            if decoded.get(each.name, ...) == each.default:
                detail = f"is {show_value(each.default)}; expected it to be left out"
                raise EvidenceError((Mistake("field-default", (each.key,), detail),))
        return make(**decoded)

    return decode


def _object_encoder(members: list[_Member]) -> Callable[[Any], dict[str, Any]]:
    always = [(each.name, each.key, each.codec.encode) for each in members if each.default is MISSING]
    rarely = [each for each in members if each.default is not MISSING]

    def encode(value: Any) -> dict[str, Any]:
        encoded = {key: encode_part(getattr(value, name)) for name, key, encode_part in always}
        for member in rarely:
            inner = getattr(value, member.name)
            if inner != member.default:
                encoded[member.key] = member.codec.encode(inner)
        return encoded

    return encode


def _explain(members: list[_Member], value: Any) -> EvidenceError:
    """Return every mistake of an object that cannot be decoded."""
    if type(value) is not dict:
        refuse_value("not-an-object", value, "an object")
    mistakes: list[Mistake] = []
    for member in members:
        if member.key in value:
            try:
                member.codec.decode(value[member.key])
            except EvidenceError as error:
                mistakes += _under(error, member.key)
        elif member.default is MISSING:
            mistakes.append(Mistake("field-missing", (member.key,), "is required"))
    unknown = value.keys() - {member.key for member in members}
    mistakes += [Mistake("field-unknown", (key[:_LONGEST_SHOWN],), "is unknown") for key in sorted(unknown)]
    assert mistakes, "what is decoded part by part is decoded as a whole"
    return EvidenceError(tuple(mistakes))


def _decode_time(value: Any) -> datetime:
    if type(value) is str and _TIME.fullmatch(value):
        with suppress(ValueError):
            return datetime.fromisoformat(value)
    refuse_value("not-a-time", value, "a time in UTC such as 2026-11-20T20:15:00Z")


_BASE64: Final = _parsed(_encode_base64, _decode_base64, "not-base64", "canonical base64 with padding")
_CODECS: Final[dict[Any, Codec[Any]]] = {
    bool: _checked(bool, "not-a-boolean", "true or false"),
    int: _checked(int, "not-an-integer", "an integer"),
    str: Codec(_same, _decode_text),
    bytes: _parsed(bytes.hex, bytes.fromhex, "not-a-digest", "hexadecimal digits in small letters"),
    UUID: _parsed(str, UUID, "not-an-id", "a UUID in small letters"),
    datetime: Codec(write_time, _decode_time),
    CanonicalJson: Codec(orjson.Fragment, _decode_json),
    JsonObject: _checked(dict, "not-an-object", "an object"),
    Base64: _BASE64,
    Hash: Codec(_encode_base64, _decode_hash),
    Lines: Codec(_same, _decode_lines),
    tuple[Card, ...]: Codec(lambda cards: [NAMES[card] for card in cards], _decode_cards),
}
