"""What happens to proposals: changes of final settlements that another key confirms. They are in no round's chain."""

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from evidence.codec import named
from evidence.events.payload import EventKind, EventPayload


class ProposalKind(StrEnum):
    """What is proposed: the correction of a round, or a recomputation that applies an audit."""

    CORRECTION = "correction"
    RECOMPUTATION = "recomputation"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalOpened(EventPayload):
    """
    A change of a final settlement was proposed. The ID of the event is that of the proposal.

    Attributes:
        proposal: what is proposed.
        digest: of what would change.
        request: of the request, keyed with the salt of `received`; the same request is the same proposal.
        received: the digest of the body of the request, as `digest_text` returns it.
        round: the round to correct; None for a recomputation.
        table: the table of the round.
        revision: the revision of the round that the correction is based on.
        dispute: the dispute that the correction is for, if it is for one.
        upholds: whether the dispute is upheld with the correction.
        audit: the recomputation whose findings would be applied; None for a correction.
    """

    kind = EventKind.PROPOSAL_OPENED

    proposal: ProposalKind = field(metadata=named("kind"))
    digest: bytes
    request: bytes
    received: bytes
    round: UUID | None
    table: UUID | None
    revision: int | None
    dispute: UUID | None
    upholds: bool
    audit: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalConfirmed(EventPayload):
    """
    Another key confirmed a proposal, which took effect.

    Attributes:
        proposal: the ID of the proposal.
        revision: the revision of the round that the correction made; None for a recomputation.
        recomputation: the recomputation that applies the audit; None for a correction.
    """

    kind = EventKind.PROPOSAL_CONFIRMED

    proposal: UUID
    revision: int | None
    recomputation: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalWithdrawn(EventPayload):
    """
    A proposal was withdrawn by who made it, or refused by another key.

    Attributes:
        proposal: the ID of the proposal.
        reason: the digest of the reason, as `digest_text` returns it.
    """

    kind = EventKind.PROPOSAL_WITHDRAWN

    proposal: UUID
    reason: bytes
