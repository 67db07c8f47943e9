"""The base class of event payloads, and the kinds of events."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from evidence.canonical import canonical_json
from evidence.codec import codec_of


class EventKind(StrEnum):
    """What happened."""

    RULESET_ADDED = "ruleset.added"
    CLUB_CREATED = "club.created"
    CLUB_CHANGED = "club.changed"
    CHECKPOINT_SEALED = "checkpoint.sealed"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    WEBHOOK_ADDED = "webhook.added"
    WEBHOOK_CHANGED = "webhook.changed"
    WEBHOOK_REMOVED = "webhook.removed"
    WEBHOOK_SECRET_ROTATED = "webhook.secret-rotated"
    LINK_ISSUED = "link.issued"
    LINK_REVOKED = "link.revoked"
    PLAYER_NAMED = "player.named"
    PLAYER_ERASED = "player.erased"
    PLAYER_JOINED = "player.joined"
    PLAYER_PARTED = "player.parted"
    UNIT_DEFINED = "unit.defined"
    TEXTS_ERASED = "texts.erased"
    METADATA_CHANGED = "metadata.changed"
    TABLE_CREATED = "table.created"
    TABLE_CHANGED = "table.changed"
    ROUND_OPENED = "round.opened"
    HAND_RECORDED = "hand.recorded"
    HAND_WITHDRAWN = "hand.withdrawn"
    DEPARTURE_RECORDED = "departure.recorded"
    ROUND_CLOSED = "round.closed"
    ROUND_CORRECTED = "round.corrected"
    ROUND_RECOMPUTED = "round.recomputed"
    SETTLEMENT_CONFIRMED = "settlement.confirmed"
    SETTLEMENT_FINALIZED = "settlement.finalized"
    DISPUTE_OPENED = "dispute.opened"
    DISPUTE_COMMENTED = "dispute.commented"
    DISPUTE_REVIEWED = "dispute.reviewed"
    DISPUTE_RESOLVED = "dispute.resolved"
    DISPUTE_WITHDRAWN = "dispute.withdrawn"
    PAYMENT_RECORDED = "payment.recorded"
    PAYMENT_REVERSED = "payment.reversed"
    PAYMENT_CLAIMED = "payment.claimed"
    PAYMENT_CLAIM_DECLINED = "payment.claim-declined"
    PAYMENT_CLAIM_WITHDRAWN = "payment.claim-withdrawn"
    CHARGE_RECORDED = "charge.recorded"
    CHARGE_REVERSED = "charge.reversed"
    PROPOSAL_OPENED = "proposal.opened"
    PROPOSAL_CONFIRMED = "proposal.confirmed"
    PROPOSAL_WITHDRAWN = "proposal.withdrawn"
    FINDINGS_ACKNOWLEDGED = "findings.acknowledged"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPayload:
    """
    The payload of an event, as a value.

    Attributes:
        kind: what happened, which the heading of the event says.
    """

    kind: ClassVar[EventKind]

    def encode(self) -> bytes:
        """Return the content of the event, canonical JSON."""
        return canonical_json(codec_of(type(self)).encode(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEvent(EventPayload):
    """A change of a round, one of its chain of events."""

    round: UUID
