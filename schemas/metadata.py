"""Metadata: texts of the client's own about a record, by keys of its own."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from marshmallow import ValidationError

from evidence import canonical_json
from schemas.base import WireSchema, show
from schemas.fields import Dictionary, Text

Metadata = Mapping[str, str]

MOST_ENTRIES: Final = 20
LONGEST_VALUE: Final = 500
_LONGEST_KEY: Final = 40
_KEY_PATTERN: Final = f"^[A-Za-z0-9_.:-]{{1,{_LONGEST_KEY}}}$"
NO_METADATA: Final[Metadata] = {}


class MetadataKey(Text):
    """A key of metadata."""

    def __init__(self) -> None:
        meaning = "letters of the English alphabet, digits, and the characters _ . : -"
        super().__init__(longest=_LONGEST_KEY, pattern=_KEY_PATTERN, meaning=meaning)


_KEY: Final = MetadataKey()


class MetadataField(Dictionary):
    """The client's own texts about a record."""

    default_description = (
        f"The client's own texts about the record, by the client's own keys: at most {MOST_ENTRIES}, which can be"
        " erased."
    )

    def __init__(self, **options: Any) -> None:
        described = {
            "propertyNames": {"minLength": 1, "maxLength": _LONGEST_KEY, "pattern": _KEY_PATTERN},
            "example": {"tournament": "friday-7"},
        }
        super().__init__(Text(longest=LONGEST_VALUE), most=MOST_ENTRIES, metadata=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        mistakes: dict[str, Any] = {}
        for key in value if isinstance(value, dict) and len(value) <= self.most else ():
            try:
                _KEY.deserialize(key)
            except ValidationError as error:
                mistakes[show(key)] = error.messages
        if mistakes:
            raise ValidationError(mistakes)
        return super()._deserialize(value, attr, data, **kwargs)


class MetadataChangesSchema(WireSchema):
    """The metadata that a record has from now on, instead of those that it had."""

    metadata = MetadataField(
        required=True, description="All metadata of the record. An empty object removes them; what it had is erased."
    )


def write_metadata(metadata: Metadata) -> str:
    """
    Return metadata as one text, canonical JSON, whose digest events have.

    >>> write_metadata({"b": "2", "a": "1"})
    '{"a":"1","b":"2"}'
    """
    return canonical_json(dict(metadata)).decode()


def read_metadata(written: str | None) -> Metadata:
    """
    Return metadata from their text; none without a text.

    >>> read_metadata('{"a":"1"}'), read_metadata(None)
    ({'a': '1'}, {})
    """
    metadata: Metadata = NO_METADATA if written is None else orjson.loads(written)
    return metadata
