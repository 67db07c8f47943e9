"""Disputes on the wire: what somebody holds against a settlement, what was said about it, and how it ended."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.hands import MOST_HANDS, MOST_PLAYERS, PlayerField, SeatField, digest_of
from schemas.pages import MOST_REVISION, PageQuerySchema
from scoring.board import Row
from scoring.hand import Seat

MOST_COMMENTS: Final = 200
_MOST_ENTRIES: Final = MOST_COMMENTS + 2
_MOST_UNUSUAL: Final = 16
_ROWS: Final = {row.value: row.value for row in Row}


class DisputeState(StrEnum):
    """How far a dispute is; the last three end it."""

    OPEN = "open"
    UNDER_REVIEW = "under_review"
    UPHELD = "upheld"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"

    @property
    def is_ended(self) -> bool:
        """Whether nothing more can be said or done."""
        return self not in (DisputeState.OPEN, DisputeState.UNDER_REVIEW)


COMMENT: Final = "comment"
_STATES: Final = {state.value: state for state in DisputeState}
_VERDICTS: Final = {state.value: state for state in (DisputeState.UPHELD, DisputeState.REJECTED)}
_KINDS: Final = {COMMENT: COMMENT, **{state.value: state for state in DisputeState if state is not DisputeState.OPEN}}


class SayerField(PlayerField):
    """Who says so: the operator's own id for a player or an auditor, never a name to show."""


class WordsField(Text):
    """What is said, in one line; it is kept for good, so it names players by their ids."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=1000, **options)


class VersionField(Integer):
    """How often something was changed, with its making."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_REVISION, required=True, **options)


_READ: Final = {"description": "The dispute's version that you have read: any change since is then a 409."}


@dataclass(frozen=True, slots=True)
class DisputeRequest:
    """What somebody holds against the settlement of a round, and whereabouts."""

    round: UUID
    hand: int | None
    seat: Seat | None
    row: str | None
    claim: str
    by: str

    @property
    def digest(self) -> bytes:
        """Of all that is claimed: the same digest is the same dispute sent again."""
        return digest_of({**asdict(self), "round": str(self.round)})


class DisputeRequestSchema(WireSchema):
    """
    What somebody holds against the settlement of a round, and whereabouts: a hand, a seat, a row of a hand.

    The claim and who says so are kept for good: players are named by the ids that the operator has for them.
    """

    round = UuidField(required=True)
    hand = Integer(least=1, most=MOST_HANDS, load_default=None, allow_none=True)
    seat = SeatField(load_default=None, allow_none=True)
    row = Choice(_ROWS, load_default=None, allow_none=True, metadata={"description": "Given with a hand only."})
    claim = WordsField(required=True, metadata={"example": "the third card on top was the three of diamonds"})
    by = SayerField(required=True)

    @validates_schema(skip_on_field_errors=False)
    def _check_place(self, read: dict[str, Any], **_: Any) -> None:
        if read.get("row") is not None and read.get("hand", 1) is None:
            raise ValidationError(Sentence("field-missing", "is missing beside a row; the hand is right"), "hand")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DisputeRequest:
        return DisputeRequest(**read)


@dataclass(frozen=True, slots=True)
class StepRequest:
    """
    What is said or done about a dispute.

    Attributes:
        version: of the dispute that the sender has read; None where it does not matter.
        kind: what is done.
        words: why, or what is said.
    """

    version: int | None
    kind: str
    by: str
    words: str | None


