"""The types of the contract in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from schemas.fields import CARD_PATTERN, PLAIN_PATTERN

Document = dict[str, Any]

_MOST_WORTH_SAYING: Final = 1_000_000
"""Bounds beyond it only keep numbers readable for every client."""


@dataclass(frozen=True, slots=True)
class Word:
    """A part of a type: a word, a value as it is written, or the name of a shape, which leads to it."""

    text: str
    is_value: bool = False
    is_shape: bool = False


Words = tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field, parameter or header."""

    name: str
    type: Words
    is_required: bool
    description: str
    place: str | None = None
    example: str | None = None


def fields_of(schema: Document) -> tuple[Field, ...]:
    """List the fields of an object."""
    required = schema.get("required", ())
    return tuple(
        Field(name, say_type(described), name in required, described.get("description", ""))
        for name, described in schema.get("properties", {}).items()
    )


def say_type(schema: Document) -> Words:
    """
    Say what a schema takes.

    >>> "".join(word.text for word in say_type({"type": "integer", "minimum": 1, "maximum": 4}))
    'integer, 1 to 4'
    >>> "".join(word.text for word in say_type({"type": "array", "items": {"$ref": "#/components/schemas/Hand"}}))
    'list, each: Hand'
    """
    return tuple(_words(schema))


def _words(schema: Document) -> Iterator[Word]:
    if "$ref" in schema:
        yield Word(schema["$ref"].rpartition("/")[2], is_shape=True)
    elif "anyOf" in schema or "allOf" in schema:
        yield from _joined([_words(part) for part in schema.get("anyOf") or schema["allOf"]])
    elif "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        yield from _joined([iter([Word("null" if value is None else str(value), is_value=True)]) for value in values])
    else:
        yield from _plain_words(schema)


def _plain_words(schema: Document) -> Iterator[Word]:
    types = schema.get("type", "anything")
    kinds = [types] if isinstance(types, str) else [kind for kind in types if kind != "null"]
    kind = kinds[0]
    if kind == "array":
        fewest, most = schema.get("minItems", 0), schema.get("maxItems")
        yield Word(f"list of {fewest}" if fewest and fewest == most else "list")
        yield Word(", each: ")
        yield from _words(schema["items"])
    elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        yield Word("object, each value: ")
        yield from _words(schema["additionalProperties"])
    else:
        yield Word(" or ".join(kinds))
        yield from _limits(schema)
    if "null" in types and not isinstance(types, str):
        yield Word(" or null")


def _limits(schema: Document) -> Iterator[Word]:
    """Say what a plain value is bound to."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and abs(least) <= _MOST_WORTH_SAYING:
        is_open = most is None or most > _MOST_WORTH_SAYING
        yield Word(f", {least} or more" if is_open else f", {least} to {most}")
    if schema.get("pattern") == CARD_PATTERN:
        yield Word(", a card: ")
        yield Word("As", is_value=True)
    elif "format" in schema:
        yield Word(f", {schema['format']}")
    elif schema.get("pattern", PLAIN_PATTERN) != PLAIN_PATTERN:
        yield Word(", ")
        yield Word(schema["pattern"], is_value=True)
    if "maxLength" in schema:
        yield Word(f", up to {schema['maxLength']} characters")
    if schema.get("default") is not None:
        yield Word(f"; {str(schema['default']).lower()} if left out")


def _joined(parts: list[Iterator[Word]]) -> Iterator[Word]:
    for number, part in enumerate(parts):
        if number:
            yield Word(" or " if number == len(parts) - 1 else ", ")
        yield from part
