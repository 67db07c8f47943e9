from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from uuid_utils.compat import uuid7

from schemas.hands import SubmittedHand, canonical_json, dump_hand
from schemas.rounds import RecordedHand, RoundView
from scoring import SCORER_VERSION
from scoring.errors import HandError, Mistake
from scoring.hand import Hand
from scoring.round import PlayedHand, play_hand
from scoring.round_state import Round
from scoring.ruleset import Points
from service.database import Transaction
from service.errors import HandConflict
from service.repository import hands, rounds
from service.repository.hands import HandToRecord, StoredHand
from service.repository.round_state import in_order
from service.repository.rounds import StoredRound
from service.repository.submissions import Submission
from service.usecases.exact_points import refuse_inexact
from service.usecases.views import view_hand, view_round


@dataclass(frozen=True, slots=True)
class HandResult:
    """A recorded hand, the round as it stands now, and whether the hand had been recorded before."""

    recorded: RecordedHand
    view: RoundView
    is_replay: bool


def record_hand(transaction: Transaction, round_id: UUID, submitted: SubmittedHand, received: bytes) -> HandResult:
    """
    Record the next hand of a round: check it, score it, move the chips.

    The same hand again is answered as it was recorded, also where it was undone since: only one that says which record
    it `restores` counts again. Players may be named, and are then who sits there.

    Args:
        transaction: of the club that plays.
        round_id: the round.
        submitted: the hand.
        received: the exact bytes that it came in, which are kept.

    Raises:
        NotFound: the club has no such round.
        HandConflict: another hand with this number is recorded, or it restores what it is not.
        RoundError, HandError: the round takes no hand, or not this one.
    """
    before = rounds.lock(transaction, round_id)
    misnamed = list(_name_mistakes(before.round, submitted))
    content = canonical_json(dump_hand(submitted))
    digest = sha256(content).digest()
    recorded = _find_recorded(transaction, before, submitted, digest)
    if recorded is not None:
        if misnamed:
            raise HandError(misnamed)
        return HandResult(view_hand(recorded), view_round(before), is_replay=True)
    played = _play(before.round, submitted.hand, misnamed)
    refuse_inexact(played.round, before.point_value, "top_ups")
    hand_id = uuid7()
    submission = Submission("hand", received)
    event = hand_event(
        round_id,
        hand_id,
        content,
        in_order(played.round.seat_numbers, played.round.stacks),
        is_irregular=bool(played.irregular),
        submission=submission,
        restores=submitted.restores,
    )
    given = HandToRecord(content, digest, submission, event, submitted.played_at, hand_id)
    after = hands.add(transaction, before, played, given)
    return HandResult(_as_recorded(transaction, given, played), view_round(after), is_replay=False)


def hand_event(
    round_id: UUID | str,
    hand_id: UUID | str,
    content: bytes,
    stacks: Iterable[Points],
    *,
    is_irregular: bool = False,
    submission: Submission | None = None,
    restores: UUID | None = None,
) -> bytes:
    """
    Say for the audit trail what hand was recorded, in canonical JSON as its content is, and what stacks it left.

    What it came to can be played again from the events of its round; the stacks say what it was at the time. A hand of
    a document came in with it, and the opening of its round says what was received.
    """
    irregular = b'"irregular":true,' if is_irregular else b""
    restored = b"" if restores is None else b'"restores":"%s",' % str(restores).encode()
    told = None if submission is None else submission.told
    return told_hand(str(round_id), str(hand_id), content, SCORER_VERSION, stacks, told, irregular + restored)


def told_hand(
    round_id: str,
    hand_id: str,
    content: bytes,
    scorer: int,
    stacks: Iterable[Points],
    submission: Mapping[str, str] | None,
    unusual: bytes = b"",
) -> bytes:
    """Write what the audit trail says of a hand: by which scorer it left which stacks, in the order of seats."""
    return b'{"hand":%s,"id":"%s",%s"round":"%s","scorer":%d,"stacks":[%s]%s}' % (
        content,
        hand_id.encode(),
        unusual,
        round_id.encode(),
        scorer,
        b",".join([b"%d" % stack for stack in stacks]),
        b"" if submission is None else b',"submission":' + canonical_json(submission),
    )


def _find_recorded(
    transaction: Transaction, before: StoredRound, submitted: SubmittedHand, digest: bytes
) -> StoredHand | None:
    """Find the record that a hand repeats; None where it is to be played."""
    number, restores = submitted.hand.number, submitted.restores
    is_past = number <= before.round.hands
    # A round of one revision never had a hand that it does not have now: the usual hand asks for nothing here.
    may_be_there = is_past or restores is not None or before.revision > rounds.FIRST
    recorded = hands.find_by_digest(transaction, before.id, number, digest) if may_be_there else None
    if restores is not None and restores not in hands.list_records(transaction, before.id, number, digest):
        detail = f"{restores} is no record of this hand in this round with the same content; leave it out to record it"
        raise HandConflict(detail, (Mistake("hand-conflict", ("restores",), detail),))
    counts_again = recorded is not None and recorded.id == restores and not recorded.in_force
    if is_past and (recorded is None or counts_again):
        raise _conflict(number, before)
    return None if counts_again else recorded


def _name_mistakes(round_: Round, submitted: SubmittedHand) -> Iterator[Mistake]:
    sitting = {seat.seat: seat.player for seat in round_.seats}
    for index, (name, played) in enumerate(zip(submitted.names, submitted.hand.players, strict=False)):
        right = sitting.get(played.seat)
        if name is not None and right is not None and name != right:
            detail = f"player {name!r} is given; {right!r} sits in seat {played.seat}"
            yield Mistake("player-wrong", ("players", index, "player"), detail)


def _play(round_: Round, hand: Hand, misnamed: list[Mistake]) -> PlayedHand:
    """Play the hand; every mistake is named, also those in the players' names."""
    try:
        played = play_hand(round_, hand)
    except HandError as error:
        raise HandError([*error.mistakes, *misnamed]) from error
    if misnamed:
        raise HandError(misnamed)
    return played


def _as_recorded(transaction: Transaction, given: HandToRecord, played: PlayedHand) -> RecordedHand:
    return RecordedHand(
        id=str(given.id),
        hand=played.hand,
        ruleset=played.round.ruleset,
        players={seat.seat: seat.player for seat in played.round.seats},
        played_at=given.played_at,
        recorded_at=transaction.now,
        score=played.score,
        transfers=played.transfers,
        stacks=played.round.stacks,
        in_force=True,
    )


def _conflict(number: int, before: StoredRound) -> HandConflict:
    following = before.round.next_hand
    right = f"hand {following.number} comes next" if following else "the round takes no further hand"
    detail = f"hand {number} of this round is recorded with other content; {right}"
    return HandConflict(detail, (Mistake("hand-conflict", ("number",), detail),))
