"""
Typed events: one frozen dataclass for the payload of each kind.

`encode` returns the content of an event, and `decode_event` reads it. Their form is version 1, which the tag of every
event's bytes says: a payload that changes gets another tag.
"""

from collections.abc import Mapping
from typing import Final

import orjson

from evidence.canonical import canonical_json
from evidence.codec import CanonicalJson, codec_of, show_place
from evidence.errors import EvidenceError
from evidence.events.clubs import (
    CheckpointSealed,
    ClubChanged,
    ClubCreated,
    FindingsAcknowledged,
    KeyCreated,
    KeyRevoked,
    LinkIssued,
    LinkKind,
    LinkRevoked,
    PlayerJoined,
    PlayerParted,
    RulesetAdded,
    TableChanged,
    TableCreated,
    UnitDefined,
    WebhookAdded,
    WebhookChanged,
    WebhookRemoved,
    WebhookSecretRotated,
)
from evidence.events.payload import EventKind, EventPayload, RoundEvent
from evidence.events.payments import (
    ChargeRecorded,
    ChargeReversed,
    PaymentClaimDeclined,
    PaymentClaimed,
    PaymentClaimWithdrawn,
    PaymentRecorded,
    PaymentReversed,
)
from evidence.events.proposals import (
    ProposalConfirmed,
    ProposalKind,
    ProposalOpened,
    ProposalWithdrawn,
)
from evidence.events.rounds import (
    CorrectedClosing,
    CorrectedDeparture,
    CorrectedDocument,
    DepartureRecorded,
    HandRecorded,
    HandWithdrawn,
    Received,
    RecordDigest,
    RoundClosed,
    RoundCorrected,
    RoundOpened,
    RoundRecomputed,
)
from evidence.events.settlements import (
    DisputeCommented,
    DisputeEvent,
    DisputeOpened,
    DisputeResolved,
    DisputeReviewed,
    DisputeStep,
    DisputeWithdrawn,
    FinalReason,
    SettlementConfirmed,
    SettlementFinalized,
)
from evidence.events.texts import MetadataChanged, MetadataOf, PlayerErased, PlayerNamed, TextsErased
from scoring.errors import Mistake

PAYLOADS: Final[Mapping[str, type[EventPayload]]] = {
    payload.kind: payload
    for payload in (
        ClubCreated,
        ClubChanged,
        ChargeRecorded,
        ChargeReversed,
        CheckpointSealed,
        DepartureRecorded,
        DisputeCommented,
        DisputeOpened,
        DisputeResolved,
        DisputeReviewed,
        DisputeWithdrawn,
        FindingsAcknowledged,
        HandRecorded,
        HandWithdrawn,
        KeyCreated,
        KeyRevoked,
        LinkIssued,
        LinkRevoked,
        MetadataChanged,
        PaymentClaimDeclined,
        PaymentClaimed,
        PaymentClaimWithdrawn,
        PaymentRecorded,
        PaymentReversed,
        PlayerErased,
        PlayerJoined,
        PlayerNamed,
        PlayerParted,
        ProposalConfirmed,
        ProposalOpened,
        ProposalWithdrawn,
        RoundClosed,
        RoundCorrected,
        RoundOpened,
        RoundRecomputed,
        RulesetAdded,
        SettlementConfirmed,
        SettlementFinalized,
        TableCreated,
        TableChanged,
        TextsErased,
        UnitDefined,
        WebhookAdded,
        WebhookChanged,
        WebhookRemoved,
        WebhookSecretRotated,
    )
}
"""The payload of each kind of event."""


def decode_event(kind: str, content: bytes) -> EventPayload | None:
    """
    Return the payload of an event; None where this release does not know the kind.

    >>> decode_event("player.erased", b'{"player":"ann"}'), decode_event("player.praised", b"{}")
    (PlayerErased(player='ann', texts=()), None)

    Raises:
        EvidenceError: the content is not what `encode` returns for an event of the kind, with every place in it.
    """
    payload = PAYLOADS.get(kind)
    if payload is None:
        return None
    try:
        read = orjson.loads(content)
        decoded = _decode(payload, read)
        if canonical_json(read) == content:
            return decoded
    except orjson.JSONDecodeError as error:
        raise EvidenceError((Mistake("event-content", (), f"its content is not JSON: {error}"),)) from error
    except EvidenceError as error:
        raise EvidenceError(tuple(map(_complete, error.mistakes))) from error
    raise EvidenceError((Mistake("event-content", (), "its content is not written as canonical JSON"),))


def _decode(payload: type[EventPayload], read: object) -> EventPayload:
    if payload is RulesetAdded:
        return RulesetAdded(ruleset=codec_of(CanonicalJson).decode(read))
    decoded: EventPayload = codec_of(payload).decode(read)
    return decoded


def _complete(mistake: Mistake) -> Mistake:
    """Return a mistake whose sentence names its place."""
    place = f"`{show_place(mistake.path)}`" if mistake.path else "its content"
    return Mistake(mistake.code, mistake.path, f"{place} {mistake.detail}")


__all__ = [
    "PAYLOADS",
    "ChargeRecorded",
    "ChargeReversed",
    "CheckpointSealed",
    "ClubChanged",
    "ClubCreated",
    "CorrectedClosing",
    "CorrectedDeparture",
    "CorrectedDocument",
    "DepartureRecorded",
    "DisputeCommented",
    "DisputeEvent",
    "DisputeOpened",
    "DisputeResolved",
    "DisputeReviewed",
    "DisputeStep",
    "DisputeWithdrawn",
    "EventKind",
    "EventPayload",
    "FinalReason",
    "FindingsAcknowledged",
    "HandRecorded",
    "HandWithdrawn",
    "KeyCreated",
    "KeyRevoked",
    "LinkIssued",
    "LinkKind",
    "LinkRevoked",
    "MetadataChanged",
    "MetadataOf",
    "PaymentClaimDeclined",
    "PaymentClaimWithdrawn",
    "PaymentClaimed",
    "PaymentRecorded",
    "PaymentReversed",
    "PlayerErased",
    "PlayerJoined",
    "PlayerNamed",
    "PlayerParted",
    "ProposalConfirmed",
    "ProposalKind",
    "ProposalOpened",
    "ProposalWithdrawn",
    "Received",
    "RecordDigest",
    "RoundClosed",
    "RoundCorrected",
    "RoundEvent",
    "RoundOpened",
    "RoundRecomputed",
    "RulesetAdded",
    "SettlementConfirmed",
    "SettlementFinalized",
    "TableChanged",
    "TableCreated",
    "TextsErased",
    "UnitDefined",
    "WebhookAdded",
    "WebhookChanged",
    "WebhookRemoved",
    "WebhookSecretRotated",
    "decode_event",
]
