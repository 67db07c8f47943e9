"""What is said and done about a dispute, step by step; every step is one of its versions, and one of the round's."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final
from uuid import UUID

from schemas.disputes import COMMENT, MOST_COMMENTS, DisputeEntry, DisputeState, StepRequest
from schemas.hands import canonical_json, digest_of
from scoring.errors import Mistake
from service.audit import EventKind, record_event
from service.database import Transaction
from service.errors import DisputeChanged, DisputeInvalid, DisputeRefused
from service.repository import disputes, rounds, settlement_states
from service.repository.disputes import StoredDispute
from service.repository.stored_round import StoredRound
from service.usecases.view_dispute import ChangedDispute, view_case

_OPEN, _REVIEWED = DisputeState.OPEN, DisputeState.UNDER_REVIEW
_FROM: Final[Mapping[str, tuple[DisputeState, ...]]] = {
    COMMENT: (_OPEN, _REVIEWED),
    _REVIEWED.value: (_OPEN,),
    DisputeState.UPHELD.value: (_REVIEWED,),
    DisputeState.REJECTED.value: (_REVIEWED,),
    DisputeState.WITHDRAWN.value: (_OPEN, _REVIEWED),
}
"""In which states a step can be taken."""

_EVENTS: Final[Mapping[str, EventKind]] = {
    COMMENT: EventKind.DISPUTE_COMMENTED,
    _REVIEWED.value: EventKind.DISPUTE_REVIEWED,
    DisputeState.UPHELD.value: EventKind.DISPUTE_RESOLVED,
    DisputeState.REJECTED.value: EventKind.DISPUTE_RESOLVED,
    DisputeState.WITHDRAWN.value: EventKind.DISPUTE_WITHDRAWN,
}


def step_dispute(transaction: Transaction, dispute_id: UUID, request: StepRequest) -> ChangedDispute:
    """
    Say or do something about a dispute; the same again, by the same person, changes nothing.

    The round is locked before the dispute, as everywhere.

    Raises:
        NotFound: the club has no such dispute.
        DisputeChanged: it is no longer as the sender has read it.
        DisputeRefused: it has ended, or is not as far.
        DisputeInvalid: it is to be upheld without a correction and without a reason.
    """
    round_ = rounds.lock(transaction, disputes.get(transaction, dispute_id).round_id)
    before = disputes.lock(transaction, dispute_id)
    digest = digest_of([request.by, request.words])
    if _is_done(transaction, before, request, digest):
        return ChangedDispute(view_case(transaction, before), is_replay=True)
    if request.version is not None and request.version != before.version:
        detail = f"version {request.version} of the dispute was read; it has version {before.version} now"
        raise DisputeChanged(detail, (Mistake("dispute-changed", ("version",), detail),))
    _refuse_out_of_turn(before, request)
    correction = _find_correction(transaction, before, request)
    entry = DisputeEntry(before.version + 1, request.kind, request.by, request.words, correction, transaction.now)
    after = disputes.add_entry(transaction, before, entry, digest)
    _tell(transaction, round_, after, entry)
    return ChangedDispute(view_case(transaction, after), is_replay=False)


def _is_done(transaction: Transaction, before: StoredDispute, request: StepRequest, digest: bytes) -> bool:
    """Say whether just this was said or done already: a comment at any time, a step upon the version that was read."""
    if request.version is None:
        return disputes.find_comment(transaction, before.id, digest) is not None
    done = disputes.find_entry(transaction, before.id, request.version + 1)
    return done is not None and (done.kind, done.by, done.words) == (request.kind, request.by, request.words)


def _refuse_out_of_turn(before: StoredDispute, request: StepRequest) -> None:
    if before.state.is_ended:
        raise _refusal("dispute-ended", f"the dispute is {before.state.value}, which ended it; open another")
    if before.state not in _FROM[request.kind]:
        if before.state is _OPEN:
            raise _refusal("dispute-not-reviewed", "the dispute is open; it comes under review before it is resolved")
        raise _refusal("dispute-under-review", "the dispute is under review already")
    comments = before.version - 1 - (before.state is _REVIEWED)
    if request.kind == COMMENT and comments >= MOST_COMMENTS:
        raise _refusal("comments-full", f"{comments} comments are there, which is as many as a dispute takes")


def _refusal(code: str, detail: str) -> DisputeRefused:
    return DisputeRefused(detail, (Mistake(code, (), detail),))


def _find_correction(transaction: Transaction, before: StoredDispute, request: StepRequest) -> int | None:
    """
    Find what put right what is upheld: the newest correction that names the dispute.

    Raises:
        DisputeInvalid: there is none, and no reason why.
    """
    if request.kind != DisputeState.UPHELD.value:
        return None
    made = disputes.list_corrections(transaction, before)
    if not made and request.words is None:
        detail = "no correction names the dispute; correct the round with it, or say in reason why nothing is corrected"
        raise DisputeInvalid(detail, (Mistake("correction-missing", ("reason",), detail),))
    return made[-1] if made else None


def _tell(transaction: Transaction, round_: StoredRound, after: StoredDispute, entry: DisputeEntry) -> None:
    """Write the step into the round's audit trail; of the words, which may name people, their digest."""
    ends = after.state.is_ended
    stands = settlement_states.dispute_ended(transaction, round_) if ends else rounds.advance(transaction, round_)
    event = {
        "dispute": str(after.id),
        "round": str(after.round_id),
        "version": entry.version,
        "kind": entry.kind,
        "by": entry.by,
        "words": None if entry.words is None else sha256(entry.words.encode()).hexdigest(),
        "correction": entry.correction,
    }
    record_event(transaction, _EVENTS[entry.kind], canonical_json(event), round_id=stands.id, sequence=stands.version)
