"""Open disputes, comment on them, and lead them through their states."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence import digest_of
from evidence.events import (
    DisputeCommented,
    DisputeEvent,
    DisputeOpened,
    DisputeResolved,
    DisputeReviewed,
    DisputeStep,
    DisputeWithdrawn,
)
from schemas.disputes import (
    COMMENT,
    MOST_COMMENTS,
    DisputeEntry,
    DisputeRequest,
    DisputeState,
    DisputeTransitionRequest,
    DisputeView,
    DisputeWithHistory,
    RoundAnomaly,
)
from scoring.board import Row
from scoring.errors import Mistake
from service.db import Transaction
from service.db.pages import Page
from service.disputes import queries as disputes
from service.disputes.actions.anomalies import find_unusual
from service.disputes.queries import DisputeFilter, StoredDispute
from service.errors import DisputeChanged, DisputeInvalid, DisputeRefused, NotFound
from service.ledger.queries.events import record_event
from service.rounds.actions.checks import require_sayer
from service.rounds.queries import rounds, settlement_states
from service.rounds.queries.stored_round import StoredRound


@dataclass(frozen=True, slots=True)
class ChangedDispute:
    """A dispute after something was said or done about it, and whether just this had been before."""

    case: DisputeWithHistory
    is_replay: bool


def view_case(transaction: Transaction, stored: StoredDispute) -> DisputeWithHistory:
    """Show a dispute with everything that followed it."""
    unusual = find_unusual(transaction, [stored.round_id])
    return DisputeWithHistory(
        _view(stored, unusual[stored.round_id]),
        disputes.list_entries(transaction, stored.id),
        disputes.list_corrections(transaction, stored),
    )


def view_disputes(transaction: Transaction, listed: Sequence[StoredDispute]) -> list[DisputeView]:
    """Show disputes of a list."""
    unusual = find_unusual(transaction, [stored.round_id for stored in listed])
    return [_view(stored, unusual[stored.round_id]) for stored in listed]


def _view(stored: StoredDispute, unusual: Sequence[RoundAnomaly]) -> DisputeView:
    return DisputeView(
        id=stored.id,
        round=stored.round_id,
        table=stored.table_id,
        revision=stored.revision,
        hand=stored.hand,
        seat=stored.seat,
        row=stored.board_row,
        claim=stored.claim,
        by=stored.said_by,
        state=stored.state,
        version=stored.version,
        opened_at=stored.opened_at,
        unusual=unusual,
    )


def get_dispute(transaction: Transaction, dispute_id: UUID) -> DisputeWithHistory:
    """
    Show a dispute, what followed it, and what is unusual about its round.

    Raises:
        NotFound: the club has no such dispute.
    """
    return view_case(transaction, disputes.get(transaction, dispute_id))


def list_disputes(
    transaction: Transaction, wanted: DisputeFilter, *, after: UUID | None, limit: int
) -> Page[DisputeView]:
    """List the club's disputes, the oldest first, each with what is unusual about its round."""
    found = disputes.list_page(transaction, wanted, after=after, limit=limit + 1)
    shown = found[:limit]
    return Page(view_disputes(transaction, shown), shown[-1].id if len(found) > limit else None)


MOST_OPEN: Final = 100
"""So many disputes of one round can be open or under review."""


