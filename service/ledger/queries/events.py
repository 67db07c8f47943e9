"""Insert and list events: one for each change, written in the transaction that makes it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text
from uuid_utils.compat import uuid7

from evidence import Event, hash_event, write_heading
from evidence.events import EventKind
from service.db import Transaction

__all__ = [
    "INSERT_EVENT",
    "INSERT_IN_ROUND",
    "INSERT_WAITING",
    "EventKind",
    "event_parameters",
    "record_event",
]

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


@dataclass(frozen=True, slots=True)
class JoinedEvent:
    """An event as its bytes, and its place in the tree."""

    position: int
    written: bytes


_PAGE: Final = text("""
    SELECT node.position, event.heading || event.content AS written FROM tree_nodes AS node
    JOIN events AS event ON event.club_id = node.club_id AND event.id = node.event_id
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position >= :first ORDER BY node.position LIMIT :most
""")


def list_joined(transaction: Transaction, first: int, most: int) -> list[JoinedEvent]:
    """List the events of a club from a place on."""
    found = transaction.execute(_PAGE, {"club_id": transaction.club_id, "first": first, "most": most})
    return [JoinedEvent(each.position, bytes(each.written)) for each in found]


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event's bytes."""

    id: UUID
    written: bytes


_EVENT: Final = "SELECT id, heading || content AS written FROM events WHERE club_id = :club_id AND "
_OF_ROUND: Final = text(f"{_EVENT} round_id = :round_id ORDER BY sequence")
_OF_TABLE: Final = text(f"""
    {_EVENT} kind = '{EventKind.TABLE_CREATED}' AND convert_from(content, 'UTF8')::jsonb ->> 'id' = :table
""")
_OF_RULESETS: Final = text(f"""
    {_EVENT} kind = '{EventKind.RULESET_ADDED}' AND sha256(content) = ANY (:digests) ORDER BY at, id
""")


def list_round_events(transaction: Transaction, round_id: UUID) -> Sequence[StoredEvent]:
    """List a round's events, in order."""
    return _list(transaction, _OF_ROUND, round_id=round_id)


def list_related_events(transaction: Transaction, table_id: UUID, rulesets: Collection[bytes]) -> Sequence[StoredEvent]:
    """List the event that made a table, and those that added rules, which are named by their digests."""
    of_table = _list(transaction, _OF_TABLE, table=str(table_id))
    return [*of_table, *_list(transaction, _OF_RULESETS, digests=list(rulesets))]


def _list(transaction: Transaction, query: Any, **parameters: Any) -> list[StoredEvent]:
    found = transaction.execute(query, {"club_id": transaction.club_id, **parameters})
    return [StoredEvent(each.id, bytes(each.written)) for each in found]
