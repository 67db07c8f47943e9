"""The records that proposals must have, from their events."""

from datetime import datetime
from typing import Any
from uuid import UUID

from evidence.events import ProposalConfirmed, ProposalOpened, ProposalWithdrawn
from schemas.corrections.proposals import ProposalState
from service.replays.comparing import Key
from service.texts.models import TextField
from service.verification.expected_texts import expect_text

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
        records["texts"][(event.received,)] = dict(expect_text(TextField.SUBMISSION, event.received, event_id))
        return
    opened = records["proposals"][(event.proposal,)]
    if (event.proposal,) in records["proposal_ends"]:
        raise ValueError(f"proposal {event.proposal} has ended before")
    ended = {"proposed_by": opened["proposed_by"], "ended_by": actor, "ended_at": at}
    if isinstance(event, ProposalWithdrawn):
        records["texts"][(event.reason,)] = dict(expect_text(TextField.REASON, event.reason, event.proposal))
        columns: dict[str, Any] = {
            "state": ProposalState.WITHDRAWN.value,
            "reason": event.reason,
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
        "received": event.received,
        "round_id": event.round,
        "table_id": event.table,
        "revision": event.revision,
        "dispute": event.dispute,
        "upholds": event.upholds,
        "audit_id": event.audit,
    }
