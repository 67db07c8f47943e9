"""Record hands."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.codec import CanonicalJson
from evidence.events import HandRecorded
from evidence.hands import build_hand
from schemas import next_hand
from schemas.base import ComparedMistake, show
from schemas.hands import HandView, SubmittedHand
from schemas.ledger.hand_charges import remove_reasons
from schemas.metadata import read_metadata
from schemas.money import refuse_inexact
from schemas.rounds import RoundView
from scoring import SCORER_VERSION
from scoring.errors import HandError, Mistake
from scoring.hand import Hand
from scoring.round import PlayedHand
from scoring.ruleset import Points
from scoring.same_hand import BoardsOfHand, is_same_hand
from service.db import Query, Transaction
from service.errors import HandConflict, HandNumberWrong, HandUndone, NotFound, SameDeal
from service.rounds.actions.charges import ChargeRecorder
from service.rounds.actions.checks import find_time_mistakes, require_key
from service.rounds.actions.opening import view_round
from service.rounds.queries import boards, hands, rounds
from service.rounds.queries.hands import StoredHand
from service.rounds.queries.received import HandToRecord, Submission
from service.rounds.queries.stored_round import StoredRound, in_order
from service.rounds.queries.writer import RoundChange, write_rounds
from service.texts.queries import MetadataOwner


def view_hand(stored: StoredHand) -> HandView:
    """Convert a stored hand to its view."""
    return HandView(
        id=str(stored.id),
        round_id=str(stored.round_id),
        hand=stored.hand,
        ruleset=stored.ruleset,
        players=stored.players,
        played_at=stored.played_at,
        recorded_at=stored.recorded_at,
        score=stored.score,
        transfers=stored.transfers,
        stacks=stored.stacks,
        in_force=stored.in_force,
        irregular=stored.irregular,
        reference=stored.reference,
        metadata=read_metadata(stored.metadata),
    )


def find_hand_mistakes(transaction: Transaction, round_id: UUID, received: Any) -> Iterator[Mistake]:
    """List the mistakes against the rules in a hand that fails validation, as far as it can be parsed."""
    try:
        round_ = rounds.get(transaction, round_id).round
    except NotFound:
        return
    yield from next_hand.find_hand_mistakes(round_, received)


@dataclass(frozen=True, slots=True)
class HandResult:
    """A recorded hand, its round as it is now, and whether the request is a replay."""

    recorded: HandView
    view: RoundView
    is_replay: bool


def queries_ahead(round_id: UUID) -> tuple[Query, ...]:
    """
    Return the queries with which `record_hand` begins.

    They are two, because a query that waits for the lock sees the hands from before.
    """
    return rounds.query_to_lock(round_id), boards.query_of_boards(round_id)


def record_hand(
    transaction: Transaction,
    round_id: UUID,
    submitted: SubmittedHand,
    received: bytes,
    charges: ChargeRecorder,
) -> HandResult:
    """
    Record the next hand of a round: validate, score and settle it.

    The same hand sent again returns the stored record; if it was undone, it must name the record that it `restores`.
    The order of cards within a row does not matter. Names of players are checked if given.

    Args:
        transaction: the club's transaction.
        round_id: the round.
        submitted: the hand.
        received: the request body, which is stored.
        charges: records the charges of the hand.

    Raises:
        NotFound: the round does not exist.
        WireError, ScopeMissing, PaymentConflict: the charges of the hand are refused.
        HandConflict: another hand with this number is recorded, or `restores` names another record.
        HandUndone: the hand was recorded before and undone.
        SameDeal: an earlier hand has the same boards, and `dealt_again` is not set.
        HandNumberWrong: the hand does not have the next number.
        RoundError, HandError: the round accepts no further hand, or the hand is invalid.
    """
    recorder = HandRecorder(transaction, rounds.lock(transaction, round_id), charges)
    result = recorder.record(submitted, received)
    if not result.is_replay:
        write_rounds(transaction, recorder.finish())
    return result


_CONFLICTS: Final = {conflict.code: conflict for conflict in (SameDeal, HandNumberWrong)}
"""The problems of a hand that is not the next, by the code of its first mistake."""


class HandRecorder:
    """
    Records hands of one round, one after the other. They are written together at the end.

    Attributes:
        before: the round as it was locked.
        is_changed: whether a hand was recorded that was not recorded before.
    """

    def __init__(
        self,
        transaction: Transaction,
        before: StoredRound,
        charges: ChargeRecorder,
        boards: Sequence[BoardsOfHand] | None = None,
        references: dict[str, tuple[UUID, int]] | None = None,
    ) -> None:
        """
        Begin.

        Args:
            transaction: in which the round was locked.
            before: the round as it was locked.
            charges: records the charges of its hands.
            boards: the boards of its hands, if they were read already.
            references: the round and the number of each hand that the transaction records with a reference.
        """
        self.before = before
        self._transaction = transaction
        self._now = before
        self._charges = charges
        self._change = RoundChange(transaction, before)
        self._boards = boards
        self._recorded: dict[int, tuple[SubmittedHand, HandView]] = {}
        self._references = {} if references is None else references

    @property
    def is_changed(self) -> bool:
        """Whether a hand was recorded that was not recorded before."""
        return bool(self._recorded)

    def record(
        self, submitted: SubmittedHand, received: bytes, check: Callable[[HandResult], None] | None = None
    ) -> HandResult:
        """
        Validate, score and settle the next hand of the round. A hand that is refused changes nothing.

        Args:
            submitted: the hand.
            received: the request body, which is stored.
            check: raises an error if the result is not as expected.

        Raises:
            HandConflict, HandUndone, SameDeal, HandNumberWrong, RoundError, HandError: as `record_hand`.
            WireError, ScopeMissing, PaymentConflict: the charges of the hand are refused.
        """
        round_ = self._now.round
        if submitted.metadata or submitted.reference is not None:
            require_key(self._transaction, "`metadata` and `reference` of a hand")
        replayed = self._find_recorded(submitted)
        if replayed is not None:
            is_identical = replayed[0] == submitted.digest
            mistakes = next_hand.find_repeated_mistakes(round_, submitted, is_identical=is_identical)
            if mistakes:
                raise HandError(mistakes)
            _refuse_other_reference(replayed[1].reference, submitted.reference)
            self._charges.compare(self.before.id, submitted)
            return HandResult(replayed[1], view_round(self._now), is_replay=True)
        played = self._play(submitted)
        self._refuse_taken_reference(submitted)
        refuse_inexact(played.round, self.before.point_value, "top_ups")
        charges = self._charges.prepare(self.before, submitted)
        content = remove_reasons(received) if submitted.charges else received
        submission = Submission("hand", content, has_texts=bool(submitted.metadata))
        stacks = in_order(played.round.seat_numbers, played.round.stacks)
        hand = build_record(self.before.id, submitted, stacks, submission, is_irregular=played.accepted, is_posted=True)
        after = self._now.changed(self._transaction.now, played.round)
        result = HandResult(_as_recorded(self._transaction, hand, played), view_round(after), is_replay=False)
        if check is not None:
            check(result)
        self._change.add_submission(submission, hand.id)
        self._change.add_played(round_, played, hand)
        self._charges.add(self._change, charges)
        self._change.add_metadata(MetadataOwner.of_hand(hand.id, self.before.id), submitted.metadata)
        self._recorded[submitted.hand.number] = submitted, result.recorded
        if submitted.reference is not None:
            self._references[submitted.reference] = self.before.id, submitted.hand.number
        self._now = after
        return result

    def finish(self) -> RoundChange:
        """Return the recorded hands, to be written."""
        self._change.finish(self._now.round, dealt=(seats for _, seats, _ in self._list_boards()))
        return self._change

    def _refuse_taken_reference(self, submitted: SubmittedHand) -> None:
        """
        Refuse a hand with the reference of another one.

        Raises:
            HandConflict: another hand has this reference.
        """
        if submitted.reference is None:
            return
        place = self.before.id, submitted.hand.number
        taken = self._references.get(submitted.reference) or hands.find_reference(
            self._transaction, submitted.reference
        )
        if taken not in (None, place):
            round_id, number = taken
            detail = f"the reference {submitted.reference!r} belongs to hand {number} of round {round_id}"
            raise HandConflict(detail, (Mistake(HandConflict.code, ("reference",), detail),))

    def _find_recorded(self, submitted: SubmittedHand) -> tuple[bytes, HandView] | None:
        """Find the digest and the result of the same hand, recorded before or by this recorder."""
        number = submitted.hand.number
        if number not in self._recorded:
            stored = _find_recorded(self._transaction, self.before, submitted)
            return None if stored is None else (stored.digest, view_hand(stored))
        earlier, recorded = self._recorded[number]
        if submitted.restores is not None or not is_same_hand(earlier.hand, submitted.hand):
            raise _conflict(self._now, submitted, earlier.hand)
        return earlier.digest, recorded

    def _play(self, submitted: SubmittedHand) -> PlayedHand:
        implausible = list(find_time_mistakes(self._transaction.now, [(("played_at",), submitted.played_at)]))
        try:
            return next_hand.play_next_hand(self._now.round, submitted, self._list_boards(), further=implausible)
        except HandError as error:
            first = error.mistakes[0]
            conflict = _CONFLICTS.get(first.code)
            if conflict is None:
                raise
            raise conflict(first.detail, error.mistakes) from error

    def _list_boards(self) -> Iterator[BoardsOfHand]:
        """List the boards of the round's hands."""
        if self._boards is None:
            yield from boards.list_boards(self._transaction, self.before.id)
        else:
            yield from self._boards
        for number, (submitted, _) in self._recorded.items():
            yield number, submitted.hand.seats, submitted.hand.boards


