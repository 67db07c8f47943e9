"""The records that proposals must have, from their events."""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from evidence.events import ProposalConfirmed, ProposalOpened, ProposalWithdrawn
from schemas.corrections.proposals import ProposalState
from service.replays.comparing import Key, Row

ProposalEvent = ProposalOpened | ProposalConfirmed | ProposalWithdrawn
Records = dict[str, dict[Key, dict[str, Any]]]


def add_proposal(records: Records, event: ProposalEvent, event_id: UUID, at: datetime, actor: UUID | None) -> None:
    """
    Add the record of an event. A proposal has the ID of the event that opened it.

    Raises:
        KeyError: it ends a proposal that no earlier event opened.
        ValueError: it ends a proposal that has ended, or the key that opened it confirms it.
    """
    if isinstance(event, ProposalOpened):
        records["proposals"][(event_id,)] = _opened(event, at, actor)
        return
    opened = records["proposals"][(event.proposal,)]
    if (event.proposal,) in records["proposal_ends"]:
        raise ValueError(f"proposal {event.proposal} has ended before")
    ended = {"proposed_by": opened["proposed_by"], "ended_by": actor, "ended_at": at}
    if isinstance(event, ProposalWithdrawn):
        columns = {
            "state": ProposalState.WITHDRAWN.value,
            "reason": _hashed("reason", event.reason),
            "round_id": None,
            "revision": None,
            "recomputation_id": None,
        }
    else:
        if actor == opened["proposed_by"]:
            raise ValueError(f"proposal {event.proposal} is confirmed by the key that opened it")
        columns = {
            "state": ProposalState.CONFIRMED.value,
            "reason": None,
            "round_id": opened["round_id"],
            "revision": event.revision,
            "recomputation_id": event.recomputation,
        }
    records["proposal_ends"][(event.proposal,)] = {**ended, **columns}


def _opened(event: ProposalOpened, at: datetime, actor: UUID | None) -> dict[str, Any]:
    return {
        "kind": event.proposal.value,
        "proposed_by": actor,
        "proposed_at": at,
        "digest": event.digest,
        "request_digest": event.request,
        "content": _hashed("content", event.received),
        "round_id": event.round,
        "table_id": event.table,
        "revision": event.revision,
        "dispute": event.dispute,
        "upholds": event.upholds,
        "audit_id": event.audit,
    }


def _hashed(column: str, digest: bytes) -> Callable[[Row], Any]:
    """Return what a column must be of which the event has the SHA-256: the stored value, if its digest fits."""

    def right(row: Row) -> Any:
        stored = row[column] or b""
        content = stored.encode() if isinstance(stored, str) else bytes(stored)
        return row[column] if sha256(content).digest() == digest else f"one of the SHA-256 {digest.hex()}"

    return right
