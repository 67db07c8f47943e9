"""Disputes of settlements: requests, state, history and anomalies of the disputed round."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireSchema
from schemas.fields import MOST_INTEGER, Choice, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import MOST_HANDS, MOST_PLAYERS, PlayerField, SeatField
from schemas.pages import MOST_REVISION, PageQuerySchema, PageSchema
from scoring.board import Row
from scoring.hand import Seat

MOST_COMMENTS: Final = 200
_MOST_ENTRIES: Final = MOST_COMMENTS + 2
_MOST_UNUSUAL: Final = 16
_ROWS: Final = {row.value: row.value for row in Row}


class DisputeState(StrEnum):
    """State of a dispute. The last three end it."""

    OPEN = "open"
    UNDER_REVIEW = "under_review"
    UPHELD = "upheld"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"

    @property
    def is_ended(self) -> bool:
        """Whether the dispute accepts no more comments or changes."""
        return self not in (DisputeState.OPEN, DisputeState.UNDER_REVIEW)


COMMENT: Final = "comment"
_STATES: Final = {state.value: state for state in DisputeState}
_VERDICTS: Final = {state.value: state for state in (DisputeState.UPHELD, DisputeState.REJECTED)}
_KINDS: Final = {COMMENT: COMMENT, **{state.value: state for state in DisputeState if state is not DisputeState.OPEN}}


class AuthorField(PlayerField):
    """The author of a claim or a comment: a player seated in the round, or an auditor."""

    default_description = "Author: the operator's ID of a player seated in the round, or the name of the auditor's key."


class RecordedAuthorField(AuthorField):
    """The author of a recorded claim or comment."""

    def __init__(self) -> None:
        description = f"{AuthorField.default_description} Null if the name of the key was erased."
        super().__init__(required=True, allow_none=True, description=description)


class DisputeTextField(Text):
    """A claim, comment or reason, in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=1000, **options)


class VersionField(Integer):
    """The version of a dispute: 1 when it is opened, increased by every later entry."""

    default_description = "Version of the dispute that you have read. A dispute with another version is a 409."

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_REVISION, required=True, **options)


@dataclass(frozen=True, slots=True)
class DisputeRequest:
    """A claim against the settlement of a round."""

    round: UUID
    hand: int | None
    seat: Seat | None
    row: str | None
    claim: str
    by: str


class DisputeRequestSchema(WireSchema):
    """
    A claim against the settlement of a round: about the whole round, a hand, a seat, or a row of a hand.

    The claim can be erased, and its author cannot: identify players by the operator's IDs.
    """

    round = UuidField(required=True, description="ID of the disputed round.")
    hand = Integer(
        least=1, most=MOST_HANDS, load_default=None, allow_none=True, description="Number of the disputed hand, if any."
    )
    seat = SeatField(load_default=None, allow_none=True, description="Disputed seat, if any.")
    row = Choice(_ROWS, load_default=None, allow_none=True, description="Disputed row, if any. It requires `hand`.")
    claim = DisputeTextField(
        required=True,
        metadata={"example": "the third card on top was the three of diamonds"},
        description="What is wrong, in one line. Identify players by their IDs.",
    )
    by = AuthorField(required=True)

    @validates_schema(skip_on_field_errors=False)
    def _check_place(self, read: dict[str, Any], **_: Any) -> None:
        if read.get("row") is not None and read.get("hand", 1) is None:
            raise ValidationError(
                Sentence("field-missing", "is required beside a row; expected the number of a hand"), "hand"
            )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DisputeRequest:
        return DisputeRequest(**read)


@dataclass(frozen=True, slots=True)
class DisputeTransitionRequest:
    """
    A comment on a dispute, or a change of its state.

    Attributes:
        version: version of the dispute that the client has read; None if any version is accepted.
        kind: `comment`, or the new state.
        words: the comment, or the reason of the change.
    """

    version: int | None
    kind: str
    by: str
    words: str | None


