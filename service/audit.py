"""The audit trail: one event for each change, written in the transaction that makes it."""

from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text
from uuid_utils.compat import uuid7

from service.database import Transaction


class EventKind(StrEnum):
    """What happened."""

    RULESET_ADDED = "ruleset.added"
    CLUB_CREATED = "club.created"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    PLAYER_NAMED = "player.named"
    PLAYER_ERASED = "player.erased"
    TABLE_CREATED = "table.created"
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


INSERT_EVENT: Final = """
    INSERT INTO events (club_id, id, round_id, sequence, kind, actor, request_id, at, content)
    VALUES (:club_id, :event_id, :round_id, :sequence, :event_kind, :actor, :request_id, :now, :event_content)
"""
"""For statements that write an event beside the change; `event_parameters` says what goes into it."""

_INSERT_EVENT: Final = text(INSERT_EVENT)


def record_event(
    transaction: Transaction,
    kind: EventKind,
    content: bytes,
    *,
    round_id: UUID | None = None,
    sequence: int | None = None,
) -> None:
    """
    Write down a change: what happened, who made it, and the bytes that say it in full.

    Args:
        transaction: in which the change is made, and who makes it.
        kind: what happened.
        content: kept byte for byte; a later proof covers exactly these.
        round_id: the round that it happened in.
        sequence: the version that the round has after it, which numbers the events of a round without a gap.
    """
    transaction.execute(
        _INSERT_EVENT, event_parameters(transaction, kind, content, round_id=round_id, sequence=sequence)
    )


def event_parameters(
    transaction: Transaction,
    kind: EventKind,
    content: bytes,
    *,
    round_id: UUID | None = None,
    sequence: int | None = None,
) -> dict[str, Any]:
    """Say what goes into `INSERT_EVENT`."""
    return {
        "club_id": transaction.club_id,
        "event_id": uuid7(),
        "round_id": round_id,
        "sequence": sequence,
        "event_kind": kind.value,
        "actor": transaction.actor,
        "request_id": transaction.request_id,
        "now": transaction.now,
        "event_content": content,
    }
