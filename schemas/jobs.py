"""Jobs: imports and recomputations."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import (
    MOST_INTEGER,
    AnyValue,
    Boolean,
    Choice,
    Dictionary,
    Inner,
    Integer,
    Listing,
    Text,
    Time,
    UuidField,
    show_time,
)
from schemas.game_fields import ReasonField, RulesetReference
from schemas.pages import InPeriod, PageQuerySchema, PageSchema, QuerySchema
from schemas.problems import ProblemSchema
from schemas.settlements import IMPORT_STATES

STATES: Final = ("queued", "running", "paused", "cancelling", "cancelled", "succeeded", "failed")
LONGEST_FAILURE: Final = 1000


class CountField(Integer):
    """A number of items."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=0, most=MOST_INTEGER, required=True, **options)


class JobProgressSchema(WireSchema):
    """The progress of a job."""

    done = CountField(description="Number of items that are done.")
    total = CountField(allow_none=True, description="Number of items in total. Null until it is known.")


class ImportSummarySchema(WireSchema):
    """The results of an import so far."""

    rounds = CountField(description="Number of rounds stored.")
    replayed = CountField(description="Number of lines whose round was stored before.")
    refused = CountField(description="Number of lines refused.")
    hands = CountField(description="Number of hands stored.")


class JobSchema(WireSchema):
    """A job as it is now."""

    id = UuidField(required=True, description="ID of the job.")
    state = Choice(
        {state: state for state in STATES},
        required=True,
        description="State of the job. `cancelled`, `succeeded` and `failed` are final.",
    )
    progress = Inner(JobProgressSchema, required=True, description="How much of the job is done.")
    created_at = Time(required=True, description="Time when the job was created.")
    started_at = Time(
        required=True, allow_none=True, description="Time when a worker started the job. Null if none has."
    )
    ended_at = Time(required=True, allow_none=True, description="Time when the job ended. Null if it has not.")
    failure = Text(
        required=True, allow_none=True, longest=LONGEST_FAILURE, description="Why the job failed. Null if it did not."
    )


class ImportSchema(JobSchema):
    """An import: a job that stores rounds, one per line. Its progress counts lines that are not blank."""

    summary = Inner(ImportSummarySchema, required=True, description="Results of the import so far.")


class ImportQuerySchema(QuerySchema):
    """Settlement state of imported rounds."""

    state = Choice(
        {state: state for state in IMPORT_STATES},
        load_default=IMPORT_STATES[0],
        description="Settlement state of the imported rounds that can have no more hands.",
    )


class ImportPageSchema(PageSchema):
    """One page of imports, newest first."""

    imports = Listing(
        Inner(ImportSchema), most=100, required=True, description="The imports of this page, newest first."
    )