class DisputeCommentRequestSchema(WireSchema):
    """A comment on a dispute."""

    comment = DisputeTextField(
        required=True,
        description="The comment, in one line. Identify players by their IDs.",
    )
    by = AuthorField(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DisputeTransitionRequest:
        return DisputeTransitionRequest(None, COMMENT, read["by"], read["comment"])


class DisputeReviewRequestSchema(WireSchema):
    """The start of a dispute's review."""

    version = VersionField()
    by = AuthorField(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DisputeTransitionRequest:
        return DisputeTransitionRequest(read["version"], DisputeState.UNDER_REVIEW.value, read["by"], None)


class DisputeResolutionRequestSchema(WireSchema):
    """
    The result of a dispute's review.

    To uphold a dispute, a correction must name it, or `reason` must say why there is none. To reject one, `reason` is
    required.
    """

    version = VersionField()
    state = Choice(_VERDICTS, required=True, description="`upheld` if the claim is justified, `rejected` if it is not.")
    by = AuthorField(required=True)
    reason = DisputeTextField(
        load_default=None,
        allow_none=True,
        description="Why, in one line. Required to reject a dispute, and to uphold one without a correction.",
    )

    @validates_schema(skip_on_field_errors=False)
    def _check_reason(self, read: dict[str, Any], **_: Any) -> None:
        if read.get("state") is DisputeState.REJECTED and read.get("reason", "") is None:
            raise ValidationError(Sentence("field-missing", "is required to reject a dispute"), "reason")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DisputeTransitionRequest:
        return DisputeTransitionRequest(read["version"], read["state"].value, read["by"], read["reason"])


class DisputeWithdrawalRequestSchema(WireSchema):
    """The withdrawal of a dispute."""

    version = VersionField()
    by = AuthorField(required=True)
    reason = DisputeTextField(
        load_default=None, allow_none=True, description="Why the dispute is withdrawn, in one line."
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DisputeTransitionRequest:
        return DisputeTransitionRequest(read["version"], DisputeState.WITHDRAWN.value, read["by"], read["reason"])


class DisputeQuerySchema(PageQuerySchema):
    """Filters of a list of disputes."""

    state = Choice(_STATES, description="List only disputes in this state.")
    table = UuidField(description="List only disputes about rounds of this table.")
    round = UuidField(description="List only disputes about this round.")


class RatioSchema(WireSchema):
    """A number of cases out of all possible cases, for example 2 of 9 boards."""

    count = Integer(least=0, most=MOST_INTEGER, required=True, description="Number of cases, the numerator.")
    of = Integer(
        least=0, most=MOST_INTEGER, required=True, description="Number of cases that were possible, the denominator."
    )


class RoundAnomalySchema(WireSchema):
    """A ratio of a round that is unusually high compared with other rounds of its table."""

    code = Text(required=True, metadata={"example": "foul-rate"}, description="Stable code of the anomaly.")
    seats = Listing(
        SeatField(),
        most=MOST_PLAYERS,
        required=True,
        description="The seats concerned: one, a pair, or none for the whole round.",
    )
    found = Inner(RatioSchema, required=True, description="The ratio in this round.")
    usual = Inner(
        RatioSchema, required=True, description="The ratio over the table's last fifty other rounds that ended."
    )
    formula = Text(longest=500, required=True, description="The formula that compares the two ratios.")


class DisputeSchema(WireSchema):
    """A dispute of one revision of a round's settlement."""

    id = UuidField(required=True, description="ID of the dispute.")
    round = UuidField(required=True, description="ID of the disputed round.")
    table = UuidField(required=True, description="ID of the round's table.")
    revision = Integer(
        least=1, required=True, description="Number of the settlement revision in force when the dispute was opened."
    )
    hand = Integer(
        least=1, most=MOST_HANDS, required=True, allow_none=True, description="Number of the disputed hand, if any."
    )
    seat = SeatField(required=True, allow_none=True, description="Disputed seat, if any.")
    row = Choice(_ROWS, required=True, allow_none=True, description="Disputed row, if any.")
    claim = DisputeTextField(
        required=True,
        allow_none=True,
        description="What is wrong according to the author of the dispute. Null if it was erased.",
    )
    by = RecordedAuthorField()
    state = Choice(
        _STATES, required=True, description="State of the dispute. `upheld`, `rejected` and `withdrawn` end it."
    )
    version = VersionField(description="1 when the dispute is opened; it increases by 1 with every later entry.")
    opened_at = Time(required=True, description="Time when the dispute was opened.")
    unusual = Listing(
        Inner(RoundAnomalySchema), most=_MOST_UNUSUAL, required=True, description="Anomalies of the round."
    )


class DisputeHistoryEntrySchema(WireSchema):
    """A comment on a dispute, or a change of its state."""

    version = VersionField(description="Version of the dispute after this entry.")
    kind = Choice(_KINDS, required=True, description="`comment`, or the state that the dispute changed to.")
    by = RecordedAuthorField()
    words = DisputeTextField(
        required=True,
        allow_none=True,
        description="The comment or the reason. Null if none was given, or if it was erased.",
    )
    correction = Integer(
        least=2,
        required=True,
        allow_none=True,
        description="Number of the settlement revision that corrected what was disputed. Null if there is none.",
    )
    at = Time(required=True, description="Time of the entry.")


class DisputeWithHistorySchema(DisputeSchema):
    """A dispute with its history."""

    history = Listing(
        Inner(DisputeHistoryEntrySchema),
        most=_MOST_ENTRIES,
        required=True,
        description="Comments and changes of state, oldest first.",
    )
    corrections = Listing(
        Integer(least=2),
        most=MOST_HANDS,
        required=True,
        description="Settlement revisions made to resolve the dispute.",
    )


class DisputePageSchema(PageSchema):
    """One page of disputes, oldest first."""

    disputes = Listing(
        Inner(DisputeSchema), most=100, required=True, description="The disputes of this page, oldest first."
    )


@dataclass(frozen=True, slots=True)
class Ratio:
    """A number of cases out of all possible cases."""

    count: int
    of: int


@dataclass(frozen=True, slots=True)
class RoundAnomaly:
    """A ratio of a round that is unusually high compared with other rounds of its table, and the formula."""

    code: str
    seats: tuple[Seat, ...]
    found: Ratio
    usual: Ratio
    formula: str


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A dispute as it is now."""

    id: UUID
    round: UUID
    table: UUID
    revision: int
    hand: int | None
    seat: Seat | None
    row: str | None
    claim: str | None
    by: str | None
    state: DisputeState
    version: int
    opened_at: datetime
    unusual: Sequence[RoundAnomaly]


@dataclass(frozen=True, slots=True)
class DisputeEntry:
    """A comment on a dispute, or a change of its state; None where its words or the name of its author were erased."""

    version: int
    kind: str
    by: str | None
    words: str | None
    correction: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class DisputeWithHistory:
    """A dispute with its history."""

    dispute: DisputeView
    history: Sequence[DisputeEntry]
    corrections: Sequence[int]


def dump_dispute(view: DisputeView) -> Dumped:
    """Encode a dispute."""
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


def dump_dispute_with_history(case: DisputeWithHistory) -> Dumped:
    """Encode a dispute with its history."""
    return {
        **dump_dispute(case.dispute),
        "history": [{**asdict(entry), "at": show_time(entry.at)} for entry in case.history],
        "corrections": list(case.corrections),
    }
