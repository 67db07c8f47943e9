"""The disputes of a round, step by step."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from evidence.events import DisputeEvent, DisputeOpened, DisputeStep, EventKind, RoundCorrected
from evidence.fold.values import DisputeEntry, FoldedDispute, Revision, refuse_event
from evidence.tree import HASH_BYTES

_STEPS: Final[Mapping[EventKind, tuple[DisputeStep, ...]]] = {
    EventKind.DISPUTE_COMMENTED: (DisputeStep.COMMENT,),
    EventKind.DISPUTE_REVIEWED: (DisputeStep.UNDER_REVIEW,),
    EventKind.DISPUTE_RESOLVED: (DisputeStep.UPHELD, DisputeStep.REJECTED),
    EventKind.DISPUTE_WITHDRAWN: (DisputeStep.WITHDRAWN,),
}
"""What an event of each kind can do to a dispute."""

_NOT_ENDED: Final = (None, DisputeStep.UNDER_REVIEW)
_STATES: Final[Mapping[EventKind, tuple[DisputeStep | None, ...]]] = {
    EventKind.DISPUTE_COMMENTED: _NOT_ENDED,
    EventKind.DISPUTE_REVIEWED: (None,),
    EventKind.DISPUTE_RESOLVED: (DisputeStep.UNDER_REVIEW,),
    EventKind.DISPUTE_WITHDRAWN: _NOT_ENDED,
}
"""In which states of a dispute an event of each kind can happen."""


def find_dispute(disputes: Mapping[UUID, FoldedDispute], id_: UUID) -> FoldedDispute:
    """
    Return a dispute that has not ended.

    Raises:
        EvidenceError: the dispute does not exist or has ended.
    """
    dispute = disputes.get(id_)
    if dispute is None:
        refuse_event(f"dispute {id_} was not opened before")
    if dispute.has_ended:
        refuse_event(f"dispute {id_} has ended before: it is {dispute.state_name}")
    return dispute


def require_undisputed(disputes: Mapping[UUID, FoldedDispute], what: str) -> None:
    """
    Check that every dispute has ended.

    Raises:
        EvidenceError: a dispute has not ended.
    """
    number = sum(not dispute.has_ended for dispute in disputes.values())
    if number:
        counted = "a dispute that has not ended" if number == 1 else f"{number} disputes that have not ended"
        refuse_event(f"the settlement is {what} beside {counted}")


def open_dispute(
    disputes: Mapping[UUID, FoldedDispute], event: DisputeOpened, at: datetime, newest: Revision
) -> FoldedDispute:
    """
    Return the dispute that an event opens.

    Raises:
        EvidenceError: it cannot be opened in the newest revision of the round.
    """
    if event.dispute in disputes:
        refuse_event(f"dispute {event.dispute} is opened a second time")
    if not _has_author(event) or len(event.claim) != HASH_BYTES:
        refuse_event("the dispute does not say who claims what")
    if event.revision != newest.number:
        refuse_event(f"revision {event.revision} is not in force; expected {newest.number}")
    if event.hand is not None and not 1 <= event.hand <= len(newest.hands):
        refuse_event(f"the dispute is about hand {event.hand}; the round has {len(newest.hands)}")
    if event.seat is not None and all(seat.seat != event.seat for seat in newest.seats):
        refuse_event(f"the dispute is about seat {event.seat}, in which nobody sits")
    return FoldedDispute(event, at)


def change_dispute(
    disputes: Mapping[UUID, FoldedDispute],
    event: DisputeEvent,
    at: datetime,
    corrections: Mapping[int, RoundCorrected],
) -> FoldedDispute:
    """
    Return a dispute after a step.

    Raises:
        EvidenceError: the dispute cannot take it.
    """
    dispute = find_dispute(disputes, event.dispute)
    steps, states = _STEPS[event.kind], _STATES[event.kind]
    if event.step not in steps:
        expected = " or ".join(repr(step.value) for step in steps)
        refuse_event(f"the event does {event.step.value!r}; expected {expected}")
    if dispute.state not in states:
        expected = " or ".join("open" if state is None else state.value for state in states)
        refuse_event(f"the dispute is {dispute.state_name}; expected {expected}")
    if not _has_author(event):
        refuse_event("the event does not say who did it")
    if event.version != dispute.version + 1:
        refuse_event(f"the dispute has version {dispute.version}, and the event {event.version}")
    correction = None if event.correction is None else corrections.get(event.correction)
    if event.correction is not None and (correction is None or correction.dispute != event.dispute):
        refuse_event(f"revision {event.correction} is no correction for the dispute")
    if event.step is DisputeStep.REJECTED and event.words is None:
        refuse_event("the dispute is rejected without a reason")
    if event.step is DisputeStep.UPHELD and event.words is None and event.correction is None:
        refuse_event("the dispute is upheld without a correction and without a reason")
    return replace(
        dispute,
        entries=(*dispute.entries, DisputeEntry(event, at)),
        state=dispute.state if event.step is DisputeStep.COMMENT else event.step,
    )


def _has_author(event: DisputeOpened | DisputeEvent) -> bool:
    """Return whether an event has either a player as its author or the name of its key."""
    return bool(event.by) is (event.key_name is None) and event.by != ""
