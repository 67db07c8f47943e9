"""Hands: recorded in one statement with all that follows from them, and read back."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Label, Row, Select, and_, func, select, text
from uuid_utils.compat import uuid7

from evidence import canonical_json
from scoring import SCORER_VERSION
from scoring.errors import Mistake
from scoring.hand import Hand, Seat
from scoring.round import PlayedHand
from scoring.round_state import Round
from scoring.ruleset import Points, Ruleset
from scoring.score import HandScore, score_hand
from scoring.settlement import Transfer
from service.db import Statement, Transaction
from service.errors import NotFound
from service.ledger.queries.events import INSERT_EVENT, INSERT_WAITING, EventKind, event_parameters
from service.metrics.counters import check_balance, count_stored_hands
from service.rounds.models import HandRecord, HandScoreRecord, RoundHeadRecord, RoundSeatRecord
from service.rounds.queries import transfers
from service.rounds.queries.hand_records import (
    INSERT_SUBMISSION,
    Submission,
    load_hand,
    pack_boards,
    submission_parameters,
)
from service.rounds.queries.rounds import changed_meanwhile
from service.rounds.queries.stored_round import StoredRound, dump_round, in_order
from service.rulesets import queries as rulesets
from service.rulesets.models import RulesetRecord


@dataclass(frozen=True, slots=True)
class HandToRecord:
    """
    A hand as it came, ready to be kept.

    Attributes:
        content: the hand in the document's shape, as canonical JSON.
        digest: of that content.
        submission: what it was received in; its id alone where that is kept already.
        event: what the audit trail says of it; nothing of one that comes with a correction, which says it.
        played_at: when it was played, where the sender says so.
    """

    content: bytes
    digest: bytes
    submission: Submission | UUID
    event: bytes = b""
    played_at: datetime | None = None
    id: UUID = field(default_factory=uuid7)


@dataclass(frozen=True)
class StoredHand:
    """
    A hand as it was recorded, and what it came to in a revision of its round.

    Attributes:
        content: in the document's shape.
        hand: what happened, the players by seat.
        stays: how many times in a row players in Fantasyland had stayed there before.
        players: everyone of the round, by seat.
        transfers: what was paid with it.
        stacks: what everyone of the round had in front of him after it.
        scorer_version: of the scorer that scored it.
        in_force: whether it is a hand of the round as it stands; one that was undone is not.
        is_accepted: whether it was accepted as played.
        irregular: why it could not have followed the hands before it; empty where it could.
    """

    id: UUID
    round_id: UUID
    revision: int
    digest: bytes
    content: Mapping[str, Any]
    played_at: datetime | None
    recorded_at: datetime
    ruleset: Ruleset
    hand: Hand
    stays: Mapping[Seat, int]
    players: Mapping[Seat, str]
    transfers: tuple[Transfer, ...]
    stacks: Mapping[Seat, Points]
    scorer_version: int
    in_force: bool
    is_accepted: bool = False
    irregular: tuple[Mistake, ...] = ()

    @cached_property
    def score(self) -> HandScore:
        """What every board and pair came to: scored again, for the record holds the sums and not the reasons."""
        return score_hand(self.hand.players, self.ruleset, self.hand.button, self.stays)


INSERT_SCORE: Final = """
    INSERT INTO hand_scores (club_id, round_id, revision, number, hand_id, ruleset_name, ruleset_version,
        scorer_version, points, fouls, royalties, earned, stays, exchanges, top_ups, stacks_before, stacks,
        transfer_count, irregular)
    VALUES (:club_id, :round_id, :revision, :number, :hand_id, :ruleset_name, :ruleset_version,
        :scorer_version, :points, :fouls, :royalties, :earned, :stays, :exchanges, :added, :stacks_before, :stacks,
        :transfer_count, CAST(:irregular AS jsonb))