class JobQuerySchema(PageQuerySchema):
    """The page of a list of jobs, and a filter."""

    state = Choice({state: state for state in STATES}, description="List only jobs in this state.")


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as it is now."""

    id: UUID
    state: str
    done: int
    total: int | None
    summary: Mapping[str, Any]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    failure: str | None = None


def dump_job(view: JobView) -> Dumped:
    """Encode a job."""
    return {
        "id": str(view.id),
        "state": view.state,
        "progress": {"done": view.done, "total": view.total},
        "summary": dict(view.summary),
        "created_at": show_time(view.created_at),
        "started_at": show_time(view.started_at),
        "ended_at": show_time(view.ended_at),
        "failure": view.failure,
    }


MODES: Final = ("audit", "apply")
MOST_ROUNDS: Final = 1000
LONGEST_DETAIL: Final = 2000


@dataclass(frozen=True, slots=True)
class ScopeRequest:
    """Filters of the rounds to recompute; None means every round."""

    table: UUID | None
    rounds: tuple[UUID, ...] | None
    ruleset: str | None
    opened_from: datetime | None
    opened_before: datetime | None


@dataclass(frozen=True, slots=True)
class RecomputationRequest:
    """A recomputation to start."""

    scope: ScopeRequest
    mode: str
    ruleset: str | None
    reason: str
    final: bool


class RecomputationScopeSchema(InPeriod, WireSchema):
    """Filters of the rounds to recompute. A round must match every filter; without filters, every round matches."""

    table = UuidField(
        load_default=None, allow_none=True, description="Only rounds of the table with this ID. Null for every table."
    )
    rounds = Listing(
        UuidField(),
        least=1,
        most=MOST_ROUNDS,
        load_default=None,
        allow_none=True,
        description="Only the rounds with these IDs. Null for every round.",
    )
    ruleset = RulesetReference(
        load_default=None, allow_none=True, description="Only rounds played under this ruleset. Null for every ruleset."
    )
    opened_from = Time(
        data_key="from",
        load_default=None,
        allow_none=True,
        description="Only rounds opened at or after this time. Null for no limit.",
    )
    opened_before = Time(
        data_key="to",
        load_default=None,
        allow_none=True,
        description="Only rounds opened before this time. Null for no limit.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ScopeRequest:
        rounds = None if read["rounds"] is None else tuple(read.pop("rounds"))
        return ScopeRequest(**{**read, "rounds": rounds})


class RecomputationRequestSchema(WireSchema):
    """
    A recomputation to start: stored rounds are replayed and compared with the records.

    `audit` changes nothing. `apply` stores a new revision of every round that differs; of rounds with a final
    settlement only if `final` is true. With another ruleset, rounds are played under it instead of their own.
    """

    scope = Inner(RecomputationScopeSchema, required=True, description="The rounds to recompute.")
    mode = Choice(
        {mode: mode for mode in MODES},
        required=True,
        description="`audit` to compare only, `apply` to also store new revisions of rounds that differ.",
    )
    ruleset = RulesetReference(
        load_default=None,
        allow_none=True,
        description="Ruleset to play the rounds under, as a name or `name@version`. Each round's own ruleset"
        " if omitted.",
    )
    reason = ReasonField(required=True, description="Why the rounds are recomputed, in one line.")
    final = Boolean(
        load_default=False,
        description="True to apply the recomputation to final rounds too. It requires the scope `correct-final`.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RecomputationRequest:
        return RecomputationRequest(**read)


class RecomputationSummarySchema(WireSchema):
    """The results of a recomputation so far."""

    rounds = CountField(description="Number of rounds recomputed.")
    hands = CountField(description="Number of hands recomputed.")
    differing = CountField(description="Number of rounds with at least one difference.")
    applied = CountField(description="Number of differing rounds that have a new revision.")
    skipped = CountField(description="Number of differing rounds that `apply` left unchanged.")
    net_moved = Dictionary(
        Integer(), most=1_000_000, required=True, description="Change of each player's net points, by player ID."
    )
    digest = Text(
        required=True,
        longest=64,
        pattern="^[0-9a-f]{64}$",
        meaning="64 hexadecimal digits",
        description="SHA-256 digest of every computed result, in hexadecimal. It does not depend on how the"
        " work was divided.",
    )


class RecomputationSchema(JobSchema):
    """A recomputation: a job that replays stored rounds and compares the results. Its progress counts hands."""

    summary = Inner(RecomputationSummarySchema, required=True, description="Results of the recomputation so far.")
    scope = Inner(RecomputationScopeSchema, required=True, description="The rounds to recompute.")
    mode = Choice(
        {mode: mode for mode in MODES},
        required=True,
        description="`audit` compares only, `apply` also stores new revisions of rounds that differ.",
    )
    ruleset = RulesetReference(
        required=True,
        allow_none=True,
        description="Ruleset to play the rounds under. Null for each round's own ruleset.",
    )
    reason = ReasonField(required=True, description="Why the rounds are recomputed.")
    final = Boolean(required=True, description="True if the recomputation applies to final rounds too.")


class RecomputationPageSchema(PageSchema):
    """One page of recomputations, newest first."""

    recomputations = Listing(
        Inner(RecomputationSchema),
        most=100,
        required=True,
        description="The recomputations of this page, newest first.",
    )


class ImportLineResultSchema(WireSchema):
    """The result of a line of an import."""

    line = Integer(least=1, required=True, description="Number of the line, from 1.")
    status = Choice(
        {status: status for status in ("stored", "replayed", "refused")},
        required=True,
        description="Whether the round was stored now, was stored before, or was refused.",
    )
    round = UuidField(required=True, allow_none=True, description="ID of the round. Null if the line was refused.")
    problem = Inner(
        ProblemSchema, required=True, allow_none=True, description="Why the line was refused. Null if it was not."
    )


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
class RecomputationView:
    """A recomputation as it is now, and its request."""

    job: JobView
    parameters: Mapping[str, Any]


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


def dump_recomputation(view: RecomputationView) -> Dumped:
    """Encode a recomputation."""
    scope = {name: view.parameters["scope"][name] for name in ("table", "rounds", "ruleset", "from", "to")}
    asked = {name: view.parameters[name] for name in ("mode", "ruleset", "reason")}
    return {**dump_job(view.job), "scope": scope, **asked, "final": view.parameters.get("final", False)}


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
