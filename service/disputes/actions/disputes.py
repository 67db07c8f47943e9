"""Open, list, comment on, review, resolve and withdraw disputes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

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
from service.clubs.queries.keys import StoredKey
from service.db import Transaction
from service.db.pages import Page
from service.disputes.actions.anomalies import find_unusual
from service.disputes.actions.steps import NO_AUTHORS, check_step
from service.disputes.queries import disputes
from service.disputes.queries.disputes import DisputeFilter, StoredDispute, Words
from service.errors import DisputeInvalid, DisputeRefused, NotFound
from service.rounds.actions.checks import require_author
from service.rounds.queries import rounds, settlements
from service.rounds.queries.stored_round import StoredRound
from service.texts.models import TextField
from service.texts.queries import write_text


@dataclass(frozen=True, slots=True)
class ChangedDispute:
    """A dispute with its history after a request, and whether the request is a replay."""

    dispute: DisputeWithHistory
    is_replay: bool


def view_dispute(transaction: Transaction, stored: StoredDispute) -> DisputeWithHistory:
    """Return a dispute with its entries, corrections and anomalies."""
    unusual = find_unusual(transaction, [stored.round_id])
    return DisputeWithHistory(
        _view(stored, unusual[stored.round_id]),
        disputes.list_entries(transaction, stored.id),
        disputes.list_corrections(transaction, stored),
    )


def view_disputes(transaction: Transaction, listed: Sequence[StoredDispute]) -> list[DisputeView]:
    """Return disputes with the anomalies of their rounds."""
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
        by=stored.author,
        state=stored.state,
        version=stored.version,
        opened_at=stored.opened_at,
        unusual=unusual,
    )


def get_dispute(transaction: Transaction, dispute_id: UUID) -> DisputeWithHistory:
    """
    Return a dispute with its history and the anomalies of its round.

    Raises:
        NotFound: the dispute does not exist.
    """
    return view_dispute(transaction, disputes.get(transaction, dispute_id))


def list_disputes(
    transaction: Transaction, filter_: DisputeFilter, *, after: UUID | None, limit: int
) -> Page[DisputeView]:
    """List the club's disputes, oldest first, each with the anomalies of its round."""
    records = disputes.list_page(transaction, filter_, after=after, limit=limit + 1)
    shown = records[:limit]
    return Page(view_disputes(transaction, shown), shown[-1].id if len(records) > limit else None)


MOST_OPEN: Final = 100
"""The largest number of disputes of one round that are open or under review."""


def open_dispute(transaction: Transaction, request: DisputeRequest) -> ChangedDispute:
    """
    Open a dispute of a round's settlement. The same claim by the same author is the same dispute.

    Raises:
        DisputeInvalid: the round, hand, seat or author does not exist.
        DisputeRefused: the round is open, or too many of its disputes have not ended.
    """
    before = _lock_round(transaction, request)
    same = disputes.find_same(transaction, request)
    if same is not None:
        return ChangedDispute(view_dispute(transaction, same), is_replay=True)
    _check_can_be_disputed(before)
    key_id = require_author(transaction, before, request.by)
    mistakes = tuple(_find_unknown(before, request))
    if mistakes:
        raise DisputeInvalid("the round does not have this hand or seat", mistakes)
    dispute = StoredDispute(
        id=uuid7(),
        round_id=before.id,
        table_id=before.table_id,
        revision=before.revision,
        hand=request.hand,
        seat=request.seat,
        board_row=request.row,
        claim=request.claim,
        author=request.by,
        player=request.by if key_id is None else None,
        opened_at=transaction.now,
    )
    claim = _write_words(dispute, TextField.CLAIM, request.claim, request.by, key_id)
    disputes.add(transaction, dispute, claim)
    event = _event(dispute, claim)
    settlements.open_dispute(transaction, before, event.kind, event.encode())
    return ChangedDispute(view_dispute(transaction, dispute), is_replay=False)


def _lock_round(transaction: Transaction, request: DisputeRequest) -> StoredRound:
    try:
        return rounds.lock(transaction, request.round)
    except NotFound as error:
        raise DisputeInvalid(str(error), (Mistake("round-unknown", ("round",), str(error)),)) from error


