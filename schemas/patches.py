"""JSON Patch (RFC 6902): what to change in a document, change by change."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

import jsonpatch
import jsonpointer
from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireError, WireField, WireSchema
from schemas.fields import Choice, Inner, Listing, Text
from scoring.errors import Mistake

MOST_CHANGES: Final = 1000
MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""What a document may grow to: copies of copies would make it any size."""

LONGEST_TEXT: Final = 500
MOST_ITEMS: Final = 10_000
_OPERATIONS: Final = ("add", "remove", "replace", "move", "copy", "test")
_WITH_VALUE: Final = {"add", "replace", "test"}
_WITH_SOURCE: Final = {"move", "copy"}
_POINTER: Final = r"^(/([^~/\u0000-\u001f\u007f]|~[01])*)+$"
_FAILURES: Final = (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, LookupError, TypeError, ValueError)


class PointerField(Text):
    """A place in the document, as RFC 6901 writes it."""

    def __init__(self, **options: Any) -> None:
        wanted = "a JSON pointer like /hands/0/button"
        super().__init__(longest=LONGEST_TEXT, pattern=_POINTER, wanted=wanted, **options)


class ValueField(WireField):
    """Any JSON value; a document has no text that is longer than a reason, and no list of more than all hands."""

    def __init__(self, **options: Any) -> None:
        described = {
            "type": ["object", "array", "string", "number", "boolean"],
            "maxLength": LONGEST_TEXT,
            "minItems": 0,
            "maxItems": MOST_ITEMS,
        }
        super().__init__(allow_none=True, described=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise self.refuse("text-length", f"is {len(value)} characters long; {LONGEST_TEXT} at most are right")
        if isinstance(value, list) and len(value) > MOST_ITEMS:
            raise self.refuse("list-length", f"has {len(value)} items; {MOST_ITEMS} at most are right")
        return value


class ChangeSchema(WireSchema):
    """One change to a document."""

    op = Choice({name: name for name in _OPERATIONS}, required=True)
    path = PointerField(required=True, metadata={"example": "/hands/1/players/0/top/2"})
    source = PointerField(data_key="from", metadata={"description": "Where `move` and `copy` take from."})
    value = ValueField(metadata={"description": "What `add`, `replace` and `test` mean."})

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_parts(self, read: dict[str, Any], received: Any, **_: Any) -> None:
        mistakes: dict[str, list[Sentence]] = {}
        for key, operations in (("value", _WITH_VALUE), ("from", _WITH_SOURCE)):
            if read.get("op") in operations and key not in received:
                mistakes[key] = [Sentence("field-missing", f"is missing; {read['op']} needs it")]
        if mistakes:
            raise ValidationError(mistakes)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Dumped:
        return {("from" if name == "source" else name): value for name, value in read.items()}


class PatchField(Listing):
    """Changes to a document, made one after the other."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Inner(ChangeSchema), most=MOST_CHANGES, **options)


def apply_patch(document: Mapping[str, Any], changes: Sequence[Mapping[str, Any]]) -> Any:
    """
    Make changes to a copy of a document, one after the other.

    >>> apply_patch({"hands": [{"button": 1}]}, [{"op": "replace", "path": "/hands/0/button", "value": 2}])
    {'hands': [{'button': 2}]}

    Raises:
        WireError: a change cannot be made; it is named by its number, from 0.
    """
    changed: Any = deepcopy(document)
    for index, change in enumerate(changes):
        try:
            changed = jsonpatch.JsonPatch([change]).apply(changed, in_place=True)
        except jsonpatch.JsonPatchTestFailed:
            raise _failed("patch-test", index, f"tests for another value than there is at {change['path']}") from None
        except _FAILURES as error:
            raise _failed("patch-failed", index, f"cannot be made: {str(error)[:200]}") from error
        if change["op"] == "copy":
            _refuse_growth(changed, index)
    return changed


def _refuse_growth(document: object, index: int) -> None:
    try:
        is_too_large = len(json.dumps(document)) > MOST_CHARACTERS
    except RecursionError:
        is_too_large = True
    if is_too_large:
        raise _failed("patch-growth", index, "makes the document larger than any round is")


def _failed(code: str, index: int, detail: str) -> WireError:
    return WireError((Mistake(code, ("patch", index), detail),))
