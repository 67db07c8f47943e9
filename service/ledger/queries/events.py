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
Parts of statements that insert an event with the change; `event_parameters` returns their parameters. The second
inserts the event into the list of those that wait to join the club's tree.
"""

_INSERT: Final = text(f"WITH event AS ({INSERT_EVENT}) {INSERT_WAITING}")
INSERT_IN_ROUND: Final = text(f"""
    WITH event AS ({INSERT_EVENT}), waiting AS ({INSERT_WAITING})
    UPDATE round_heads SET last_event = :event_hash WHERE club_id = :club_id AND round_id = :round_id
""")
"""Inserts an event of a locked round, and stores its hash in the round's head for the next event."""
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
    Insert an event.

    Args:
        transaction: the transaction of the change; it has the actor.
        kind: the kind of event.
        content: the encoded payload, stored as these bytes, which later proofs cover.
        round_id: the round of the event; it is locked and has its head.
        sequence: the round's version after the event; it numbers the round's events without gaps.

    Returns:
        The hash of the event, which the round's next event contains.
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
    """Return the parameters of `INSERT_EVENT`, including the hash for the round's head."""
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
    """An event as bytes, and its position in the tree."""

    position: int
    written: bytes


_PAGE: Final = text("""
    SELECT node.position, event.heading || event.content AS written FROM tree_nodes AS node
    JOIN events AS event ON event.club_id = node.club_id AND event.id = node.event_id
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position >= :first ORDER BY node.position LIMIT :most
""")


def list_joined(transaction: Transaction, first: int, most: int) -> list[JoinedEvent]:
    """List the club's events from a position on."""
    found = transaction.execute(_PAGE, {"club_id": transaction.club_id, "first": first, "most": most})
    return [JoinedEvent(each.position, bytes(each.written)) for each in found]


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as bytes, with its id."""

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
    """List the event that created a table, and those that added the rulesets with these digests."""
    of_table = _list(transaction, _OF_TABLE, table=str(table_id))
    return [*of_table, *_list(transaction, _OF_RULESETS, digests=list(rulesets))]


def _list(transaction: Transaction, query: Any, **parameters: Any) -> list[StoredEvent]:
    found = transaction.execute(query, {"club_id": transaction.club_id, **parameters})
    return [StoredEvent(each.id, bytes(each.written)) for each in found]
