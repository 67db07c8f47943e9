"""The differences that a recomputation finds."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from schemas.base import Dumped, WireSchema
from schemas.fields import AnyValue, Inner, Integer, Listing, Text, UuidField
from schemas.pages import PageSchema

LONGEST_DETAIL: Final = 2000


class RecomputationDifferenceSchema(WireSchema):
    """
    A difference between a stored and an expected value, or what the recomputation did about it.

    The kinds are those of `ofc-server verify`: `figure-differs`, `record-differs`, `record-missing`, `record-surplus`,
    `content-unplayable` if a round cannot be replayed, and `scorers-disagree` if the bulk scorer and the plain rules
    have different results. `applied` and `skipped` are for a round that the recomputation changed or left unchanged,
    and `dead-lettered` for rounds that could not be recomputed.
    """

    round = UuidField(
        required=True, allow_none=True, description="ID of the round. Null if the difference is in a ruleset."
    )
    hand = Integer(
        least=1,
        required=True,
        allow_none=True,
        description="Number of the hand in the round. Null if the difference is in the round as a whole.",
    )
    kind = Text(required=True, longest=40, description="Kind of the difference.")
    column = Text(
        required=True,
        allow_none=True,
        longest=40,
        description="Name of the value that differs. Null if it is a whole record or round.",
    )
    stored = AnyValue(required=True, description="The stored value, by seat if each seat has one.")
    expected = AnyValue(required=True, description="The value that follows, by seat if each seat has one.")
    detail = Text(
        required=True,
        allow_none=True,
        longest=LONGEST_DETAIL,
        description="Explanation in one sentence. Null if there is none.",
    )


class RecomputationDifferencePageSchema(PageSchema):
    """One page of differences, in the order of rounds."""

    differences = Listing(
        Inner(RecomputationDifferenceSchema),
        most=100,
        required=True,
        description="The differences of this page, in the order of rounds.",
    )


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """A difference, with the ID of its place in the list."""

    id: UUID
    round: UUID | None
    hand: int | None
    kind: str
    column: str | None
    stored: Any
    expected: Any
    detail: str | None


def dump_difference(view: DifferenceView) -> Dumped:
    """Encode a difference."""
    return {
        "round": None if view.round is None else str(view.round),
        "hand": view.hand,
        "kind": view.kind,
        "column": view.column,
        "stored": view.stored,
        "expected": view.expected,
        "detail": view.detail,
    }
