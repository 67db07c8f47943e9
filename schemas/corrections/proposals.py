"""Proposals: changes of final settlements that take effect when another key confirms them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import orjson
from marshmallow import ValidationError, post_load, validates_schema

from evidence import canonical_json
from evidence.events import ProposalKind
from schemas.base import Dumped, Sentence, WireSchema
from schemas.corrections.comparisons import RoundComparison, RoundComparisonSchema, dump_comparison
from schemas.corrections.requests import CorrectionRequest, CorrectionRequestSchema
from schemas.disputes import AuthorField, DisputeState, DisputeTextField, DisputeTransitionRequest, VersionField
from schemas.fields import Boolean, Choice, Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.game_fields import ReasonField
from schemas.pages import MOST_REVISION, PageQuerySchema, PageSchema

__all__ = [
    "CorrectionProposalRequest",
    "CorrectionProposalRequestSchema",
    "Proposal",
    "ProposalEnd",
    "ProposalKind",
    "ProposalPageSchema",
    "ProposalQuerySchema",
    "ProposalSchema",
    "ProposalState",
    "ProposalView",
    "ProposalWithChangesSchema",
    "RecomputationProposalRequestSchema",
    "WithdrawalRequestSchema",
    "dump_proposal",
    "dump_proposal_with_changes",
    "read_reason",
]


class ProposalState(StrEnum):
    """State of a proposal. The last two end it."""

    WAITING = "waiting"
    CONFIRMED = "confirmed"
    WITHDRAWN = "withdrawn"


_STATES: Final = {state.value: state for state in ProposalState}
_KINDS: Final = {kind.value: kind for kind in ProposalKind}
_LONGEST_NAME: Final = 100


class UpholdingSchema(WireSchema):
    """The decision to uphold the dispute that a correction names."""

    version = VersionField()
    by = AuthorField(required=True)
    reason = DisputeTextField(load_default=None, allow_none=True, description="Why, in one line.")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> DisputeTransitionRequest:
        return DisputeTransitionRequest(read["version"], DisputeState.UPHELD.value, read["by"], read["reason"])


@dataclass(frozen=True, slots=True)
class CorrectionProposalRequest:
    """
    A correction of a round that is proposed.

    Attributes:
        upholds: the decision that upholds the dispute with the correction; None if the dispute stays as it is.
    """

    correction: CorrectionRequest
    upholds: DisputeTransitionRequest | None

    def identity(self, round_id: UUID) -> str:
        """Return the whole request as canonical JSON: the same one means the same proposal, sent again."""
        upholds = None if self.upholds is None else [self.upholds.version, self.upholds.by, self.upholds.words]
        request = {"round": str(round_id), "correction": self.correction.identity, "upholds": upholds}
        return canonical_json(request).decode()


class CorrectionProposalRequestSchema(CorrectionRequestSchema):
    """
    A correction of a round that is proposed, as `POST /v1/rounds/{round_id}/corrections` has it.

    With `upholds`, the dispute that it names is upheld together with the correction.
    """

    upholds = Inner(
        UpholdingSchema,
        load_default=None,
        allow_none=True,
        description="The decision that upholds the dispute together with the correction. Only with `dispute`. It"
        " requires the scope `disputes`.",
    )

    @validates_schema(skip_on_field_errors=True)
    def _check_upholds(self, read: dict[str, Any], **_: Any) -> None:
        if read["upholds"] is not None and read["dispute"] is None:
            detail = "is required beside `upholds`; expected the ID of a dispute"
            raise ValidationError(Sentence("field-missing", detail), "dispute")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Any:
        upholds = read.pop("upholds")
        return CorrectionProposalRequest(super()._make(read), upholds)


class RecomputationProposalRequestSchema(WireSchema):
    """The proposal to apply an audit, with its rounds whose settlement is or was final."""

    reason = ReasonField(required=True, description="Why the audit is applied, in one line.")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> str:
        reason: str = read["reason"]
        return reason


class WithdrawalRequestSchema(WireSchema):
    """Why a proposal is withdrawn or refused."""

    reason = DisputeTextField(required=True, description="Why, in one line. It can be erased.")

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> str:
        reason: str = read["reason"]
        return reason


class ProposalQuerySchema(PageQuerySchema):
    """Filters of a list of proposals."""

    state = Choice(_STATES, description="List only proposals in this state.")
    round = UuidField(description="List only proposals to correct this round.")


class ProposalEndSchema(WireSchema):
    """How a proposal ended."""

    at = Time(required=True, description="Time when it ended.")
    by = Text(longest=_LONGEST_NAME, required=True, description="Name of the key that confirmed or withdrew it.")
    key = UuidField(required=True, description="ID of this key.")
    reason = DisputeTextField(
        required=True,
        allow_none=True,
        description="Why it was withdrawn. Null if it was confirmed, or after the reason was erased.",
    )
    revision = Integer(
        least=2,
        most=MOST_REVISION,
        required=True,
        allow_none=True,
        description="Number of the revision that the correction made. Null if it made none.",
    )
    recomputation = UuidField(
        required=True, allow_none=True, description="ID of the recomputation that applies the audit, if any."
    )


class ProposalSchema(WireSchema):
    """A proposed change of a final settlement."""

    id = UuidField(required=True, description="ID of the proposal.")
    kind = Choice(
        _KINDS,
        required=True,
        description="`correction` to correct a round, `recomputation` to apply an audit with its final rounds.",
    )
    state = Choice(
        _STATES,
        required=True,
        description="`waiting` until another key confirms it or a key withdraws it.",
    )
    round = UuidField(required=True, allow_none=True, description="ID of the round to correct. Null for an audit.")
    table = UuidField(required=True, allow_none=True, description="ID of the round's table. Null for an audit.")
    revision = Integer(
        least=1,
        most=MOST_REVISION,
        required=True,
        allow_none=True,
        description="Number of the revision to correct. Null for an audit.",
    )
    dispute = UuidField(
        required=True, allow_none=True, description="ID of the dispute that the correction is for. Null if for none."
    )
    upholds = Boolean(required=True, description="True if the dispute is upheld with the correction.")
    audit = UuidField(
        required=True, allow_none=True, description="ID of the audit to apply. Null if a correction is proposed."
    )
    reason = ReasonField(
        required=True,
        allow_none=True,
        description="Why it is proposed. Null after its request was erased: it cannot be confirmed then.",
    )
    digest = Text(
        required=True,
        longest=64,
        pattern="^[0-9a-f]{64}$",
        meaning="64 hexadecimal digits",
        description="Digest of what would change, in hexadecimal. A proposal is confirmed only if it would still change"
        " exactly this. For an audit, it is the `digest` of its summary.",
    )
    by = Text(longest=_LONGEST_NAME, required=True, description="Name of the key that proposed it.")
    key = UuidField(required=True, description="ID of this key.")
    proposed_at = Time(required=True, description="Time when it was proposed.")
    end = Inner(ProposalEndSchema, required=True, allow_none=True, description="How it ended. Null while it waits.")


class ProposalWithChangesSchema(ProposalSchema):
    """A proposal with what it changes."""

    comparison = Inner(
        RoundComparisonSchema,
        required=True,
        allow_none=True,
        description="What the correction would change or, if it was confirmed, what it has changed. Null for an audit,"
        " whose summary has it, and if the round has changed since.",
    )


class ProposalPageSchema(PageSchema):
    """One page of proposals, newest first."""

    proposals = Listing(
        Inner(ProposalSchema), most=100, required=True, description="The proposals of this page, newest first."
    )


@dataclass(frozen=True, slots=True)
class ProposalEnd:
    """How a proposal ended: with a revision or a recomputation, or with a reason, which is None once it was erased."""

    key: UUID
    by: str
    at: datetime
    reason: str | None
    revision: int | None
    recomputation: UUID | None


@dataclass(frozen=True, slots=True)
class Proposal:
    """
    A proposed change of a final settlement.

    Attributes:
        revision: the revision that the correction is based on.
        upholds: whether the dispute is upheld with the correction.
        reason: why it is proposed; None after its request was erased.
        digest: of what would change.
        key, by: the ID and the name of the key that proposed it.
        end: how it ended; None while it waits.
    """

    id: UUID
    kind: ProposalKind
    state: ProposalState
    round: UUID | None
    table: UUID | None
    revision: int | None
    dispute: UUID | None
    upholds: bool
    audit: UUID | None
    reason: str | None
    digest: bytes
    key: UUID
    by: str
    proposed_at: datetime
    end: ProposalEnd | None


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A proposal, and what its correction changes; None if that is not known, or if it is no correction."""

    proposal: Proposal
    comparison: RoundComparison | None