def open_dispute(transaction: Transaction, request: DisputeRequest) -> ChangedDispute:
    """
    Hold something against the settlement of a round. The same claim by the same player again is the same dispute.

    Raises:
        DisputeInvalid: the club has no such round, or the round no such hand, seat or player.
        DisputeRefused: the round is still played, or disputed a hundred times already.
    """
    before = _lock_round(transaction, request)
    same = disputes.find_same(transaction, before.id, request.digest)
    if same is not None:
        return ChangedDispute(view_case(transaction, same), is_replay=True)
    _refuse(before)
    require_sayer(transaction, before, request.by)
    mistakes = tuple(_missing(before, request))
    if mistakes:
        raise DisputeInvalid("the round has no such place", mistakes)
    dispute = StoredDispute(
        id=uuid7(),
        round_id=before.id,
        table_id=before.table_id,
        revision=before.revision,
        hand=request.hand,
        seat=request.seat,
        board_row=request.row,
        claim=request.claim,
        said_by=request.by,
        digest=request.digest,
        opened_at=transaction.now,
    )
    disputes.add(transaction, dispute)
    after = settlement_states.dispute_opened(transaction, before)
    event = _event(dispute)
    record_event(transaction, event.kind, event.encode(), round_id=after.id, sequence=after.version)
    return ChangedDispute(view_case(transaction, dispute), is_replay=False)


def _lock_round(transaction: Transaction, request: DisputeRequest) -> StoredRound:
    try:
        return rounds.lock(transaction, request.round)
    except NotFound as error:
        raise DisputeInvalid(str(error), (Mistake("round-unknown", ("round",), str(error)),)) from error


def _refuse(before: StoredRound) -> None:
    if before.round.is_open:
        detail = "the round is still played; undo puts right its last hand, a correction any, and a dispute comes after"
        raise DisputeRefused(detail, (Mistake("round-open", ("round",), detail),))
    if before.firmness.open_disputes >= MOST_OPEN:
        detail = f"{MOST_OPEN} disputes of the round have not ended, which is as many as there can be"
        raise DisputeRefused(detail, (Mistake("disputes-full", ("round",), detail),))


def _missing(before: StoredRound, request: DisputeRequest) -> Iterator[Mistake]:
    hands, seats = before.round.hands, [seat.seat for seat in before.round.seats]
    if request.hand is not None and request.hand > hands:
        there = f"expected 1 to {hands}" if hands else "no hand was played"
        yield Mistake("hand-unknown", ("hand",), f"is {request.hand}; {there}")
    if request.seat is not None and request.seat not in seats:
        yield Mistake("seat-unknown", ("seat",), f"is {request.seat}; expected one of {', '.join(map(str, seats))}")


def _event(dispute: StoredDispute) -> DisputeOpened:
    """Return the event: what was claimed by whom, and of the words, which may name people, their digest."""
    return DisputeOpened(
        dispute=dispute.id,
        round=dispute.round_id,
        revision=dispute.revision,
        hand=dispute.hand,
        seat=dispute.seat,
        row=None if dispute.board_row is None else Row(dispute.board_row),
        by=dispute.said_by,
        claim=sha256(dispute.claim.encode()).digest(),
    )


_OPEN, _REVIEWED = DisputeState.OPEN, DisputeState.UNDER_REVIEW
_FROM: Final[Mapping[str, tuple[DisputeState, ...]]] = {
    COMMENT: (_OPEN, _REVIEWED),
    _REVIEWED.value: (_OPEN,),
    DisputeState.UPHELD.value: (_REVIEWED,),
    DisputeState.REJECTED.value: (_REVIEWED,),
    DisputeState.WITHDRAWN.value: (_OPEN, _REVIEWED),
}
"""In which states a step can be taken."""

_EVENTS: Final[Mapping[DisputeStep, type[DisputeEvent]]] = {
    DisputeStep.COMMENT: DisputeCommented,
    DisputeStep.UNDER_REVIEW: DisputeReviewed,
    DisputeStep.UPHELD: DisputeResolved,
    DisputeStep.REJECTED: DisputeResolved,
    DisputeStep.WITHDRAWN: DisputeWithdrawn,
}