"""
"""For statements that keep what a hand came to; `score_parameters` says what goes in beside its keys and transfers."""

_INSERT_HAND: Final = """
    INSERT INTO hands (club_id, id, round_id, number, button, played_at, recorded_at, submission_id, digest,
        content, seats, fantasyland, boards)
    VALUES (:club_id, :hand_id, :round_id, :number, :button, :played_at, :now, :submission_id, :digest,
        CAST(:content AS jsonb), :hand_seats, :fantasyland, :boards)
"""
_RECORD: Final = f"""
    hand AS ({_INSERT_HAND}),
    score AS ({INSERT_SCORE}),
    paid AS ({transfers.INSERT_TRANSFERS}),
    event AS ({INSERT_EVENT}),
    waiting AS ({INSERT_WAITING})
    UPDATE round_heads
    SET version = :sequence, status = :status, hands = :number, top_ups = :top_ups, stacks = :stacks,
        state = CAST(:state AS jsonb), settlement_state = :settlement_state, provisional_until = :provisional_until,
        last_event = :event_hash
    WHERE club_id = :club_id AND round_id = :round_id AND version = :version
"""
_ADD_HANDS: Final = text(_INSERT_HAND)
_RECORD_HAND: Final = Statement(text(f"WITH {_RECORD}"))
_RECORD_HAND_AND_SUBMISSION: Final = Statement(text(f"WITH submission AS ({INSERT_SUBMISSION}), {_RECORD}"))


def add(transaction: Transaction, before: StoredRound, played: PlayedHand, given: HandToRecord) -> StoredRound:
    """
    Keep a hand that was played: the record, its score, its transfers, the event, and where the round stands now.

    All of it is one statement: one way to the database and back, and nothing between its parts.

    Args:
        transaction: in which the round was locked.
        before: the round that the hand was played in, as it was locked.
        played: what came of it.
        given: as it came.

    Returns:
        The round after it.

    Raises:
        Busy: somebody else has changed the round since it was read.
    """
    after = before.changed(transaction.now, played.round)
    parameters = {
        **_hand_parameters(transaction, before.id, played.hand, given),
        "revision": before.revision,
        **score_parameters(before.round, played),
        **transfers.transfer_parameters(played.transfers, late=False),
        **_head_parameters(before, after),
        **event_parameters(
            transaction,
            EventKind.HAND_RECORDED,
            given.event,
            round_id=before.id,
            sequence=after.version,
            previous=before.last_event,
        ),
    }
    statement = _RECORD_HAND
    if isinstance(given.submission, Submission):
        statement = _RECORD_HAND_AND_SUBMISSION
        parameters |= submission_parameters(transaction, given.submission)
    check_balance(before.id, played.round)
    changed = changed_meanwhile(before)
    transaction.write(statement, parameters, hand_scores_pkey=changed, events_sequence_key=changed)
    transaction.after_commit.append(count_stored_hands)
    return replace(after, last_event=parameters["event_hash"])


def add_records(transaction: Transaction, round_id: UUID, given: Sequence[tuple[Hand, HandToRecord]]) -> None:
    """Keep what happened in hands of a round; what they came to is kept with the revision that has them."""
    if given:
        records = [_hand_parameters(transaction, round_id, hand, as_given) for hand, as_given in given]
        transaction.execute(_ADD_HANDS, records)


def _hand_parameters(transaction: Transaction, round_id: UUID, hand: Hand, given: HandToRecord) -> dict[str, Any]:
    by_seat = sorted(hand.players, key=lambda player: player.seat)
    return {
        "club_id": transaction.club_id,
        "now": transaction.now,
        "round_id": round_id,
        "hand_id": given.id,
        "number": hand.number,
        "button": hand.button,
        "played_at": given.played_at,
        "submission_id": given.submission.id if isinstance(given.submission, Submission) else given.submission,
        "digest": given.digest,
        "content": given.content.decode(),
        "hand_seats": [player.seat for player in by_seat],
        "fantasyland": [player.fantasyland for player in by_seat],
        "boards": pack_boards(by_seat),
    }


def score_parameters(round_: Round, played: PlayedHand) -> dict[str, Any]:
    """Say what goes into `INSERT_SCORE` of a hand that was played in a round as it stood before."""
    ruleset = round_.ruleset
    boards = sorted(played.score.boards, key=lambda board: board.seat)
    top_ups = {top_up.seat: top_up.points for top_up in played.hand.top_ups}
    return {
        "ruleset_name": ruleset.name,
        "ruleset_version": ruleset.version,
        "scorer_version": SCORER_VERSION,
        "points": [played.score.points[board.seat] for board in boards],
        "fouls": [board.foul is not None for board in boards],
        "royalties": [board.royalty_points for board in boards],
        "earned": [board.earned.cards if board.earned else 0 for board in boards],
        "stays": [round_.owed[board.seat].stays if board.seat in round_.owed else 0 for board in boards],
        "exchanges": [exchange.points for exchange in played.score.exchanges],
        "added": [top_ups.get(seat, 0) for seat in round_.seat_numbers],
        "stacks_before": in_order(round_.seat_numbers, round_.stacks),
        "stacks": in_order(round_.seat_numbers, played.round.stacks),
        "irregular": json.dumps([asdict(mistake) for mistake in played.irregular]) if played.accepted else None,
    }


def _head_parameters(before: StoredRound, after: StoredRound) -> dict[str, Any]:
    stands = dump_round(after.round)
    return {
        "version": before.version,
        "status": stands["status"],
        "top_ups": stands["top_ups"],
        "state": canonical_json(stands["state"]).decode(),
        "settlement_state": after.firmness.settlement_state.value,
        "provisional_until": after.firmness.provisional_until,
    }


def get(transaction: Transaction, hand_id: UUID) -> StoredHand:
    """
    Read a hand, as the newest revision that has it scores it.

    Raises:
        NotFound: the club has none with this id.
    """
    newest = _mine(transaction).where(HandRecord.id == hand_id).order_by(HandScoreRecord.revision.desc()).limit(1)
    found = _load(transaction, transaction.execute(newest).all())
    if not found:
        raise NotFound(f"there is no hand {hand_id}")
    return found[0]


def find_newest(transaction: Transaction, round_id: UUID, hand_ids: Collection[UUID]) -> StoredHand | None:
    """Find the one of some records of a round's hand that the newest revision has, whether it is in force or not."""
    if not hand_ids:
        return None
    same = _mine(transaction).where(HandRecord.round_id == round_id, HandRecord.id.in_(hand_ids))
    found = _load(transaction, transaction.execute(same.order_by(HandScoreRecord.revision.desc()).limit(1)).all())
    return found[0] if found else None