def _check_can_be_disputed(before: StoredRound) -> None:
    if before.round.is_open:
        detail = "the round is still open; undo its last hand, or correct the round; expected a round that has ended"
        raise DisputeRefused(detail, (Mistake("round-open", ("round",), detail),))
    if before.finality.open_disputes >= MOST_OPEN:
        detail = f"{MOST_OPEN} disputes of the round have not ended; expected fewer than {MOST_OPEN}"
        raise DisputeRefused(detail, (Mistake("disputes-full", ("round",), detail),))


def _find_unknown(before: StoredRound, request: DisputeRequest) -> Iterator[Mistake]:
    hands, seats = before.round.hands, [seat.seat for seat in before.round.seats]
    if request.hand is not None and request.hand > hands:
        expected = f"expected 1 to {hands}" if hands else "the round has no hands"
        yield Mistake("hand-unknown", ("hand",), f"is {request.hand}; {expected}")
    if request.seat is not None and request.seat not in seats:
        yield Mistake("seat-unknown", ("seat",), f"is {request.seat}; expected one of {', '.join(map(str, seats))}")


def _write_words(dispute: StoredDispute, field: TextField, words: str | None, by: str, key_id: UUID | None) -> Words:
    """Return the words and the name of an author as texts; `key_id` is the key, if the author is one."""
    round_id = dispute.round_id
    player = by if key_id is None else None
    return Words(
        None if words is None else write_text(words, dispute.id, field, round_id=round_id, player=player),
        player,
        None if key_id is None else write_text(by, key_id, TextField.AUTHOR, round_id=round_id),
    )


def _event(dispute: StoredDispute, claim: Words) -> DisputeOpened:
    """Build the event payload. It has the digest of the claim only, because the claim can be erased."""
    assert claim.digest is not None, "every dispute has a claim"
    return DisputeOpened(
        dispute=dispute.id,
        round=dispute.round_id,
        revision=dispute.revision,
        hand=dispute.hand,
        seat=dispute.seat,
        row=None if dispute.board_row is None else Row(dispute.board_row),
        by=claim.player,
        key_name=claim.columns["author_name"],
        claim=claim.digest,
    )


_EVENTS: Final[Mapping[DisputeStep, type[DisputeEvent]]] = {
    DisputeStep.COMMENT: DisputeCommented,
    DisputeStep.UNDER_REVIEW: DisputeReviewed,
    DisputeStep.UPHELD: DisputeResolved,
    DisputeStep.REJECTED: DisputeResolved,
    DisputeStep.WITHDRAWN: DisputeWithdrawn,
}


def step_dispute(
    transaction: Transaction,
    dispute_id: UUID,
    request: DisputeTransitionRequest,
    key: StoredKey,
    *,
    round_version: int | None = None,
    authors: Mapping[str, UUID] = NO_AUTHORS,
) -> ChangedDispute:
    """
    Apply a transition or comment to a dispute; the same request by the same author changes nothing.

    The round is locked before the dispute, here and elsewhere, so that requests cannot deadlock.

    Args:
        transaction: the club's transaction.
        dispute_id: the dispute.
        request: the transition or comment.
        key: the key or the player's link of the request.
        round_version: the version of the round that was read; None if any is accepted.
        authors: further keys that can be the author, by their names, such as one that has proposed the transition.

    Raises:
        NotFound: the dispute does not exist.
        DisputeChanged: the dispute has another version than the request expects.
        RoundChanged: the round has another version than was read.
        DisputeRefused: the state of the dispute does not allow the transition.
        DisputeInvalid: the dispute would be upheld with neither a correction nor a reason, or the author is unknown.
        OwnRound: the player of the key sat in the round, and it is no comment, and no withdrawal of their own dispute.
    """
    round_ = rounds.lock(transaction, disputes.get(transaction, dispute_id).round_id)
    before = disputes.lock(transaction, dispute_id)
    if _is_done(transaction, before, request):
        return ChangedDispute(view_dispute(transaction, before), is_replay=True)
    key_id = check_step(transaction, round_, before, request, key, round_version=round_version, authors=authors)
    correction = _find_correction(transaction, before, request)
    entry = DisputeEntry(before.version + 1, request.kind, request.by, request.words, correction, transaction.now)
    words = _write_words(before, TextField.COMMENT, request.words, request.by, key_id)
    after = disputes.add_entry(transaction, before, entry, words)
    _record_transition(transaction, round_, after, entry, words)
    return ChangedDispute(view_dispute(transaction, after), is_replay=False)