def step_dispute(transaction: Transaction, dispute_id: UUID, request: DisputeTransitionRequest) -> ChangedDispute:
    """
    Say or do something about a dispute; the same again, by the same person, changes nothing.

    The round is locked before the dispute, as everywhere.

    Raises:
        NotFound: the club has no such dispute.
        DisputeChanged: it is no longer as the sender has read it.
        DisputeRefused: it has ended, or is not as far.
        DisputeInvalid: it is to be upheld without a correction and without a reason, or says who is not of the round.
    """
    round_ = rounds.lock(transaction, disputes.get(transaction, dispute_id).round_id)
    before = disputes.lock(transaction, dispute_id)
    digest = digest_of([request.by, request.words])
    if _is_done(transaction, before, request, digest):
        return ChangedDispute(view_case(transaction, before), is_replay=True)
    if request.version is not None and request.version != before.version:
        detail = f"the request is for version {request.version} of the dispute; expected version {before.version}"
        raise DisputeChanged(detail, (Mistake("dispute-changed", ("version",), detail),))
    _refuse_out_of_turn(before, request)
    require_sayer(transaction, round_, request.by, (before.said_by,))
    correction = _find_correction(transaction, before, request)
    entry = DisputeEntry(before.version + 1, request.kind, request.by, request.words, correction, transaction.now)
    after = disputes.add_entry(transaction, before, entry, digest)
    _tell(transaction, round_, after, entry)
    return ChangedDispute(view_case(transaction, after), is_replay=False)


def _is_done(transaction: Transaction, before: StoredDispute, request: DisputeTransitionRequest, digest: bytes) -> bool:
    """Say whether just this was said or done already: a comment at any time, a step upon the version that was read."""
    if request.version is None:
        return disputes.find_comment(transaction, before.id, digest) is not None
    done = disputes.find_entry(transaction, before.id, request.version + 1)
    return done is not None and (done.kind, done.by, done.words) == (request.kind, request.by, request.words)


def _refuse_out_of_turn(before: StoredDispute, request: DisputeTransitionRequest) -> None:
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


def _find_correction(transaction: Transaction, before: StoredDispute, request: DisputeTransitionRequest) -> int | None:
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
    step = DisputeStep(entry.kind)
    event = _EVENTS[step](
        dispute=after.id,
        round=after.round_id,
        version=entry.version,
        step=step,
        by=entry.by,
        words=None if entry.words is None else sha256(entry.words.encode()).digest(),
        correction=entry.correction,
    )
    record_event(transaction, event.kind, event.encode(), round_id=stands.id, sequence=stands.version)


def comment_on_dispute(transaction: Transaction, dispute_id: UUID, request: DisputeTransitionRequest) -> ChangedDispute:
    """
    Say something about a dispute.

    Raises:
        NotFound: the club has no such dispute.
        DisputeChanged: it is no longer as the sender has read it.
        DisputeRefused: it has ended, or is not as far.
    """
    return step_dispute(transaction, dispute_id, request)


def review_dispute(transaction: Transaction, dispute_id: UUID, request: DisputeTransitionRequest) -> ChangedDispute:
    """
    Look into a dispute from now on.

    Raises:
        NotFound: the club has no such dispute.
        DisputeChanged: it is no longer as the sender has read it.
        DisputeRefused: it has ended, or is not as far.
    """
    return step_dispute(transaction, dispute_id, request)


def resolve_dispute(transaction: Transaction, dispute_id: UUID, request: DisputeTransitionRequest) -> ChangedDispute:
    """
    End a dispute: it is upheld or rejected.

    Raises:
        NotFound: the club has no such dispute.
        DisputeChanged: it is no longer as the sender has read it.
        DisputeRefused: it has ended, or is not as far.
    """
    return step_dispute(transaction, dispute_id, request)


def withdraw_dispute(transaction: Transaction, dispute_id: UUID, request: DisputeTransitionRequest) -> ChangedDispute:
    """
    Give a dispute up.

    Raises:
        NotFound: the club has no such dispute.
        DisputeChanged: it is no longer as the sender has read it.
        DisputeRefused: it has ended, or is not as far.
    """
    return step_dispute(transaction, dispute_id, request)
