"""What every schema has in common: unknown fields are refused, and every mistake has a code and a place."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar, Final

from marshmallow import RAISE, Schema, ValidationError, fields, missing

from scoring.errors import Mistake, Path

Dumped = dict[str, Any]
"""A document as it goes out."""

MOST_UNKNOWN: Final = 1000
"""Fields of one object that are not known, and are named all the same."""

MOST_SHOWN: Final = 200
"""Mistakes shown of one request; who makes more has not begun to look."""

Reader = Callable[[Any], Any]
"""Reads what is right; of what is not, it says no more than that, by a KeyError or a ValidationError."""


class Sentence(str):
    """A sentence about a mistake that knows the mistake's stable code; libraries pass it on as the text it is."""

    __slots__ = ("code",)

    code: str

    def __new__(cls, code: str, text: str) -> "Sentence":
        """Make the sentence."""
        sentence = super().__new__(cls, text)
        sentence.code = code
        return sentence

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # copies need the code too
        """Say what a copy is made of: schemas are copied with their sentences."""
        return self.code, str(self)


def reader_of(field: fields.Field[Any]) -> Reader:
    """Give what reads the values of a field."""
    return field.reader if isinstance(field, WireField) else field.deserialize


class WireField(fields.Field[Any]):
    """A value that may be left out or must be given, and is null only where null means something."""

    codes: ClassVar[Mapping[str, str]] = {"required": "field-missing", "null": "field-null"}

    def __init__(self, *parts: Any, described: Mapping[str, Any] | None = None, **options: Any) -> None:
        options["metadata"] = {**(described or {}), **options.get("metadata", {})}
        messages: dict[str, Any] = {
            "required": "is missing; it must be given",
            "null": "is null; leave it out or give a value",
        }
        super().__init__(*parts, error_messages=messages, **options)

    def make_error(self, key: str, **values: Any) -> ValidationError:
        """Give the message its code."""
        error = super().make_error(key, **values)
        return ValidationError(Sentence(self.codes.get(key, "value-invalid"), str(error.messages[0])))

    def refuse(self, code: str, text: str) -> ValidationError:
        """Make an error to raise."""
        return ValidationError(Sentence(code, text))

    @property
    def reader(self) -> Reader:
        """What reads the field where it is given; much of a request's time would go into looking for it every time."""
        if self.validators:
            return self.deserialize
        read, is_nullable = self.value_reader, self.allow_none

        def read_given(value: Any) -> Any:
            if value is None:
                if is_nullable:
                    return None
                raise self.make_error("null")
            return read(value)

        return read_given

    @property
    def value_reader(self) -> Reader:
        """What reads a value of the field that is not null."""
        read = self._deserialize
        return lambda value: read(value, None, None)


class WireSchema(Schema):
    """An object on the wire."""

    class Meta:
        """Refuse what is not declared."""

        unknown = RAISE

    named: ClassVar[str] = "an object"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        known = ", ".join(field.data_key or name for name, field in self.load_fields.items())
        self._known = f"known are {known}"
        self.error_messages = {
            **self.error_messages,
            "unknown": Sentence("field-unknown", f"is not known here; {self._known}"),
            "type": Sentence("not-an-object", f"is not {self.named}; one with {known} is right"),
        }

    def load(self, data: Any, **options: Any) -> Any:
        """
        Read an object, or name all that is wrong in it.

        Raises:
            ValidationError: with every mistake; of one with more than a thousand fields too many, that alone.
        """
        if isinstance(data, dict) and len(data) > len(self.load_fields) + MOST_UNKNOWN:
            raise ValidationError([Sentence("fields-too-many", f"has {len(data)} fields; {self._known}")])
        return super().load(data, **options)

    @cached_property
    def reader(self) -> Reader:
        """What reads objects that are right, several times as fast as `load`, which explains what is wrong."""
        hooks = {kind: [name for name, *_ in found] for kind, found in self._hooks.items() if found}
        made_by = hooks.pop("post_load", [])
        known = {field.data_key or name: (field.attribute or name, field) for name, field in self.load_fields.items()}
        defaults = {name: field.load_default for name, field in known.values() if field.load_default is not missing}
        if hooks or len(made_by) > 1 or any(map(callable, defaults.values())):
            return self.load
        readers = {key: (name, reader_of(field)) for key, (name, field) in known.items()}
        required = {key for key, (_, field) in known.items() if field.required}
        make: Reader = getattr(self, made_by[0]) if made_by else dict

        def read(received: Any) -> Any:
            if type(received) is not dict or not required <= received.keys():
                raise ValidationError("")
            values = defaults.copy()
            for key, value in received.items():
                name, read_value = readers[key]
                values[name] = read_value(value)
            return make(values)

        return read


class WireError(Exception):
    """What was received cannot be read as what it should be; every mistake is named."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        super().__init__("; ".join(mistake.detail for mistake in mistakes))


def load(schema: WireSchema, received: Any) -> Any:
    """
    Read a decoded document.

    Raises:
        WireError: with every mistake and its place, but for items of a list after those with more than are shown.
    """
    with suppress(KeyError, ValidationError):  # the long way says what is wrong
        return schema.reader(received)
    try:
        return schema.load(received)
    except ValidationError as error:
        raise WireError(tuple(find_mistakes(error))) from error


def find_mistakes(error: ValidationError) -> Iterator[Mistake]:
    """List what a validation found, each with its code and its place; fields that are not known come last, by name."""
    found = list(_walk(error.messages, ()))
    # The library finds them in another order in every process.
    unknown = [mistake for mistake in found if mistake.code == "field-unknown"]
    yield from (mistake for mistake in found if mistake.code != "field-unknown")
    yield from sorted(unknown, key=lambda mistake: str(mistake.path))


def count_mistakes(messages: object) -> int:
    """
    Count what a validation found.

    >>> count_mistakes({"seat": ["is missing"], "players": {0: {"top": ["is null"]}, 3: ["is 7", "is twice"]}})
    4
    """
    if isinstance(messages, Mapping | list):
        return sum(map(count_mistakes, messages.values() if isinstance(messages, Mapping) else messages))
    return 1


def _walk(messages: object, path: Path) -> Iterator[Mistake]:
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from _walk(inner, path if key == "_schema" else (*path, key))
    elif isinstance(messages, list):
        for message in messages:
            yield from _walk(message, path)
    else:
        yield Mistake(getattr(messages, "code", "invalid"), path, str(messages))