def _is_done(transaction: Transaction, before: StoredDispute, request: DisputeTransitionRequest) -> bool:
    """Return whether the request was already processed: a comment at any version, a transition from its version."""
    if request.version is None:
        return disputes.find_comment(transaction, before.id, request.by, request.words) is not None
    done = disputes.find_entry(transaction, before.id, request.version + 1)
    return done is not None and (done.kind, done.by, done.words) == (request.kind, request.by, request.words)


def _find_correction(transaction: Transaction, before: StoredDispute, request: DisputeTransitionRequest) -> int | None:
    """
    Find the newest correction that names a dispute that is upheld.

    Raises:
        DisputeInvalid: no correction names the dispute, and the request has no reason.
    """
    if request.kind != DisputeState.UPHELD.value:
        return None
    corrections = disputes.list_corrections(transaction, before)
    if not corrections and request.words is None:
        detail = (
            "no correction names the dispute; name it in a correction of the round, or state in `reason` why nothing is"
            " corrected"
        )
        raise DisputeInvalid(detail, (Mistake("correction-missing", ("reason",), detail),))
    return corrections[-1] if corrections else None


def _record_transition(
    transaction: Transaction, round_: StoredRound, after: StoredDispute, entry: DisputeEntry, words: Words
) -> None:
    """Record the event. It has the digest of the text only, because the text can be erased."""
    step = DisputeStep(entry.kind)
    event = _EVENTS[step](
        dispute=after.id,
        round=after.round_id,
        version=entry.version,
        step=step,
        by=words.player,
        key_name=words.columns["author_name"],
        key=words.find_proposer(transaction.actor),
        words=words.digest,
        correction=entry.correction,
    )
    record = settlements.end_dispute if after.state.is_ended else settlements.change_disputes
    record(transaction, round_, event.kind, event.encode())


def comment_on_dispute(
    transaction: Transaction, dispute_id: UUID, request: DisputeTransitionRequest, key: StoredKey
) -> ChangedDispute:
    """
    Add a comment to a dispute that has not ended.

    Raises:
        NotFound: the dispute does not exist.
        DisputeRefused: the dispute has ended, or has too many comments.
    """
    return step_dispute(transaction, dispute_id, request, key)


def review_dispute(
    transaction: Transaction, dispute_id: UUID, request: DisputeTransitionRequest, key: StoredKey
) -> ChangedDispute:
    """
    Start the review of an open dispute.

    Raises:
        NotFound: the dispute does not exist.
        DisputeChanged: the dispute has another version than the request expects.
        DisputeRefused: the dispute is not open.
        OwnRound: the player of the key sat in the round.
    """
    return step_dispute(transaction, dispute_id, request, key)


def resolve_dispute(
    transaction: Transaction,
    dispute_id: UUID,
    request: DisputeTransitionRequest,
    key: StoredKey,
    *,
    round_version: int | None = None,
    authors: Mapping[str, UUID] = NO_AUTHORS,
) -> ChangedDispute:
    """
    Uphold or reject a dispute that is under review.

    Args:
        transaction: the club's transaction.
        dispute_id: the dispute.
        request: the decision.
        key: the key of the request.
        round_version: the version of the round that was read; None if any is accepted.
        authors: further keys that can be the author, by their names, such as one that has proposed the decision.

    Raises:
        NotFound: the dispute does not exist.
        DisputeChanged: the dispute has another version than the request expects.
        RoundChanged: the round has another version than was read.
        DisputeRefused: the dispute is not under review.
        DisputeInvalid: the dispute would be upheld with neither a correction nor a reason.
        OwnRound: the player of the key sat in the round.
    """
    return step_dispute(transaction, dispute_id, request, key, round_version=round_version, authors=authors)


def withdraw_dispute(
    transaction: Transaction, dispute_id: UUID, request: DisputeTransitionRequest, key: StoredKey
) -> ChangedDispute:
    """
    Withdraw a dispute that has not ended.

    Raises:
        NotFound: the dispute does not exist.
        DisputeChanged: the dispute has another version than the request expects.
        DisputeRefused: the dispute has ended.
        OwnRound: the player of the key sat in the round, and did not open the dispute.
    """
    return step_dispute(transaction, dispute_id, request, key)
