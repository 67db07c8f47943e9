"""Recomputations: jobs that replay stored rounds, and compare the results with the records."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireSchema
from schemas.fields import Boolean, Choice, Dictionary, Inner, Integer, Listing, Text, Time, UuidField
from schemas.game_fields import ReasonField, RulesetReference
from schemas.jobs.changes import Changes, PlayerChangeSchema, dump_changes
from schemas.jobs.progress import CountField, JobSchema, JobView, dump_job
from schemas.ledger.statements import MOST_LISTED, PAYMENTS_ARE, UNIT_DIGITS, StatementPaymentsSchema
from schemas.pages import InPeriod, PageSchema

AUDIT: Final = "audit"
APPLY: Final = "apply"
MODES: Final = (AUDIT, APPLY)
MOST_ROUNDS: Final = 1000
_OF_AUDIT: Final = ("scope", "ruleset")
"""The fields of a request that an audit has already."""


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
    """
    A recomputation to start.

    Attributes:
        scope: the rounds; None with an audit.
        audit: the audit that is applied.
    """

    scope: ScopeRequest | None
    mode: str
    ruleset: str | None
    reason: str
    final: bool
    audit: UUID | None


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
    settlement only if `final` is true. With another ruleset, rounds are played under it instead of their own. With
    `audit`, exactly what an audit found is applied.
    """

    scope = Inner(
        RecomputationScopeSchema, description="The rounds to recompute. Required without `audit`, and not with it."
    )
    mode = Choice(
        {mode: mode for mode in MODES},
        required=True,
        description="`audit` to compare only, `apply` to also store new revisions of rounds that differ.",
    )
    ruleset = RulesetReference(
        load_default=None,
        allow_none=True,
        description="Ruleset to play the rounds under, as a name or `name@version`. Each round's own ruleset"
        " if omitted. Not with `audit`.",
    )
    reason = ReasonField(required=True, description="Why the rounds are recomputed, in one line.")
    final = Boolean(
        load_default=False,
        description="True to apply the recomputation to final rounds too. It requires the scope `correct-final`.",
    )
    audit = UuidField(
        load_default=None,
        allow_none=True,
        description="ID of an audit that has succeeded, to apply exactly what it found: only the rounds that differed"
        " then, under its ruleset, and each only if it still has the revision that was audited and the same result."
        " Only with the mode `apply`. Null to apply whatever differs now.",
    )

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_audit(self, read: dict[str, Any], received: Any, **_: Any) -> None:
        mistakes: dict[str, list[Sentence]] = {}
        if received.get("audit") is None:
            if "scope" not in received:
                mistakes["scope"] = [Sentence("field-missing", "is required without `audit`; expected an object")]
        else:
            for name in _OF_AUDIT:
                if received.get(name) is not None:
                    detail = f"is given with `audit`, which has its own {name}; expected one of them"
                    mistakes[name] = [Sentence("audit-alone", detail)]
            if read.get("mode") == AUDIT:
                mistakes["mode"] = [Sentence("not-a-choice", f"is '{AUDIT}' with `audit`; expected '{APPLY}'")]
        if mistakes:
            raise ValidationError(mistakes)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RecomputationRequest:
        return RecomputationRequest(**{"scope": None, **read})


class RecomputationSummarySchema(WireSchema):
    """The results of a recomputation so far."""

    rounds = CountField(description="Number of rounds recomputed.")
    hands = CountField(description="Number of hands recomputed.")
    differing = CountField(description="Number of rounds with at least one difference.")
    applied = CountField(description="Number of differing rounds that have a new revision.")
    skipped = CountField(
        description="Number of rounds that `apply` left unchanged: they differ, or differed in the audit that is"
        " applied. The differences have the reasons."
    )
    tables = CountField(description="Number of tables with at least one differing round.")
    changing = CountField(
        description="Number of rounds that the recomputation changes: those that have a new revision or, in an audit,"
        " would get one from `apply` with `final`."
    )
    changing_final = CountField(
        description="Number of these rounds whose settlement is or was final. Only `apply` with `final` changes them."
    )
    players = CountField(description="Number of players whose net points change in at least one of these rounds.")
    net_moved = Dictionary(
        Integer(),
        most=1_000_000,
        required=True,
        description="Change of each player's net points in these rounds, by player ID, whatever the points are worth."
        " `moved` adds only those of one worth.",
    )
    moved = Listing(
        Inner(PlayerChangeSchema),
        most=MOST_LISTED,
        required=True,
        description="What each of these players gains or loses, in points and money, the largest gain of points first.",
    )
    unit_digits = UNIT_DIGITS
    payments = Inner(
        StatementPaymentsSchema,
        required=True,
        description="Payments that settle up `moved` between players who have settled up the old results. Points that"
        " do not add up to zero, because stored stacks were damaged, have none.",
    )
    payments_are = PAYMENTS_ARE
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
    reason = ReasonField(
        required=True, allow_none=True, description="Why the rounds are recomputed. Null if the reason was erased."
    )
    final = Boolean(required=True, description="True if the recomputation applies to final rounds too.")
    audit = UuidField(
        required=True,
        allow_none=True,
        description="ID of the audit whose findings are applied. Null if the recomputation is an audit itself, or"
        " applies whatever differs.",
    )


class RecomputationPageSchema(PageSchema):
    """One page of recomputations, newest first."""

    recomputations = Listing(
        Inner(RecomputationSchema),
        most=100,
        required=True,
        description="The recomputations of this page, newest first.",
    )


@dataclass(frozen=True, slots=True)
class RecomputationView:
    """
    A recomputation as it is now, and its request.

    Attributes:
        provisional: what it changes, or would change, in rounds whose settlement was never final.
        final: the same in rounds whose settlement is or was final.
    """

    job: JobView
    parameters: Mapping[str, Any]
    provisional: Changes
    final: Changes

    @property
    def changes(self) -> Changes:
        """What it changes, or would change."""
        return Changes.sum(self.provisional, self.final)


def dump_recomputation(view: RecomputationView) -> Dumped:
    """Encode a recomputation."""
    job, changes = dump_job(view.job), view.changes
    counted = {"changing": changes.rounds, "changing_final": view.final.rounds}
    return {
        **job,
        "summary": {**job["summary"], **counted, **dump_changes(changes)},
        "scope": {name: view.parameters["scope"][name] for name in ("table", "rounds", "ruleset", "from", "to")},
        **{name: view.parameters[name] for name in ("mode", "ruleset", "reason")},
        "final": view.parameters.get("final", False),
        "audit": view.parameters.get("audit"),
    }