def find_last_revision(transaction: Transaction, round_id: UUID, number: int, hand_id: UUID | None) -> int:
    """Return the last revision of a round with a hand of this number, and with this record of it where one is named."""
    score = HandScoreRecord
    query = select(func.max(score.revision)).where(
        score.club_id == transaction.club_id, score.round_id == round_id, score.number == number
    )
    if hand_id is not None:
        query = query.where(score.hand_id == hand_id)
    return int(transaction.execute(query).scalar_one())


def list_page(
    transaction: Transaction, round_id: UUID, revision: int, *, after: UUID | None = None, limit: int | None = None
) -> list[StoredHand]:
    """List the hands of a round's revision in the order in which they were played, from the one after `after`."""
    query = _mine(transaction).where(HandScoreRecord.round_id == round_id, HandScoreRecord.revision == revision)
    if after is not None:
        last = select(HandRecord.number).where(HandRecord.club_id == transaction.club_id, HandRecord.id == after)
        query = query.where(HandScoreRecord.number > last.scalar_subquery())
    found = transaction.execute(query.order_by(HandScoreRecord.number).limit(limit)).all()
    return _load(transaction, found)


def list_by_revision(transaction: Transaction, round_id: UUID) -> dict[int, list[StoredHand]]:
    """List the hands of each revision of a round in the order in which they were played."""
    query = _mine(transaction).where(HandScoreRecord.round_id == round_id)
    found = transaction.execute(query.order_by(HandScoreRecord.revision, HandScoreRecord.number)).all()
    hands: dict[int, list[StoredHand]] = defaultdict(list)
    for hand in _load(transaction, found):
        hands[hand.revision].append(hand)
    return hands