def read_reason(content: str) -> str:
    """
    Return the reason in the body of a request.

    >>> read_reason('{"reason": "misread"}')
    'misread'
    """
    reason: str = orjson.loads(content)["reason"]
    return reason


def dump_proposal(proposal: Proposal) -> Dumped:
    """Encode a proposal."""
    end = proposal.end
    return {
        "id": str(proposal.id),
        "kind": proposal.kind.value,
        "state": proposal.state.value,
        **_show_ids(round=proposal.round, table=proposal.table, dispute=proposal.dispute, audit=proposal.audit),
        "revision": proposal.revision,
        "upholds": proposal.upholds,
        "reason": proposal.reason,
        "digest": proposal.digest.hex(),
        "by": proposal.by,
        "key": str(proposal.key),
        "proposed_at": show_time(proposal.proposed_at),
        "end": None
        if end is None
        else {
            "at": show_time(end.at),
            "by": end.by,
            "key": str(end.key),
            "reason": end.reason,
            "revision": end.revision,
            **_show_ids(recomputation=end.recomputation),
        },
    }


def dump_proposal_with_changes(view: ProposalView) -> Dumped:
    """Encode a proposal with what it changes."""
    comparison = None if view.comparison is None else dump_comparison(view.comparison)
    return {**dump_proposal(view.proposal), "comparison": comparison}


def _show_ids(**ids: UUID | None) -> Dumped:
    return {name: None if id_ is None else str(id_) for name, id_ in ids.items()}
