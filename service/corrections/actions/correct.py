from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.codec import CanonicalJson
from evidence.events import CorrectedDocument, RecordDigest, RoundCorrected
from evidence.texts import digest_text
from schemas.corrections.comparisons import RoundComparison
from schemas.corrections.requests import CorrectionRequest
from schemas.documents import RoundDocument, digest_document
from schemas.problems import find_missing
from scoring import SCORER_VERSION
from scoring.errors import Mistake
from scoring.same_hand import find_replaced
from service.clubs.actions import refuse_single_auditor
from service.clubs.queries.keys import StoredKey
from service.corrections import queries as corrections
from service.corrections.actions.amend import AmendedRound, find_dropped, snapshot_played, snapshot_recorded
from service.corrections.actions.planning import PlannedCorrection, check_dispute, plan_correction
from service.db import Transaction
from service.errors import NotFound
from service.rounds.actions.checks import require_version
from service.rounds.actions.documents import find_document_mistakes
from service.rounds.actions.opening import view_round
from service.rounds.models import CorrectionRecord
from service.rounds.queries import histories, revisions, rounds
from service.rounds.queries.hands import StoredHand
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.received import EndingReasons, HandToRecord, Submission
from service.rounds.queries.records import get_records
from service.rounds.queries.revisions import RevisionToRecord, write_reason
from service.rounds.queries.stored_round import StoredRound
from service.rounds.queries.writer import write_rounds
from service.rulesets import queries as rulesets
from service.rulesets.actions import ruleset_named, store_ruleset


@dataclass(frozen=True, slots=True)
class CorrectedRound:
    """A round before and after its correction, and whether the request is a replay."""

    comparison: RoundComparison
    is_replay: bool


def correct_round(
    transaction: Transaction,
    round_id: UUID,
    request: CorrectionRequest,
    received: bytes,
    key: StoredKey,
    *,
    require_final: Callable[[], None],
) -> CorrectedRound:
    """
    Correct a round: amend its document, replay it from the start, and store the result as a new revision.

    Earlier revisions do not change. The same correction sent again changes nothing.

    Args:
        transaction: the club's transaction.
        round_id: the round.
        request: the correction.
        received: the request body, which is stored.
        key: the key or link of the request.
        require_final: called if a settlement of the round was final; raises if the key may not correct such a round.

    Raises:
        NotFound: the round does not exist.
        RoundChanged: the round has another version than the request expects.
        WireError: the changes cannot be applied.
        HandIrregular: a hand does not follow the hands before it, and is not accepted as played.
        CorrectionInvalid, RulesetUnknown, ScoringError: the amended round is invalid, or the dispute belongs to another
            round.
        DisputeRefused: the dispute has ended.
        OwnRound: the correction names a dispute, and the player of the key sat in the round.
        SecondAuditorRequired: a settlement of the round was final, and the club requires a second auditor.
        TableArchived: the correction would reopen the round at an archived table.
    """
    before = rounds.lock(transaction, round_id)
    revision = corrections.find_revision(transaction, round_id, request.identity)
    if revision is not None:
        return CorrectedRound(compare_revisions(transaction, before, revision - 1, revision), is_replay=True)
    if before.finality.final_revision is not None:
        require_final()
        refuse_single_auditor(transaction, f"propose the correction with `POST /v1/rounds/{round_id}/proposals`")
    require_version(before, request.version)
    check_dispute(transaction, before, request, key)
    planned = plan_correction(transaction, before, request)
    if not planned.is_change:
        same = compare_revisions(transaction, before, before.revision, before.revision)
        return CorrectedRound(replace(same, changed=False), is_replay=False)
    return CorrectedRound(store_correction(transaction, planned, request, received), is_replay=False)


def find_mistakes(transaction: Transaction, round_id: UUID, received: Any) -> Iterator[Mistake]:
    """List further mistakes of a correction that fails validation. A missing version is given with the current one."""
    if isinstance(received, dict) and isinstance(received.get("document"), dict):
        find_ruleset = partial(ruleset_named, transaction)
        accepts = received.get("irregular") is not None
        for mistake in find_document_mistakes(find_ruleset, received["document"], accepts=accepts):
            yield mistake.under("document")
    try:
        version = rounds.get(transaction, round_id).version
    except NotFound:
        return
    yield from find_missing(received, "version", version, "the version of the round as it is now")


