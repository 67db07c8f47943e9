from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from uuid import UUID

from evidence import canonical_json
from evidence.codec import CanonicalJson
from evidence.events import CorrectedDocument, NewHand, RoundCorrected
from schemas.corrections import CorrectionRequest, RoundComparison
from schemas.documents import RoundDocument, digest_document
from schemas.hands import dump_hand
from scoring import SCORER_VERSION
from scoring.errors import Mistake
from scoring.hand import Hand
from service.corrections import queries as corrections
from service.corrections.actions.amend import (
    AmendedRound,
    amend_round,
    find_carried_over,
    find_dropped,
    is_as_recorded,
    naming_places,
    played_side,
    recorded_side,
)
from service.db import Transaction
from service.disputes import queries as disputes
from service.errors import CorrectionInvalid, DisputeRefused, RoundChanged
from service.rounds.actions.documents import find_document_mistakes, write_document
from service.rounds.actions.opening import view_round
from service.rounds.queries import hand_records, histories, revisions, rounds, transfers
from service.rounds.queries.hand_records import HandToRecord, Submission
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.revisions import RevisionToRecord
from service.rounds.queries.rounds import StoredRound
from service.rulesets import queries as rulesets
from service.rulesets.actions import ruleset_named, store_ruleset
from service.tables import queries as tables


@dataclass(frozen=True, slots=True)
class CorrectedRound:
    """A round before and after its correction, and whether the same correction was made before."""

    comparison: RoundComparison
    is_replay: bool


@dataclass(frozen=True, slots=True)
class _Corrected:
    """What a correction came in, and the hands of the corrected round: records, contents, and those recorded anew."""

    submission: Submission
    hand_ids: Sequence[UUID]
    contents: Sequence[CanonicalJson]
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
        HandIrregular: a hand could not have followed, and was not accepted as played.
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
    find_more = partial(find_document_mistakes, partial(ruleset_named, transaction), accepts=request.accepts)
    with naming_places(document, request.patch, find_more=find_more) as amend:
        amended = amend_round(transaction, before, document, request.document or amend(), accepts=request.accepts)
        if is_as_recorded(amended, happened, document):
            same = _as_recorded(transaction, before, before.revision, before.revision)
            return CorrectedRound(replace(same, changed=False), is_replay=False)
        _refuse_to_open_again(transaction, before, amended)
    old = recorded_side(transaction, round_id, before.revision, happened)
    stored = _keep(transaction, before, happened, amended, request, received)
    comparison = RoundComparison(
        view=view_round(stored),
        revision=stored.revision,
        before=old,
        after=played_side(amended.played),
        carried_over=find_carried_over(transaction, stored),
        adjustment=transfers.find_adjustment(transaction, stored.id, stored.revision),
        dropped_departures=find_dropped(happened.departures, amended.history.departures),
    )
    return CorrectedRound(comparison, is_replay=False)


def _refuse_changed(before: StoredRound, version: int) -> None:
    if before.version != version:
        detail = f"the request is for version {version} of the round; expected version {before.version}"
        raise RoundChanged(detail, (Mistake("round-changed", ("version",), detail),))


def _refuse_other_dispute(transaction: Transaction, before: StoredRound, dispute_id: UUID) -> None:
    """Let a correction answer a dispute of its own round, until that has ended."""
    dispute = disputes.find_in_round(transaction, before.id, dispute_id)
    if dispute is None:
        detail = f"is {dispute_id}, which is not a dispute of this round; expected one of its disputes"
        raise CorrectionInvalid(
            "the correction answers no dispute of the round", (Mistake("dispute-unknown", ("dispute",), detail),)
        )
    if dispute.state.is_ended:
        detail = f"the dispute is {dispute.state.value}, which ended it; open another, or omit it"
        raise DisputeRefused(detail, (Mistake("dispute-ended", ("dispute",), detail),))


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
    following = rounds.find_following(transaction, before)
    if following is not None:
        detail = (
            f"the round would be open again, and round {following} was opened at the table after it; say in the"
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
    hand_records.add_submission(transaction, submission)
    store_ruleset(transaction, amended.history.ruleset)
    corrected = _recorded_anew(amended, happened, submission)
    hand_records.add_hands(transaction, before.id, corrected.anew)
    given = RevisionToRecord(amended.history, amended.played, corrected.hand_ids, request.reason)
    event = _event(before, happened, amended, request, corrected)
    stored = revisions.add(transaction, before, given, event.kind, event.encode())
    corrections.add(transaction, stored, request.digest, submission.id, request.dispute)
    return stored


def _recorded_anew(amended: AmendedRound, happened: StoredHistory, submission: Submission) -> _Corrected:
    """Give every hand its record: the one that it has where its content is the same, or a new one."""
    kept = {(hand.hand.number, hand.digest): hand.id for hand in happened.hands}
    hand_ids: list[UUID] = []
    contents: list[CanonicalJson] = []
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
        contents.append(CanonicalJson(content))
    return _Corrected(submission, hand_ids, contents, anew)


def _event(
    before: StoredRound,
    happened: StoredHistory,
    amended: AmendedRound,
    request: CorrectionRequest,
    corrected: _Corrected,
) -> RoundCorrected:
    """Return the event: what was asked for, and what the round is played from now."""
    return RoundCorrected(
        round=before.id,
        revision=before.revision + 1,
        reason=request.reason,
        dispute=request.dispute,
        correction=request.digest,
        document=_document(amended.document, corrected.contents),
        digest=digest_document(amended.document),
        ruleset=str(amended.history.ruleset),
        ruleset_digest=rulesets.digest_ruleset(amended.history.ruleset),
        hands=tuple(corrected.hand_ids),
        hands_before=tuple(hand.id for hand in happened.hands),
        recorded=tuple(NewHand(record.id, record.digest) for _, record in corrected.anew),
        irregular=tuple(sorted(amended.history.irregular)),
        submission=corrected.submission.received,
        scorer=SCORER_VERSION,
    )


def _document(document: RoundDocument, contents: Sequence[CanonicalJson]) -> CorrectedDocument:
    return CorrectedDocument(
        ruleset=document.ruleset,
        table=document.table,
        reference=document.reference,
        opened_at=document.opened_at,
        point_value=document.point_value,
        currency=document.currency,
        seats=tuple(sorted(document.seats, key=lambda seat: seat.seat)),
        hands=tuple(contents),
        departures=tuple(sorted(document.departures, key=lambda departure: departure.after_hand)),
        closed=document.closed,
    )


def _as_recorded(transaction: Transaction, stored: StoredRound, old: int, new: int) -> RoundComparison:
    """Compare a revision with another, both as they are recorded."""
    happened = [histories.get(transaction, stored.id, revision) for revision in (old, new)]
    before, after = [
        recorded_side(transaction, stored.id, revision, each)
        for revision, each in zip((old, new), happened, strict=True)
    ]
    return RoundComparison(
        view_round(stored),
        new,
        before,
        after,
        find_carried_over(transaction, stored),
        transfers.find_adjustment(transaction, stored.id, new),
        find_dropped(happened[0].departures, happened[1].departures),
    )
