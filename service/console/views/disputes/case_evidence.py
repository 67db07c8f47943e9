"""The evidence of a dispute: the events of its round that are about it, and the checkpoint that covers them."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from evidence import Event, hash_event, read_event
from evidence.events import EventKind
from service.audit_trail.queries import checkpoints, trees
from service.audit_trail.queries import events as round_events
from service.audit_trail.queries.checkpoints import StoredCheckpoint
from service.db import Transaction
from service.rounds.queries import hands


@dataclass(frozen=True, slots=True)
class CaseEvent:
    """
    An event of the round that is about a dispute, or about its hand.

    Attributes:
        event: the event.
        hash: its hash, in hexadecimal.
        position: in the tree of the checkpoint; None if the checkpoint does not cover it.
    """

    event: Event
    hash: str
    position: int | None


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """The events of a dispute in their order, and the newest checkpoint; None without one."""

    events: Sequence[CaseEvent]
    checkpoint: StoredCheckpoint | None

    @property
    def covered(self) -> int:
        """The number of events that the checkpoint covers."""
        return sum(each.position is not None for each in self.events)


def find_evidence(
    transaction: Transaction, round_id: UUID, dispute_id: UUID, hand: int | None, *, is_auditor: bool
) -> CaseEvidence:
    """
    Find the events of a dispute and of its hand, and the newest checkpoint.

    Args:
        transaction: a transaction with a single snapshot.
        round_id: the round.
        dispute_id: the dispute.
        hand: the number of the disputed hand; None for all hands of the round.
        is_auditor: whether to read the checkpoint, which only auditors see.
    """
    records = None if hand is None else {str(each) for each in hands.list_records(transaction, round_id, hand)}
    listed = [
        (each, event)
        for each in round_events.list_round_events(transaction, round_id)
        if _is_about(event := read_event(each.written), str(dispute_id), records)
    ]
    checkpoint = checkpoints.find_newest(transaction) if is_auditor else None
    size = 0 if checkpoint is None else checkpoint.size
    proved = trees.prove_inclusion(transaction, [each.id for each, _ in listed], size)
    return CaseEvidence(
        [
            CaseEvent(event, hash_event(each.written).hex(), proved[each.id].position if each.id in proved else None)
            for each, event in listed
        ],
        checkpoint,
    )


def _is_about(event: Event, dispute_id: str, records: Collection[str] | None) -> bool:
    """Return whether an event is a step of a dispute, or records, undoes or corrects one of some hands."""
    content = json.loads(event.content)
    if content.get("dispute") == dispute_id:
        return True
    changed = _list_hands(event.kind, content)
    return bool(changed) if records is None else any(each in records for each in changed)


def _list_hands(kind: str, content: Any) -> Sequence[str]:
    """Return the IDs of the records of hands that an event records or removes."""
    match kind:
        case EventKind.HAND_RECORDED:
            return [content["id"]]
        case EventKind.HAND_WITHDRAWN:
            return [content["hand"]]
        case EventKind.ROUND_CORRECTED:
            return [each["hand"] for each in content["recorded"]]
    return ()
