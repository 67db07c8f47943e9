"""The base of all schemas: unknown fields are refused, and every error has a code and a path."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, ClassVar, Final

from marshmallow import RAISE, Schema, ValidationError, fields

from scoring.errors import Mistake, Path

Dumped = dict[str, Any]
"""An encoded JSON object."""
MOST_UNKNOWN: Final = 1000
"""Maximum number of unknown fields of one object that are reported one by one."""
MOST_SHOWN: Final = 200
"""Maximum number of errors reported for one request."""


@dataclass(frozen=True, slots=True)
class ComparedMistake(Mistake):
    """A mistake with the values that were compared: `recorded`, `received` or `expected`."""

    values: Mapping[str, Any] = field(default_factory=dict, hash=False)


class Sentence(str):
    """An error message with a stable code. Libraries handle it as a plain string."""

    __slots__ = ("code",)

    code: str

    def __new__(cls, code: str, text: str) -> "Sentence":
        """Create the message."""
        sentence = super().__new__(cls, text)
        sentence.code = code
        return sentence

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # copies need the code too
        """Return the arguments for a copy: marshmallow copies fields with their messages."""
        return self.code, str(self)


class WireField(fields.Field[Any]):
    """A field that is required or optional, and nullable only if it says so."""

    codes: ClassVar[Mapping[str, str]] = {"required": "field-missing", "null": "field-null"}
    default_description: ClassVar[str] = ""

    def __init__(
        self, *parts: Any, described: Mapping[str, Any] | None = None, description: str = "", **options: Any
    ) -> None:
        """
        Initialize the field.

        Args:
            parts: positional arguments of the marshmallow field.
            described: JSON Schema keywords for the contract.
            description: the meaning of the field, for the contract; `default_description` if it is empty.
            options: keyword arguments of the marshmallow field.
        """
        metadata = {**(described or {}), **options.get("metadata", {})}
        if text := description or metadata.get("description", self.default_description):
            metadata["description"] = text
        options["metadata"] = metadata
        messages: dict[str, Any] = {
            "required": "is required",
            "null": "is null; expected a value, or omit it",
        }
        super().__init__(*parts, error_messages=messages, **options)

    def make_error(self, key: str, **values: Any) -> ValidationError:
        """Build a library error with a stable code."""
        error = super().make_error(key, **values)
        return ValidationError(Sentence(self.codes.get(key, "value-invalid"), str(error.messages[0])))

    def refuse(self, code: str, text: str) -> ValidationError:
        """Build the error for an invalid value."""
        return ValidationError(Sentence(code, text))


_SHOWN: Final = 60
_WORDS: Final = {None: "null", True: "true", False: "false"}


def show(value: object) -> str:
    """
    Return a value as JSON text for a message, truncated if it is long; containers only as their type.

    >>> show("Ax"), show(None), show(["As", "Td"])
    ("'Ax'", 'null', 'an array')
    """
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    shown = value.value if isinstance(value, StrEnum) else value
    text = _WORDS[shown] if shown is None or isinstance(shown, bool) else repr(shown)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


class WireSchema(Schema):
    """A JSON object."""

    class Meta:
        """Refuse what is not declared."""

        unknown = RAISE

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        known = ", ".join(field.data_key or name for name, field in self.load_fields.items())
        self._known = f"expected one of {known}"
        self._object = f"expected an object with {known}"
        self.error_messages = {
            **self.error_messages,
            "unknown": Sentence("field-unknown", f"is unknown; {self._known}"),
        }

    def load(self, data: Any, **options: Any) -> Any:
        """
        Parse an object, or report every error in it.

        Raises:
            ValidationError: with every mistake; of one with more than a thousand fields too many, that alone.
        """
        if not isinstance(data, dict):
            raise ValidationError([Sentence("not-an-object", f"is {show(data)}; {self._object}")])
        if len(data) > len(self.load_fields) + MOST_UNKNOWN:
            raise ValidationError([Sentence("fields-too-many", f"has {len(data)} fields; {self._known}")])
        return super().load(data, **options)

    def find_more(self, _received: Any) -> Iterator[Mistake]:
        """List errors between the fields of an object that is not valid as a whole."""
        return iter(())


class WireError(Exception):
    """The received document is not valid. It lists every mistake."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        super().__init__("; ".join(mistake.detail for mistake in mistakes))

    def with_more(self, mistakes: Iterable[Mistake], received: Any) -> "WireError":
        """
        Return the same error with further mistakes of the document, each once, in document order.

        One that names the expected value replaces the same one without it. At `MOST_SHOWN` mistakes, no more are
        searched for.
        """
        if len(self.mistakes) >= MOST_SHOWN:
            return self
        by_place = {(mistake.code, mistake.path): mistake for mistake in self.mistakes}
        for mistake in islice(mistakes, MOST_SHOWN):
            if isinstance(mistake, ComparedMistake) or (mistake.code, mistake.path) not in by_place:
                by_place[mistake.code, mistake.path] = mistake
        return WireError(tuple(in_document_order(by_place.values(), received)))


def in_document_order(mistakes: Iterable[Mistake], received: Any) -> list[Mistake]:
    """
    Sort mistakes by their place in a document; places that the document does not have come last.

    >>> found = [Mistake("a", ("seat",), ""), Mistake("b", ("top", 1), ""), Mistake("c", ("top",), "")]
    >>> [mistake.code for mistake in in_document_order(found, {"top": ["As", "1x"]})]
    ['c', 'b', 'a']
    """

    def place(mistake: Mistake) -> list[int]:
        steps: list[int] = []
        inner = received
        for step in mistake.path:
            if isinstance(inner, Mapping) and step in inner:
                steps.append(list(inner).index(step))
                inner = inner[step]
            elif isinstance(inner, list) and isinstance(step, int) and step < len(inner):
                steps.append(step)
                inner = inner[step]
            else:
                steps.append(len(inner) if isinstance(inner, Mapping | list) else 0)
                inner = None
        return steps

    return sorted(mistakes, key=place)


def load(schema: WireSchema, received: Any) -> Any:
    """
    Parse a decoded JSON document.

    Raises:
        WireError: with every mistake and its path; a list is not searched beyond `MOST_SHOWN` mistakes.
    """
    try:
        return schema.load(received)
    except ValidationError as error:
        raise WireError(tuple(find_mistakes(error))).with_more(schema.find_more(received), received) from error


def find_mistakes(error: ValidationError) -> Iterator[Mistake]:
    """Yield the mistakes of a validation error with code and path; unknown fields come last, sorted by name."""
    mistakes = list(_walk(error.messages, ()))
    # Their order in marshmallow differs from process to process.
    unknown = [mistake for mistake in mistakes if mistake.code == "field-unknown"]
    yield from (mistake for mistake in mistakes if mistake.code != "field-unknown")
    yield from sorted(unknown, key=lambda mistake: str(mistake.path))


def count_mistakes(messages: object) -> int:
    """
    Return the number of messages in a validation error.

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
