from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from uuid import UUID

from schemas.corrections import Comparison, CorrectionRequest
from schemas.documents import RoundDocument, digest_document, dump_document
from schemas.hands import canonical_json, dump_hand
from scoring import SCORER_VERSION
from scoring.errors import Mistake
from scoring.hand import Hand
from service.audit import EventKind
from service.database import Transaction
from service.errors import CorrectionInvalid, DisputeRefused, RoundChanged
from service.repository import (
    adjustments,
    corrections,
    disputes,
    hands,
    histories,
    revisions,
    rounds,
    rulesets,
    submissions,
    tables,
)
from service.repository.hands import HandToRecord
from service.repository.histories import StoredHistory
from service.repository.revisions import RevisionToRecord
from service.repository.rounds import StoredRound
from service.repository.submissions import Submission
from service.usecases.add_ruleset import keep_ruleset
from service.usecases.amend_round import AmendedRound, amend_round, patch_document
from service.usecases.compare_rounds import find_carried_over, played_side, recorded_side
from service.usecases.get_document import write_document
from service.usecases.views import view_round


@dataclass(frozen=True, slots=True)
class CorrectedRound:
    """A round before and after its correction, and whether it had been corrected so before."""

    comparison: Comparison
    is_replay: bool


@dataclass(frozen=True, slots=True)
class _Corrected:
    """What a correction came in, and the hands of the corrected round: each one's record, and those recorded anew."""

    submission: Submission
    hand_ids: Sequence[UUID]
    anew: Sequence[tuple[Hand, HandToRecord]]


def correct_round(
    transaction: Transaction,
    round_id: UUID,
    request: CorrectionRequest,
    received: bytes,
    *,
    require_final: Callable[[], None],
) -> CorrectedRound:
    """
    Put right what was recorded of a round: its document is amended, and played again from the start.

    What changed is recorded anew, beside what was, as a new revision, which the round now has. The same correction
    again changes nothing.

    Args:
        transaction: of the club that played.
        round_id: the round.
        request: what was wrong.
        received: the exact bytes that it came in, which are kept.
        require_final: called where the settlement is, or was, final; refuses who may not correct such a one.

    Raises:
        NotFound: the club has no such round.
        RoundChanged: the round is no longer as the sender has read it.
        WireError: a change cannot be made.
        HandIrregular: a hand could not have followed, and it was not said that it stands.
        CorrectionInvalid, RulesetUnknown, ScoringError: the round cannot have been like this, or the dispute that is
            answered is none of its own.
        DisputeRefused: that dispute has ended.
    """
    read = rounds.get(transaction, round_id)
    before = rounds.lock(transaction, round_id)
    made = corrections.find_newest(transaction, round_id, request.digest)
    # Without a version the same words can mean another state, unless nothing was corrected since.
    if made is not None and (request.version is not None or made == before.revision):
        return CorrectedRound(_as_recorded(transaction, before, made - 1, made), is_replay=True)
    if before.firmness.final_revision is not None:
        require_final()
    _refuse_changed(before, read.version if request.version is None else request.version)
    if request.dispute is not None:
        _refuse_other_dispute(transaction, before, request.dispute)
    happened = histories.get(transaction, round_id, before.revision)
    document = write_document(before, happened, tables.get(transaction, before.table_id).name)
    after = request.document or patch_document(document, request.patch or ())
    amended = amend_round(transaction, before, document, after, stands=request.stands)
    if _is_as_recorded(amended, happened, document):
        return CorrectedRound(_as_recorded(transaction, before, before.revision, before.revision), is_replay=True)
    _refuse_to_open_again(transaction, before, amended)
    old = recorded_side(transaction, round_id, before.revision, happened)
    stored = _keep(transaction, before, happened, amended, request, received)
    comparison = Comparison(
        view=view_round(stored),
        revision=stored.revision,
        before=old,
        after=played_side(amended.played),
        carried_over=find_carried_over(transaction, stored),
        adjustment=adjustments.find(transaction, stored.id, stored.revision),
    )
    return CorrectedRound(comparison, is_replay=False)


def _refuse_changed(before: StoredRound, version: int) -> None:
    if before.version != version:
        detail = f"version {version} of the round is corrected; it has version {before.version} now"
        raise RoundChanged(detail, (Mistake("round-changed", ("version",), detail),))


def _refuse_other_dispute(transaction: Transaction, before: StoredRound, dispute_id: UUID) -> None:
    """Let a correction answer a dispute of its own round, until that has ended."""
    dispute = disputes.find_in_round(transaction, before.id, dispute_id)
    if dispute is None:
        detail = f"is {dispute_id}, which is no dispute of this round; one of them is right"
        raise CorrectionInvalid(
            "the correction answers no dispute of the round", (Mistake("dispute-unknown", ("dispute",), detail),)
        )
    if dispute.state.is_ended:
        detail = f"the dispute is {dispute.state.value}, which ended it; open another, or leave it out"
        raise DisputeRefused(detail, (Mistake("dispute-ended", ("dispute",), detail),))


