from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from uuid_utils.compat import uuid7

from schemas.disputes import DisputeRequest
from schemas.hands import canonical_json
from scoring.errors import Mistake
from service.audit import EventKind, record_event
from service.database import Transaction
from service.errors import DisputeInvalid, DisputeRefused, NotFound
from service.repository import disputes, rounds, settlement_states
from service.repository.disputes import StoredDispute
from service.repository.stored_round import StoredRound
from service.usecases.view_dispute import ChangedDispute, view_case

MOST_OPEN: Final = 100
"""So many disputes of one round can be open or under review."""


def open_dispute(transaction: Transaction, request: DisputeRequest) -> ChangedDispute:
    """
    Hold something against the settlement of a round. The same claim by the same player again is the same dispute.

    Raises:
        DisputeInvalid: the club has no such round, or the round no such hand or seat.
        DisputeRefused: the round is still played, or disputed a hundred times already.
    """
    before = _lock_round(transaction, request)
    same = disputes.find_same(transaction, before.id, request.digest)
    if same is not None:
        return ChangedDispute(view_case(transaction, same), is_replay=True)
    _refuse(before)
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
    event = canonical_json(_event(dispute))
    record_event(transaction, EventKind.DISPUTE_OPENED, event, round_id=after.id, sequence=after.version)
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
        there = f"1 to {hands} are right" if hands else "none was played"
        yield Mistake("hand-unknown", ("hand",), f"is {request.hand}; {there}")
    if request.seat is not None and request.seat not in seats:
        yield Mistake("seat-unknown", ("seat",), f"is {request.seat}; one of {', '.join(map(str, seats))} is right")


def _event(dispute: StoredDispute) -> dict[str, object]:
    """Say for the audit trail what was claimed by whom; of the words, which may name people, their digest."""
    return {
        "dispute": str(dispute.id),
        "round": str(dispute.round_id),
        "revision": dispute.revision,
        "hand": dispute.hand,
        "seat": dispute.seat,
        "row": dispute.board_row,
        "by": dispute.said_by,
        "claim": sha256(dispute.claim.encode()).hexdigest(),
    }