def build_record(
    round_id: UUID,
    submitted: SubmittedHand,
    stacks: Iterable[Points],
    submission: Submission,
    *,
    is_irregular: bool = False,
    is_posted: bool = False,
) -> HandToRecord:
    """
    Build the record of a hand and its event: the content of the hand, and the stacks after it.

    The stacks are the result at the time of recording; the rest can be replayed.

    Args:
        round_id: the round.
        submitted: the hand as received.
        stacks: the stacks after the hand, by seat.
        submission: the request body. If it is a document, it is part of the event of the opening.
        is_irregular: whether the hand was accepted as played.
        is_posted: whether the request body is that of the hand alone.
    """
    hand_id = uuid7()
    event = HandRecorded(
        round=round_id,
        id=hand_id,
        hand=CanonicalJson(submitted.content),
        stacks=tuple(stacks),
        scorer=SCORER_VERSION,
        irregular=is_irregular,
        restores=submitted.restores,
        submission=submission.received if is_posted else None,
        reference=submitted.reference,
    )
    return HandToRecord(hand_id, submitted, submission.id, event.encode(), submitted.reference)


def _find_recorded(transaction: Transaction, before: StoredRound, submitted: SubmittedHand) -> StoredHand | None:
    """
    Find the record of the same hand; None if the hand must be recorded.

    Raises:
        HandConflict: another hand with this number is recorded, or `restores` names another record.
        HandUndone: the hand was recorded before and undone.
    """
    number, restores = submitted.hand.number, submitted.restores
    is_past = number <= before.round.hands
    # A round with one revision has no undone hands, so the next hand needs no query here.
    may_exist = is_past or restores is not None or before.revision > rounds.FIRST
    if not may_exist:
        return None
    records = {record: build_hand(content) for record, content in hands.list_contents(transaction, before.id, number)}
    same = [record for record, hand in records.items() if is_same_hand(hand, submitted.hand)]
    recorded = hands.find_newest(transaction, before.id, same)
    if restores is not None and restores not in same:
        detail = (
            f"{restores} is not a record of this hand in this round with the same content; omit it to record the hand"
        )
        raise HandConflict(detail, (Mistake("hand-conflict", ("restores",), detail),))
    counts_again = recorded is not None and recorded.id == restores and not recorded.in_force
    if is_past and (recorded is None or counts_again):
        current = hands.find_in_revision(transaction, before.id, before.revision, number)
        assert current is not None, "a round has a record of each of its hands"
        raise _conflict(before, submitted, records[current])
    if recorded is None or counts_again:
        return None
    # A correction changes what was recorded, and not that it was.
    if not recorded.in_force and not (is_past and hands.find_correction(transaction, before.id, recorded.id)):
        detail = (
            f"hand {number} was recorded with the same cards and undone; to count it again, expected `restores` with"
            f" the ID of its record, {recorded.id}"
        )
        restoring = ComparedMistake(HandUndone.code, ("restores",), detail, {"expected": str(recorded.id)})
        raise HandUndone(detail, (restoring,))
    return recorded


def _as_recorded(transaction: Transaction, record: HandToRecord, played: PlayedHand) -> HandView:
    return HandView(
        id=str(record.id),
        hand=played.hand,
        ruleset=played.round.ruleset,
        players={seat.seat: seat.player for seat in played.round.seats},
        played_at=record.submitted.played_at,
        recorded_at=transaction.now,
        score=played.score,
        transfers=played.transfers,
        stacks=played.round.stacks,
        in_force=True,
        reference=record.reference,
        metadata=record.submitted.metadata,
    )


def _refuse_other_reference(recorded: str | None, received: str | None) -> None:
    """
    Check that a hand that was recorded before has the reference that a request has, if it has one.

    Raises:
        HandConflict: it has another one, or none.
    """
    if received not in (None, recorded):
        detail = f"{show(recorded)} is recorded, {show(received)} was received"
        values = {"recorded": recorded, "received": received}
        mistake = ComparedMistake(HandConflict.code, ("reference",), detail, values)
        raise HandConflict(f"`reference` of the hand: {detail}", (mistake,))


def _conflict(before: StoredRound, submitted: SubmittedHand, recorded: Hand) -> HandConflict:
    return HandConflict(*next_hand.find_conflict(before.round, submitted, recorded))