def store_correction(
    transaction: Transaction, planned: PlannedCorrection, request: CorrectionRequest, received: bytes
) -> RoundComparison:
    """
    Store a planned correction as a new revision, and compare the round before and after it.

    Args:
        transaction: in which the round was locked and the correction was planned.
        planned: the correction, which changes something.
        request: the same correction as it was requested.
        received: the request body, which is stored.
    """
    before, happened, amended = planned.before, planned.happened, planned.amended
    old = snapshot_recorded(transaction, before.id, before.revision, happened)
    submission = Submission("correction", received, has_texts=True)
    store_ruleset(transaction, amended.history.ruleset)
    hand_ids, new = _assign_records(amended, happened, submission)
    players = {seat.seat: seat.player for seat in amended.history.seats}
    recorded = get_records(transaction, before.id, before.revision)
    endings, reason = EndingReasons(recorded, players), write_reason(request.reason, before.id)
    revision = RevisionToRecord(amended.history, amended.played, hand_ids, reason, endings)
    event = _event(before, happened, amended, request, submission, revision, new)
    change = revisions.build_revision(transaction, before, revision, event.kind, event.encode(), recorded)
    change.add_submission(submission)
    for hand in new:
        change.add_hand_record(hand)
    replaced = _list_replaced(amended, happened)
    change.move_metadata(
        {replaced[number].id: hand.id for hand in new if (number := hand.submitted.hand.number) in replaced}
    )
    record = {"digest": event.correction, "submission_id": submission.id, "dispute": request.dispute}
    change.insert(CorrectionRecord, record)
    write_rounds(transaction, change)
    stored = change.after
    return RoundComparison(
        view=view_round(stored),
        revision=stored.revision,
        before=old,
        after=snapshot_played(amended.played),
        carried_over=corrections.list_carried_over(transaction, stored),
        adjustment=get_records(transaction, stored.id, stored.revision).adjustment,
        dropped_departures=find_dropped(happened.departures, amended.history.departures),
    )


def _assign_records(
    amended: AmendedRound, happened: StoredHistory, submission: Submission
) -> tuple[list[UUID], list[HandToRecord]]:
    """
    Return the id of the record of every hand, and the new records.

    A hand whose content is unchanged has the existing record, every other one a new one.
    """
    existing = {(stored.hand.number, stored.digest): stored.id for stored in happened.hands}
    replaced = _list_replaced(amended, happened)
    hand_ids: list[UUID] = []
    new: list[HandToRecord] = []
    for submitted in amended.document.hands:
        hand_id = existing.get((submitted.hand.number, submitted.digest))
        if hand_id is None:
            earlier = replaced.get(submitted.hand.number)
            reference = None if earlier is None else earlier.reference
            hand = HandToRecord(uuid7(), submitted, submission.id, reference=reference)
            new.append(hand)
            hand_id = hand.id
        hand_ids.append(hand_id)
    return hand_ids, new


def _list_replaced(amended: AmendedRound, happened: StoredHistory) -> dict[int, StoredHand]:
    """Return the recorded hand that each hand of a corrected round was before, whose metadata and reference it has."""
    stored = {each.hand.number: each for each in happened.hands}
    before, after = list(happened.hands), amended.document.hands
    numbers = find_replaced([each.hand for each in before], [each.hand for each in after])
    return {number: stored[earlier] for number, earlier in numbers.items()}


def _event(
    before: StoredRound,
    happened: StoredHistory,
    amended: AmendedRound,
    request: CorrectionRequest,
    submission: Submission,
    revision: RevisionToRecord,
    new: Sequence[HandToRecord],
) -> RoundCorrected:
    """Build the event payload: the request, and the document that the new revision is replayed from."""
    assert revision.reason is not None, "a correction has a reason"
    return RoundCorrected(
        round=before.id,
        revision=before.revision + 1,
        reason=revision.reason.digest,
        dispute=request.dispute,
        correction=digest_text(request.identity, submission.salted.salt),
        document=_document(amended.document, revision),
        digest=digest_document(amended.document),
        ruleset=str(amended.history.ruleset),
        ruleset_digest=rulesets.digest_ruleset(amended.history.ruleset),
        hands=tuple(revision.hand_ids),
        hands_before=tuple(stored.id for stored in happened.hands),
        recorded=tuple(RecordDigest(hand.id, hand.submitted.digest) for hand in new),
        irregular=tuple(sorted(amended.history.irregular)),
        submission=submission.received,
        scorer=SCORER_VERSION,
    )


def _document(document: RoundDocument, revision: RevisionToRecord) -> CorrectedDocument:
    assert revision.endings is not None, "a correction has the reasons of its departures"
    return CorrectedDocument(
        ruleset=document.ruleset,
        table=document.table,
        reference=document.reference,
        opened_at=document.opened_at,
        point_value=document.point_value,
        unit=document.unit,
        unit_digits=document.unit_digits,
        charge_per=document.charge_per,
        charge_amount=document.charge_amount,
        seats=tuple(sorted(document.seats, key=lambda seat: seat.seat)),
        hands=tuple(CanonicalJson(submitted.content) for submitted in document.hands),
        departures=revision.endings.describe_departures(document.departures),
        closed=revision.endings.describe_closing(document.closed),
    )


def compare_revisions(transaction: Transaction, stored: StoredRound, old: int, new: int) -> RoundComparison:
    """Compare two revisions of a round as they are stored."""
    happened = [histories.get(transaction, stored.id, revision) for revision in (old, new)]
    return RoundComparison(
        view=view_round(stored),
        revision=new,
        before=snapshot_recorded(transaction, stored.id, old, happened[0]),
        after=snapshot_recorded(transaction, stored.id, new, happened[1]),
        carried_over=corrections.list_carried_over(transaction, stored),
        adjustment=get_records(transaction, stored.id, new).adjustment,
        dropped_departures=find_dropped(happened[0].departures, happened[1].departures),
    )