class CommentRequestSchema(WireSchema):
    """Something to be said about a dispute."""

    comment = WordsField(required=True)
    by = SayerField(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> StepRequest:
        return StepRequest(None, COMMENT, read["by"], read["comment"])


class ReviewRequestSchema(WireSchema):
    """Who looks into a dispute from now on."""

    version = VersionField(metadata=_READ)
    by = SayerField(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> StepRequest:
        return StepRequest(read["version"], DisputeState.UNDER_REVIEW.value, read["by"], None)


class ResolutionRequestSchema(WireSchema):
    """
    How a dispute ends for whoever looked into it.

    One that is upheld has a correction that names it, or a reason why there is none; one that is rejected a reason.
    """

    version = VersionField(metadata=_READ)
    state = Choice(_VERDICTS, required=True)
    by = SayerField(required=True)
    reason = WordsField(load_default=None, allow_none=True)

    @validates_schema(skip_on_field_errors=False)
    def _check_reason(self, read: dict[str, Any], **_: Any) -> None:
        if read.get("state") is DisputeState.REJECTED and read.get("reason", "") is None:
            raise ValidationError(Sentence("field-missing", "is missing; what is rejected has a reason"), "reason")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> StepRequest:
        return StepRequest(read["version"], read["state"].value, read["by"], read["reason"])


class WithdrawalRequestSchema(WireSchema):
    """Who gives a dispute up, and why."""

    version = VersionField(metadata=_READ)
    by = SayerField(required=True)
    reason = WordsField(load_default=None, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> StepRequest:
        return StepRequest(read["version"], DisputeState.WITHDRAWN.value, read["by"], read["reason"])


class DisputeQuerySchema(PageQuerySchema):
    """Which disputes."""

    state = Choice(_STATES)
    table = UuidField()
    round = UuidField()


class RateSchema(WireSchema):
    """How many of how many: 2 of 9 boards were foul."""

    count = Integer(least=0, most=MOST_INTEGER, required=True)
    of = Integer(least=0, most=MOST_INTEGER, required=True)


class UnusualSchema(WireSchema):
    """What stands out about a round, by a formula, beside the last fifty other rounds of its table that are over."""

    code = Text(required=True, metadata={"example": "foul-rate"})
    seats = Listing(
        SeatField(),
        most=MOST_PLAYERS,
        required=True,
        metadata={"description": "Whom it is about: one player, a pair, or nobody in particular."},
    )
    found = Inner(RateSchema, required=True)
    usual = Inner(RateSchema, required=True)
    formula = Text(longest=500, required=True)


class DisputeSchema(WireSchema):
    """A dispute: what is claimed, against which revision of which round's settlement, and how far it is."""

    id = UuidField(required=True)
    round = UuidField(required=True)
    table = UuidField(required=True)
    revision = Integer(least=1, required=True, metadata={"description": "The settlement's, when it was opened."})
    hand = Integer(least=1, most=MOST_HANDS, required=True, allow_none=True)
    seat = SeatField(required=True, allow_none=True)
    row = Choice(_ROWS, required=True, allow_none=True)
    claim = WordsField(required=True)
    by = SayerField(required=True)
    state = Choice(_STATES, required=True)
    version = VersionField()
    opened_at = Time(required=True)
    unusual = Listing(Inner(UnusualSchema), most=_MOST_UNUSUAL, required=True)


class DisputeEntrySchema(WireSchema):
    """What followed the claim, each with the version that the dispute has since."""

    version = VersionField()
    kind = Choice(_KINDS, required=True)
    by = SayerField(required=True)
    words = WordsField(required=True, allow_none=True)
    correction = Integer(
        least=2,
        required=True,
        allow_none=True,
        metadata={"description": "The settlement's revision that put right what was disputed."},
    )
    at = Time(required=True)


class DisputeCaseSchema(DisputeSchema):
    """A dispute with everything that followed it."""

    history = Listing(Inner(DisputeEntrySchema), most=_MOST_ENTRIES, required=True)
    corrections = Listing(
        Integer(least=2),
        most=MOST_HANDS,
        required=True,
        metadata={"description": "The settlement's revisions that were made to answer it."},
    )


class DisputePageSchema(WireSchema):
    """Some disputes, the oldest first."""

    disputes = Listing(Inner(DisputeSchema), most=100, required=True)


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of how many."""

    count: int
    of: int


@dataclass(frozen=True, slots=True)
class Unusual:
    """Something about a round that stands out against its table's other rounds, and by which formula."""

    code: str
    seats: tuple[Seat, ...]
    found: Rate
    usual: Rate
    formula: str


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A dispute as it stands."""

    id: UUID
    round: UUID
    table: UUID
    revision: int
    hand: int | None
    seat: Seat | None
    row: str | None
    claim: str
    by: str
    state: DisputeState
    version: int
    opened_at: datetime
    unusual: Sequence[Unusual]


@dataclass(frozen=True, slots=True)
class DisputeEntry:
    """What followed a claim."""

    version: int
    kind: str
    by: str
    words: str | None
    correction: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class DisputeCase:
    """A dispute with everything that followed it."""

    dispute: DisputeView
    history: Sequence[DisputeEntry]
    corrections: Sequence[int]


def dump_dispute(view: DisputeView) -> Dumped:
    """Write a dispute."""
    return {
        "id": str(view.id),
        "round": str(view.round),
        "table": str(view.table),
        "revision": view.revision,
        "hand": view.hand,
        "seat": view.seat,
        "row": view.row,
        "claim": view.claim,
        "by": view.by,
        "state": view.state.value,
        "version": view.version,
        "opened_at": show_time(view.opened_at),
        "unusual": [{**asdict(each), "seats": list(each.seats)} for each in view.unusual],
    }


def dump_case(case: DisputeCase) -> Dumped:
    """Write a dispute with everything that followed it."""
    return {
        **dump_dispute(case.dispute),
        "history": [{**asdict(entry), "at": show_time(entry.at)} for entry in case.history],
        "corrections": list(case.corrections),
    }
