"""Requests for corrections and what-ifs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from evidence import canonical_json
from schemas.base import Dumped, Sentence, WireSchema
from schemas.corrections.patches import Patched, PatchField, apply_patch
from schemas.corrections.row_changes import RowChange, RowChangesField, apply_row_changes
from schemas.documents import RoundDocument, RoundDocumentSchema, dump_document, find_document_mistakes
from schemas.fields import Choice, ExpectedField, Inner, Integer, UuidField
from schemas.game_fields import (
    ReasonField,
    RulesetReference,
)
from scoring.errors import Mistake

_ACCEPT: Final = "accept"
_FORMS: Final = ("patch", "document", "changes")


@dataclass(frozen=True, slots=True)
class Edits:
    """Changes to a round's document: the operations of a patch, or changes of rows."""

    patch: Sequence[Mapping[str, Any]] = ()
    changes: Sequence[RowChange] | None = None

    @property
    def field(self) -> str:
        """The field of the request that has the changes."""
        return "patch" if self.changes is None else "changes"

    def __len__(self) -> int:
        """Return the number of changes."""
        return len(self.patch if self.changes is None else self.changes)

    def dump(self) -> Dumped:
        """Encode the changes, as the field of the request that has them."""
        if self.changes is None:
            return {"patch": self.patch}
        return {"changes": [change.dump() for change in self.changes]}

    def apply(self, document: Mapping[str, Any]) -> Patched:
        """
        Apply the changes to a copy of a document.

        Raises:
            WireError: an operation cannot be applied, or a hand or seat does not exist.
            HandError: a changed row has a card that is elsewhere in the hand.
        """
        return apply_patch(document, self.patch) if self.changes is None else apply_row_changes(document, self.changes)


@dataclass(frozen=True)
class CorrectionRequest:
    """
    A correction of a round: a patch of its document, changes of rows, or a whole document.

    Attributes:
        edits: the changes to the round's document; None if the request has the whole document.
        accepts: whether later hands that no longer follow are accepted as played.
        version: version of the round that the correction is based on.
        dispute: the dispute that the correction answers.
    """

    reason: str
    edits: Edits | None
    document: RoundDocument | None
    accepts: bool
    version: int
    dispute: UUID | None
    expected: Mapping[str, Any] | None

    @cached_property
    def identity(self) -> str:
        """The whole request as canonical JSON: the same one means the same correction, sent again."""
        request: dict[str, Any] = {
            "reason": self.reason,
            "patch": None,
            "document": self.document and dump_document(self.document),
            "irregular": self.accepts,
            "version": self.version,
            "dispute": self.dispute and str(self.dispute),
        }
        return canonical_json(request if self.edits is None else request | self.edits.dump()).decode()


class CorrectionRequestSchema(WireSchema):
    """
    A correction of a round: a patch of its document, changes of rows, or the whole corrected document.

    Exactly one of `patch`, `changes` and `document` is given. `GET /v1/rounds/{id}/document` returns the document to
    correct.
    """

    reason = ReasonField(required=True, description="Why the round is corrected, in one line.")
    patch = PatchField(
        load_default=None,
        allow_none=True,
        description="Changes to the round's document. Required if `document` and `changes` are omitted.",
    )
    changes = RowChangesField(
        load_default=None,
        allow_none=True,
        description="The cards of rows as they were; all changes are applied together. Required if `patch` and"
        " `document` are omitted.",
    )
    document = Inner(
        RoundDocumentSchema,
        load_default=None,
        allow_none=True,
        description="The corrected document of the round. Required if `patch` and `changes` are omitted.",
    )
    irregular = Choice(
        {_ACCEPT: _ACCEPT},
        load_default=None,
        allow_none=True,
        description="`accept` to accept as played later hands that no longer follow the hands before them.",
    )
    version = Integer(
        least=1,
        required=True,
        description="Version of the round that the correction is based on. A round with another version is a 409,"
        " unless this correction was made before.",
    )
    dispute = UuidField(
        load_default=None,
        allow_none=True,
        description="ID of the dispute because of which the round is corrected. The dispute stays under review until"
        " `POST /v1/disputes/{dispute_id}/resolve` upholds or rejects it.",
    )
    expected = ExpectedField()

    def find_more(self, received: Any) -> Iterator[Mistake]:
        """List duplicate cards and seats in the hands of the document."""
        document = received.get("document") if isinstance(received, dict) else None
        return (mistake.under("document") for mistake in find_document_mistakes(document))

    @validates_schema(skip_on_field_errors=False)
    def _check_form(self, read: dict[str, Any], **_: Any) -> None:
        forms = [name for name in _FORMS if read.get(name) is not None]
        if all(name in read for name in _FORMS) and len(forms) != 1:
            problem = f"{' and '.join(f'`{name}`' for name in forms)} are given" if forms else "none of them is given"
            text = f"{problem}; expected exactly one of `patch`, `document` and `changes`"
            raise ValidationError(Sentence("patch-or-document", text))

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> CorrectionRequest:
        accepts = read.pop("irregular") == _ACCEPT
        patch, changes = read.pop("patch"), read.pop("changes")
        edits = Edits(patch or (), changes) if read["document"] is None else None
        return CorrectionRequest(**read, edits=edits, accepts=accepts)


@dataclass(frozen=True, slots=True)
class WhatIfRequest:
    """Another ruleset, or changes to the round's document, to play without storing the result."""

    ruleset: str | None
    edits: Edits


class WhatIfRequestSchema(WireSchema):
    """Another ruleset, or changes to the round's document, to play without storing the result."""

    ruleset = RulesetReference(
        load_default=None,
        allow_none=True,
        description="Ruleset to play the round under, as a name or `name@version`. The round's own ruleset if omitted.",
    )
    patch = PatchField(load_default=(), description="Changes to the round's document.")
    changes = RowChangesField(
        load_default=None,
        allow_none=True,
        description="The cards of rows as they were; all changes are applied together. Not together with `patch`.",
    )

    @validates_schema(skip_on_field_errors=True)
    def _check_form(self, read: dict[str, Any], **_: Any) -> None:
        if read["patch"] and read["changes"] is not None:
            text = "`patch` and `changes` are given; expected at most one of them"
            raise ValidationError(Sentence("patch-or-document", text))

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> WhatIfRequest:
        return WhatIfRequest(read["ruleset"], Edits(read["patch"], read["changes"]))
