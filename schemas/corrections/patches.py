"""JSON Patch (RFC 6902): changes to a round's document."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import jsonpatch
import jsonpointer
from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireError, WireField, WireSchema
from schemas.fields import Choice, Inner, Listing, Text
from scoring.errors import Mistake

MOST_CHANGES: Final = 1000
MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""Maximum size of a patched document: repeated `copy` operations would otherwise make it any size."""
LONGEST_TEXT: Final = 500
MOST_ITEMS: Final = 10_000
_OPERATIONS: Final = ("add", "remove", "replace", "move", "copy", "test")
_WITH_VALUE: Final = {"add", "replace", "test"}
_WITH_SOURCE: Final = {"move", "copy"}
_POINTER: Final = r"^(/([^~/\u0000-\u001f\u007f]|~[01])*)+$"
_FAILURES: Final = (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, LookupError, TypeError, ValueError)


class PointerField(Text):
    """A JSON pointer (RFC 6901) into the document."""

    def __init__(self, **options: Any) -> None:
        meaning = "a JSON pointer like /hands/0/button"
        super().__init__(longest=LONGEST_TEXT, pattern=_POINTER, meaning=meaning, **options)


class ValueField(WireField):
    """Any JSON value, with the longest text and array that a document can have."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_none=True, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise self.refuse("text-length", f"is {len(value)} characters long; expected at most {LONGEST_TEXT}")
        if isinstance(value, list) and len(value) > MOST_ITEMS:
            raise self.refuse("list-length", f"has {len(value)} items; expected at most {MOST_ITEMS}")
        return value


class PatchOperationSchema(WireSchema):
    """One operation of a JSON Patch (RFC 6902)."""

    op = Choice({name: name for name in _OPERATIONS}, required=True, description="The operation, as in RFC 6902.")
    path = PointerField(
        required=True,
        metadata={"example": "/hands/1/players/0/top/2"},
        description="JSON pointer (RFC 6901) to the value to change.",
    )
    source = PointerField(data_key="from", description="JSON pointer (RFC 6901) to the value to `move` or `copy`.")
    value = ValueField(description="The value to `add`, `replace` or `test`.")

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_parts(self, read: dict[str, Any], received: Any, **_: Any) -> None:
        mistakes: dict[str, list[Sentence]] = {}
        for key, operations in (("value", _WITH_VALUE), ("from", _WITH_SOURCE)):
            if read.get("op") in operations and key not in received:
                mistakes[key] = [Sentence("field-missing", f"is required by {read['op']}")]
        if mistakes:
            raise ValidationError(mistakes)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Dumped:
        return {("from" if name == "source" else name): value for name, value in read.items()}


class PatchField(Listing):
    """A JSON Patch: operations that are applied in order."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Inner(PatchOperationSchema), most=MOST_CHANGES, **options)


Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """
    The effect of one item of a request at one place in a document.

    Attributes:
        place: the path in the document.
        request: the path of the item in the request.
        value: the path of the new value in the request, if the request has it.
        inserted: whether the place was inserted into an array.
        removed: whether the place was removed.
    """

    place: Place
    request: Place
    value: Place | None = None
    inserted: bool = False
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Patched:
    """A changed document, and the source of its parts in the request."""

    document: Any
    changes: Sequence[Change]

    def find_source(self, place: Place) -> Place | None:
        """
        Return the path in the request of a changed place; None if nothing changed it.

        >>> patch = [{"op": "remove", "path": "/hands/0"}, {"op": "add", "path": "/hands/-", "value": {"button": 2}}]
        >>> patched = apply_patch({"hands": [{"button": 1}, {"button": 3}]}, patch)
        >>> patched.find_source(("hands", 1, "button")), patched.find_source(("hands", 0, "button"))
        (('patch', 1, 'value', 'button'), None)
        """
        for change in reversed(self.changes):
            length = len(change.place)
            is_inside = place[:length] == change.place
            if is_inside and not change.removed:
                return change.request if change.value is None else (*change.value, *place[length:])
            if place and change.place[: len(place)] == place and len(place) < length:
                return change.request
            place = _before(place, change)
        return None


def _before(place: Place, change: Change) -> Place:
    """Return the path of a place before an array grew or shrank in front of it."""
    *parent, index = change.place
    if not (change.inserted or change.removed) or place[: len(parent)] != tuple(parent) or len(place) <= len(parent):
        return place
    key = place[len(parent)]
    if not isinstance(index, int) or not isinstance(key, int) or key < index:
        return place
    return (*parent, key + (1 if change.removed else -1), *place[len(parent) + 1 :])


def apply_patch(document: Mapping[str, Any], patch: Sequence[Mapping[str, Any]]) -> Patched:
    """
    Apply the operations of a patch to a copy of a document, in order.

    >>> patch = [{"op": "replace", "path": "/hands/0/button", "value": 2}]
    >>> apply_patch({"hands": [{"button": 1}]}, patch).document
    {'hands': [{'button': 2}]}

    Raises:
        WireError: an operation cannot be applied; the path has its number, from 0.
    """
    changed: Any = deepcopy(document)
    changes: list[Change] = []
    for index, operation in enumerate(patch):
        before = _removal(changed, index, operation)
        try:
            changed = jsonpatch.JsonPatch([operation]).apply(changed, in_place=True)
        except jsonpatch.JsonPatchTestFailed:
            detail = f"cannot be applied: `test` expects another value than the value at {operation['path']}"
            raise _patch_error("patch-test", index, detail) from None
        except _FAILURES as error:
            raise _patch_error("patch-failed", index, f"cannot be applied: {str(error)[:200]}") from error
        if operation["op"] == "copy":
            _check_size(changed, index)
        changes += [*before, *_addition(changed, index, operation)]
    return Patched(changed, changes)


def _removal(document: object, index: int, operation: Mapping[str, Any]) -> list[Change]:
    """List what an operation removes, before it is applied."""
    if operation["op"] not in ("remove", "move"):
        return []
    pointer = operation["path" if operation["op"] == "remove" else "from"]
    return [Change(_place(document, pointer), ("patch", index), removed=True)]


def _addition(document: object, index: int, operation: Mapping[str, Any]) -> list[Change]:
    """List what an operation adds, after it was applied."""
    kind = operation["op"]
    if kind in ("remove", "test"):
        return []
    place = _place(document, operation["path"])
    value: Place | None = ("patch", index, "value") if kind in _WITH_VALUE else None
    inserted = kind != "replace" and bool(place) and isinstance(place[-1], int)
    return [Change(place, ("patch", index), value, inserted=inserted)]


def _place(document: Any, pointer: str) -> Place:
    """Return a JSON pointer as keys and indices; `-` is the last item of an array."""
    place: list[str | int] = []
    for part in pointer.split("/")[1:]:
        key: str | int = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list):
            key = len(document) - 1 if key == "-" else int(key) if str(key).isdecimal() else key
        place.append(key)
        try:
            document = document[key]
        except (LookupError, TypeError):
            document = None
    return tuple(place)


def _check_size(document: object, index: int) -> None:
    try:
        is_too_large = len(json.dumps(document)) > MOST_CHARACTERS
    except RecursionError:
        is_too_large = True
    if is_too_large:
        raise _patch_error("patch-growth", index, "cannot be applied: the document would be larger than a round can be")


def _patch_error(code: str, index: int, detail: str) -> WireError:
    return WireError((Mistake(code, ("patch", index), detail),))
