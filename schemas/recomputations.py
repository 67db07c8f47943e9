"""Recomputations on the wire: stored rounds played again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from schemas.base import Dumped, WireSchema
from schemas.fields import Boolean, Choice, Figure, Inner, Integer, Listing, Table, Text, Time, UuidField
from schemas.jobs import CountField, JobSchema, JobView, dump_job
from schemas.periods import InPeriod
from schemas.rounds import ReasonField
from schemas.rulesets import RulesetReference

MODES: Final = ("audit", "apply")
MOST_ROUNDS: Final = 1000
LONGEST_DETAIL: Final = 2000


@dataclass(frozen=True, slots=True)
class ScopeRequest:
    """Which rounds to recompute; None is any."""

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


class ScopeSchema(InPeriod, WireSchema):
    """
    Which rounds: those that all of it is true of, all where nothing is said.

    The times are those of opening, `to` excluded; the ruleset is the one that a round stands under.
    """

    table = UuidField(load_default=None, allow_none=True)
    rounds = Listing(UuidField(), least=1, most=MOST_ROUNDS, load_default=None, allow_none=True)
    ruleset = RulesetReference(load_default=None, allow_none=True)
    opened_from = Time(data_key="from", load_default=None, allow_none=True)
    opened_before = Time(data_key="to", load_default=None, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ScopeRequest:
        rounds = None if read["rounds"] is None else tuple(read.pop("rounds"))
        return ScopeRequest(**{**read, "rounds": rounds})


class RecomputationRequestSchema(WireSchema):
    """
    A recomputation to start.

    `audit` changes nothing. `apply` settles the rounds that differ anew, as new revisions; those whose settlement has
    been final only where `final` is true. With another ruleset, rounds are played by that instead of their own.
    """

    scope = Inner(ScopeSchema, required=True)
    mode = Choice({mode: mode for mode in MODES}, required=True)
    ruleset = RulesetReference(load_default=None, allow_none=True)
    reason = ReasonField(required=True)
    final = Boolean(
        load_default=False, metadata={"description": "Settle final rounds anew too; needs the scope `correct-final`."}
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RecomputationRequest:
        return RecomputationRequest(**read)


class RecomputationSummarySchema(WireSchema):
    """
    What a recomputation came to so far.

    `differing` are rounds in which anything differs; `applied` those of them that were settled anew, `skipped` those
    that `apply` left as they were. `net_moved` is how much more each player's net would be, or is now. `digest` stands
    for all that was computed, and does not depend on how the work was cut.
    """

    rounds = CountField()
    hands = CountField()
    differing = CountField()
    applied = CountField()
    skipped = CountField()
    net_moved = Table(Integer(), most=1_000_000, required=True)
    digest = Text(required=True, longest=64, pattern="^[0-9a-f]{64}$", wanted="64 hexadecimal digits")


class RecomputationSchema(JobSchema):
    """A recomputation: a job that plays stored rounds again. Progress counts hands."""

    summary = Inner(RecomputationSummarySchema, required=True)
    scope = Inner(ScopeSchema, required=True)
    mode = Choice({mode: mode for mode in MODES}, required=True)
    ruleset = RulesetReference(required=True, allow_none=True)
    reason = ReasonField(required=True)
    final = Boolean(required=True)


class DifferenceSchema(WireSchema):
    """
    Something that is stored otherwise than it is computed.

    `hand` is null where it is the round as a whole, `round` where it is a ruleset. `what` names the figure, and
    `stored` and `computed` show it, by seat where it has one for each. `refused`: it cannot have been played like this.
    `applied` and `skipped`: what became of a round that was to be settled anew.
    """

    round = UuidField(required=True, allow_none=True)
    hand = Integer(least=1, required=True, allow_none=True)
    what = Text(required=True, longest=40)
    stored = Figure(required=True)
    computed = Figure(required=True)
    detail = Text(required=True, allow_none=True, longest=LONGEST_DETAIL)


class DifferencePageSchema(WireSchema):
    """Differences in the order of rounds. The header `Link` leads to the next page."""

    differences = Listing(Inner(DifferenceSchema), most=100, required=True)


@dataclass(frozen=True, slots=True)
class RecomputationView:
    """A recomputation as it stands, and what was asked for, as it goes out."""

    job: JobView
    asked: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """A difference, with its place in the list as an id."""

    id: UUID
    round: UUID | None
    hand: int | None
    what: str
    stored: Any
    computed: Any
    detail: str | None


def dump_recomputation(view: RecomputationView) -> Dumped:
    """Write a recomputation."""
    scope = {name: view.asked["scope"][name] for name in ("table", "rounds", "ruleset", "from", "to")}
    asked = {name: view.asked[name] for name in ("mode", "ruleset", "reason")}
    return {**dump_job(view.job), "scope": scope, **asked, "final": view.asked.get("final", False)}


def dump_difference(view: DifferenceView) -> Dumped:
    """Write a difference."""
    return {
        "round": None if view.round is None else str(view.round),
        "hand": view.hand,
        "what": view.what,
        "stored": view.stored,
        "computed": view.computed,
        "detail": view.detail,
    }
