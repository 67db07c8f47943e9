"""What every schema has in common: unknown fields are refused, and every mistake has a code and a place."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from marshmallow import RAISE, Schema, ValidationError

from scoring.errors import Mistake, Path

Dumped = dict[str, Any]
"""A document as it goes out."""


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


class WireSchema(Schema):
    """An object on the wire."""

    class Meta:
        """Refuse what is not declared."""

        unknown = RAISE

    named: ClassVar[str] = "an object"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        known = ", ".join(field.data_key or name for name, field in self.load_fields.items())
        self.error_messages = {
            **self.error_messages,
            "unknown": Sentence("field-unknown", f"is not known here; known are {known}"),
            "type": Sentence("not-an-object", f"is not {self.named}; one with {known} is right"),
        }


class WireError(Exception):
    """What was received cannot be read as what it should be; every mistake is named."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        super().__init__("; ".join(mistake.detail for mistake in mistakes))


def load(schema: Schema, received: object) -> Any:
    """
    Read a decoded document.

    Raises:
        WireError: with every mistake and its place.
    """
    try:
        return schema.load(received)  # type: ignore[arg-type]  # the schema itself refuses what is not an object
    except ValidationError as error:
        raise WireError(tuple(find_mistakes(error))) from error


def find_mistakes(error: ValidationError) -> Iterator[Mistake]:
    """List what a validation found, each with its code and its place; fields that are not known come last, by name."""
    found = list(_walk(error.messages, ()))
    # The library finds them in another order in every process.
    unknown = [mistake for mistake in found if mistake.code == "field-unknown"]
    yield from (mistake for mistake in found if mistake.code != "field-unknown")
    yield from sorted(unknown, key=lambda mistake: str(mistake.path))


def _walk(messages: object, path: Path) -> Iterator[Mistake]:
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from _walk(inner, path if key == "_schema" else (*path, key))
    elif isinstance(messages, list):
        for message in messages:
            yield from _walk(message, path)
    else:
        yield Mistake(getattr(messages, "code", "invalid"), path, str(messages))
