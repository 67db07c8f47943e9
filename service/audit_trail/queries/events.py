"""Insert events, and list those of rounds: one for each change, written in the transaction that makes it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import uuid_utils
from sqlalchemy import text

from evidence import Headings, hash_event
from evidence.events import EventKind
from service.audit_trail.models import EventRecord, WaitingEventRecord
from service.db import Transaction
from service.db.batch import Batch

__all__ = ["EventKind", "EventWriter", "record_event"]


class EventWriter:
    """Adds events of one transaction to a batch."""

    __slots__ = ("_batch", "_common", "_headings")

    def __init__(self, transaction: Transaction, batch: Batch) -> None:
        self._batch = batch
        self._headings = Headings(transaction.club_id, transaction.actor, transaction.request_id, transaction.now)
        self._common = {
            "club_id": transaction.club_id,
            "actor": transaction.actor,
            "request_id": transaction.request_id,
            "at": transaction.now,
        }

    def add(
        self,
        kind: EventKind,
        content: bytes,
        *,
        round_id: UUID | None = None,
        sequence: int | None = None,
        previous: bytes = b"",
        after: UUID | None = None,
    ) -> tuple[uuid_utils.UUID, bytes]:
        """
        Add an event, also to the events that wait to join the club's tree.

        Args:
            kind: the kind of event.
            content: the encoded payload, stored as these bytes, which later proofs cover.
            round_id: the round of the event, which must be locked.
            sequence: the round's version after the event; it numbers the round's events without gaps.
            previous: the hash of the round's last event.
            after: the ID of an earlier event; that of this one is larger, even if the clocks of two servers differ.

        Returns:
            The ID of the event, and its hash, which the round's next event contains.
        """
        added = self.add_leaf(kind, content, round_id, sequence, previous, after)
        self._batch.insert(WaitingEventRecord, {"club_id": self._common["club_id"], "event_id": added[0]})
        return added

    def add_leaf(
        self,
        kind: EventKind,
        content: bytes,
        round_id: UUID | None = None,
        sequence: int | None = None,
        previous: bytes = b"",
        after: UUID | None = None,
    ) -> tuple[uuid_utils.UUID, bytes]:
        """Add an event that the caller adds to the club's tree, and return its id and its hash."""
        event_id = uuid_utils.uuid7()
        if after is not None and event_id.int <= after.int:
            event_id = uuid_utils.UUID(int=after.int + 1)
        of_round = "" if round_id is None else str(round_id)
        heading = self._headings.write(str(event_id), of_round, sequence, kind.value, previous, content)
        hashed = hash_event(heading + content)
        record = {
            **self._common,
            "id": event_id,
            "round_id": round_id,
            "sequence": sequence,
            "kind": kind,
            "heading": heading,
            "content": content,
            "hash": hashed,
        }
        self._batch.insert(EventRecord, record)
        return event_id, hashed


def record_event(transaction: Transaction, kind: EventKind, content: bytes, after: UUID | None = None) -> None:
    """
    Insert an event outside of rounds; its content is the encoded payload.

    With `after`, the ID of the event is larger than that of another event.
    """
    batch = Batch()
    EventWriter(transaction, batch).add(kind, content, after=after)
    batch.write(transaction)


@dataclass(frozen=True, slots=True)
class Leaf:
    """An event as a leaf of a tree."""

    id: UUID
    hash: bytes


def record_leaf(transaction: Transaction, kind: EventKind, content: bytes) -> Leaf:
    """Insert an event outside of rounds that the caller adds to the club's tree in the same transaction."""
    batch = Batch()
    event_id, hashed = EventWriter(transaction, batch).add_leaf(kind, content)
    batch.write(transaction)
    return Leaf(UUID(str(event_id)), hashed)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as bytes, with its id."""

    id: UUID
    written: bytes


_EVENT: Final = "SELECT id, heading || content AS written FROM events WHERE club_id = :club_id AND "
_BY_ID: Final = text(f"{_EVENT} id = ANY (:ids)")
_OF_ROUND: Final = text(f"{_EVENT} round_id = :round_id ORDER BY sequence")
_OF_TABLE: Final = text(f"""
    ({_EVENT} kind = '{EventKind.TABLE_CREATED}' AND convert_from(content, 'UTF8')::jsonb ->> 'id' = :table)
    UNION ALL
    ({_EVENT} kind = '{EventKind.TABLE_CHANGED}' AND convert_from(content, 'UTF8')::jsonb ->> 'id' = :table
        AND id < :opening ORDER BY id DESC LIMIT 1)
    ORDER BY id
""")
_IDS_OF_TABLE: Final = text(f"""
    SELECT id FROM events WHERE club_id = :club_id
        AND kind IN ('{EventKind.TABLE_CREATED}', '{EventKind.TABLE_CHANGED}')
        AND convert_from(content, 'UTF8')::jsonb ->> 'id' = :table
""")
_OF_RULESETS: Final = text(f"""
    {_EVENT} kind = '{EventKind.RULESET_ADDED}' AND sha256(content) = ANY (:digests) ORDER BY at, id
""")


def list_by_id(transaction: Transaction, ids: Collection[UUID]) -> Sequence[StoredEvent]:
    """List those of some IDs that are events of the club."""
    return _list(transaction, _BY_ID, ids=list(ids))


def list_round_events(transaction: Transaction, round_id: UUID) -> Sequence[StoredEvent]:
    """List a round's events, in order."""
    return _list(transaction, _OF_ROUND, round_id=round_id)


def list_related_events(
    transaction: Transaction, table_id: UUID, opening: UUID, rulesets: Collection[bytes]
) -> Sequence[StoredEvent]:
    """
    List the events outside of rounds that the events of a round refer to.

    They are the event that created its table, the last change of the table before the event `opening`, which has all
    its fields, and the events that added the rulesets with these digests.
    """
    of_table = _list(transaction, _OF_TABLE, table=str(table_id), opening=opening)
    return [*of_table, *_list(transaction, _OF_RULESETS, digests=list(rulesets))]


def find_last_of_table(transaction: Transaction, table_id: UUID) -> UUID | None:
    """Find the largest ID of the events that created and changed a table, which must be locked."""
    parameters = {"club_id": transaction.club_id, "table": str(table_id)}
    newest: UUID | None = max(transaction.execute(_IDS_OF_TABLE, parameters).scalars(), default=None)
    return newest


def _list(transaction: Transaction, query: Any, **parameters: Any) -> list[StoredEvent]:
    rows = transaction.execute(query, {"club_id": transaction.club_id, **parameters})
    return [StoredEvent(each.id, bytes(each.written)) for each in rows]