def _mine(transaction: Transaction) -> Select[Any]:
    hand, score = HandRecord, HandScoreRecord
    return (
        select(
            hand.__table__,
            score.revision,
            score.scorer_version,
            score.stays,
            score.stacks,
            score.irregular,
            _in_force(),
            rulesets.CONTENT,
        )
        .join(
            score,
            and_(
                score.club_id == hand.club_id,
                score.round_id == hand.round_id,
                score.number == hand.number,
                score.hand_id == hand.id,
            ),
        )
        .join(
            RulesetRecord,
            and_(
                RulesetRecord.club_id == score.club_id,
                RulesetRecord.name == score.ruleset_name,
                RulesetRecord.version == score.ruleset_version,
            ),
        )
        .where(hand.club_id == transaction.club_id)
    )


def _in_force() -> Label[bool]:
    """Ask whether the revision in which the hand's round stands has this record of it."""
    hand, head, score = HandRecord, RoundHeadRecord, HandScoreRecord.__table__.alias("in_force")
    return (
        select(score.c.hand_id)
        .join(head, and_(head.club_id == score.c.club_id, head.round_id == score.c.round_id))
        .where(
            score.c.club_id == hand.club_id,
            score.c.round_id == hand.round_id,
            score.c.revision == head.revision,
            score.c.number == hand.number,
            score.c.hand_id == hand.id,
        )
        .correlate(hand)
        .exists()
        .label("in_force")
    )


def _load(transaction: Transaction, records: Sequence[Row[Any]]) -> list[StoredHand]:
    """Make hands of one round again from their records."""
    if not records:
        return []
    round_id = records[0].round_id
    played = {(record.revision, record.number) for record in records}
    players = _players(transaction, round_id, {revision for revision, _ in played})
    paid = transfers.list_with_hands(transaction, round_id, played)
    return [
        StoredHand(
            id=record.id,
            round_id=round_id,
            revision=record.revision,
            digest=record.digest,
            content=record.content,
            played_at=record.played_at,
            recorded_at=record.recorded_at,
            ruleset=rulesets.parse_ruleset(record.ruleset_content),
            hand=load_hand(dict(record._mapping)),
            stays=dict(zip(record.seats, record.stays, strict=True)),
            players=players[record.revision],
            transfers=paid[record.revision, record.number],
            stacks=dict(zip(players[record.revision], record.stacks, strict=True)),
            scorer_version=record.scorer_version,
            in_force=record.in_force,
            is_accepted=record.irregular is not None,
            irregular=load_mistakes(record.irregular or ()),
        )
        for record in records
    ]


def load_mistakes(kept: Sequence[Mapping[str, Any]]) -> tuple[Mistake, ...]:
    """Make again why a hand is irregular."""
    return tuple(Mistake(each["code"], tuple(each["path"]), each["detail"]) for each in kept)


def _players(transaction: Transaction, round_id: UUID, revisions: Collection[int]) -> dict[int, dict[Seat, str]]:
    """Read who sat where in some revisions of a round."""
    seat = RoundSeatRecord
    of_round = (seat.club_id == transaction.club_id, seat.round_id == round_id, seat.revision.in_(revisions))
    players: dict[int, dict[Seat, str]] = defaultdict(dict)
    for found in transaction.execute(
        select(seat.revision, seat.seat, seat.player).where(*of_round).order_by(seat.seat)
    ):
        players[found.revision][found.seat] = found.player
    return players