def _is_as_recorded(amended: AmendedRound, happened: StoredHistory, document: RoundDocument) -> bool:
    """Say whether nothing is changed, not even in which hands stand."""
    irregular = frozenset(hand.hand.number for hand in amended.played.hands if hand.irregular)
    return (
        irregular == happened.history.irregular
        and amended.history.ruleset == happened.ruleset
        and _digest(amended.document) == _digest(document)
    )


def _digest(document: RoundDocument) -> bytes:
    """Of what happened, whichever hands stand."""
    return digest_document(replace(document, irregular=()))


def _refuse_to_open_again(transaction: Transaction, before: StoredRound, amended: AmendedRound) -> None:
    """Keep a round over that others have followed: who plays on plays in the table's last."""
    if not amended.played.round.is_open or before.round.is_open:
        return
    if before.firmness.final_revision is not None:
        detail = (
            "the round would be open again, and its settlement was final; say in the document after which hand it was"
            " closed, and why"
        )
        raise CorrectionInvalid(detail, (Mistake("settlement-final", ("document", "closed"), detail),))
    tables.lock(transaction, tables.get(transaction, before.table_id).name)
    latest = rounds.find_last(transaction, before.table_id)
    if latest is not None and latest.id != before.id:
        detail = (
            f"the round would be open again, and round {latest.id} was opened at the table after it; say in the"
            " document after which hand it was closed, and why"
        )
        raise CorrectionInvalid(detail, (Mistake("round-follows", ("document", "closed"), detail),))


def _keep(
    transaction: Transaction,
    before: StoredRound,
    happened: StoredHistory,
    amended: AmendedRound,
    request: CorrectionRequest,
    received: bytes,
) -> StoredRound:
    submission = Submission("correction", received)
    submissions.add(transaction, submission)
    keep_ruleset(transaction, amended.history.ruleset)
    corrected = _recorded_anew(amended, happened, submission)
    hands.add_records(transaction, before.id, corrected.anew)
    given = RevisionToRecord(amended.history, amended.played, corrected.hand_ids, request.reason)
    event = canonical_json(_event(before, happened, amended, request, corrected))
    stored = revisions.add(transaction, before, given, EventKind.ROUND_CORRECTED, event)
    corrections.add(transaction, stored, request.digest, submission.id, request.dispute)
    return stored


def _recorded_anew(amended: AmendedRound, happened: StoredHistory, submission: Submission) -> _Corrected:
    """Give every hand its record: the one that it has where its content is the same, or a new one."""
    kept = {(hand.hand.number, hand.digest): hand.id for hand in happened.hands}
    hand_ids: list[UUID] = []
    anew: list[tuple[Hand, HandToRecord]] = []
    for submitted in amended.document.hands:
        content = canonical_json(dump_hand(submitted))
        digest = sha256(content).digest()
        hand_id = kept.get((submitted.hand.number, digest))
        if hand_id is None:
            record = HandToRecord(content, digest, submission.id, played_at=submitted.played_at)
            anew.append((submitted.hand, record))
            hand_id = record.id
        hand_ids.append(hand_id)
    return _Corrected(submission, hand_ids, anew)


def _event(
    before: StoredRound,
    happened: StoredHistory,
    amended: AmendedRound,
    request: CorrectionRequest,
    corrected: _Corrected,
) -> dict[str, object]:
    """Say for the audit trail what was asked for, and what the round is played from now."""
    return {
        "round": str(before.id),
        "revision": before.revision + 1,
        "reason": request.reason,
        "dispute": request.dispute and str(request.dispute),
        "correction": request.digest.hex(),
        "document": dump_document(replace(amended.document, irregular=())),
        "digest": digest_document(amended.document).hex(),
        "ruleset": str(amended.history.ruleset),
        "ruleset_digest": rulesets.digest_ruleset(amended.history.ruleset).hex(),
        "hands": [str(hand_id) for hand_id in corrected.hand_ids],
        "hands_before": [str(hand.id) for hand in happened.hands],
        "recorded": [{"hand": str(record.id), "digest": record.digest.hex()} for _, record in corrected.anew],
        "irregular": [hand.hand.number for hand in amended.played.hands if hand.irregular],
        "submission": corrected.submission.told,
        "scorer": SCORER_VERSION,
    }


def _as_recorded(transaction: Transaction, stored: StoredRound, old: int, new: int) -> Comparison:
    """Lay a revision beside another, both as they are recorded."""
    sides = [
        recorded_side(transaction, stored.id, revision, histories.get(transaction, stored.id, revision))
        for revision in (old, new)
    ]
    carried_over = find_carried_over(transaction, stored)
    adjustment = adjustments.find(transaction, stored.id, new)
    return Comparison(view_round(stored), new, sides[0], sides[1], carried_over, adjustment)
