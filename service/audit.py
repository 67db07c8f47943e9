"""
The audit trail: one event for each change, written in the transaction that makes it.

Events of a round are chained: each names the hash of the one before it, which the round's head keeps.
"""

from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text
from uuid_utils.compat import uuid7

from schemas.evidence import Event, hash_event, write_heading
from service.database import Transaction


class EventKind(StrEnum):
    """What happened."""

    RULESET_ADDED = "ruleset.added"
    CLUB_CREATED = "club.created"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    LINK_ISSUED = "link.issued"
    LINK_REVOKED = "link.revoked"
    LINKS_REVOKED = "links.revoked"
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
    INSERT INTO events (club_id, id, round_id, sequence, kind, actor, request_id, at, heading, content,
        hash)
    VALUES (:club_id, :event_id, :round_id, :sequence, :event_kind, :actor, :request_id, :now, :event_heading,
        :event_content, :event_hash)
"""
INSERT_WAITING: Final = "INSERT INTO waiting_events (club_id, event_id) VALUES (:club_id, :event_id)"
"""
Both are for statements that write an event beside the change; `event_parameters` says what goes into them. The second
lets the event wait for its place in the club's tree.
"""

_INSERT: Final = text(f"WITH event AS ({INSERT_EVENT}) {INSERT_WAITING}")
INSERT_IN_ROUND: Final = text(f"""
    WITH event AS ({INSERT_EVENT}), waiting AS ({INSERT_WAITING})
    UPDATE round_heads SET last_event = :event_hash WHERE club_id = :club_id AND round_id = :round_id
""")
"""Writes an event of a round that was locked, and lets the round's head keep its hash for the next."""
_LAST: Final = text("SELECT last_event FROM round_heads WHERE club_id = :club_id AND round_id = :round_id")


def record_event(
    transaction: Transaction,
    kind: EventKind,
    content: bytes,
    *,
    round_id: UUID | None = None,
    sequence: int | None = None,
) -> bytes:
    """
    Write down a change: what happened, who made it, and the bytes that say it in full.

    Args:
        transaction: in which the change is made, and who makes it.
        kind: what happened.
        content: kept byte for byte; a later proof covers exactly these.
        round_id: the round that it happened in, which is locked and has its head.
        sequence: the version that the round has after it, which numbers the events of a round without a gap.

    Returns:
        The hash of the event, which the round's next one names.
    """
    if round_id is None:
        parameters = event_parameters(transaction, kind, content)
        transaction.execute(_INSERT, parameters)
    else:
        before = transaction.execute(_LAST, {"club_id": transaction.club_id, "round_id": round_id}).scalar_one()
        parameters = event_parameters(
            transaction, kind, content, round_id=round_id, sequence=sequence, previous=bytes(before)
        )
        transaction.execute(INSERT_IN_ROUND, parameters)
    written: bytes = parameters["event_hash"]
    return written


def event_parameters(
    transaction: Transaction,
    kind: EventKind,
    content: bytes,
    *,
    round_id: UUID | None = None,
    sequence: int | None = None,
    previous: bytes = b"",
) -> dict[str, Any]:
    """Say what goes into `INSERT_EVENT`, and the hash that the round's head keeps of it."""
    event = Event(
        club=transaction.club_id,
        id=uuid7(),
        round_id=round_id,
        sequence=sequence,
        kind=kind.value,
        actor=transaction.actor,
        request_id=transaction.request_id,
        at=transaction.now,
        previous=previous,
        content=content,
    )
    heading = write_heading(event)
    return {
        "club_id": event.club,
        "event_id": event.id,
        "round_id": round_id,
        "sequence": sequence,
        "event_kind": event.kind,
        "actor": event.actor,
        "request_id": event.request_id,
        "now": event.at,
        "event_heading": heading,
        "event_content": content,
        "event_hash": hash_event(heading + content),
    }
