"""Insert hands and request bodies, and convert hands from and to records."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import text
from uuid_utils.compat import uuid7

from evidence import canonical_json
from evidence.events import Received
from scoring import SCORER_VERSION
from scoring.board import Board, ByRow, Row
from scoring.cards import Card
from scoring.hand import Cards, Hand, PlayerHand, Street, TopUp
from scoring.round import PlayedHand
from scoring.round_state import Round
from scoring.ruleset import BOARD_SIZE, Points
from scoring.settlement import Transfer
from service.db import Statement, Transaction
from service.ledger.queries.events import INSERT_EVENT, INSERT_WAITING, EventKind, event_parameters
from service.metrics.counters import check_balance, count_stored_hands
from service.rounds.queries import transfers
from service.rounds.queries.rounds import changed_meanwhile
from service.rounds.queries.stored_round import StoredRound, dump_round, in_order


def pack_boards(players: Sequence[PlayerHand]) -> bytes:
    """Return the boards as 13 bytes each."""
    return b"".join(player.board.packed for player in players)


def load_hand(record: Mapping[str, Any]) -> Hand:
    """
    Build a hand from its record: boards from the packed bytes, everything else from the content.

    Players are in the order of seats.
    """
    content = {player["seat"]: player for player in record["content"]["players"]}
    boards = record["boards"]
    players = tuple(
        _player(content[seat], Board.unpacked(boards[start : start + BOARD_SIZE]), fantasyland)
        for seat, fantasyland, start in zip(
            record["seats"], record["fantasyland"], range(0, len(boards), BOARD_SIZE), strict=True
        )
    )
    top_ups = tuple(TopUp(**top_up) for top_up in record["content"]["top_ups"])
    return Hand(record["number"], record["button"], players, top_ups)


def _player(content: Mapping[str, Any], board: Board, fantasyland: int) -> PlayerHand:
    discards, streets = content.get("discards"), content.get("streets")
    return PlayerHand(
        content["seat"],
        board,
        fantasyland,
        None if discards is None else _cards(discards),
        None if streets is None else tuple(map(_street, streets)),
    )


def _street(content: Mapping[str, Any]) -> Street:
    rows = ByRow(*(_cards(content[row.value]) for row in Row))
    return Street(_cards(content["dealt"]), rows, _cards(content["discards"]), _cards(content["auto"]))


def _cards(names: Sequence[str]) -> Cards:
    return tuple(map(Card.parse, names))


@dataclass(frozen=True, slots=True)
class Submission:
    """A request body, and its kind: `hand`, `document` or `correction`."""

    kind: str
    content: bytes
    id: UUID = field(default_factory=uuid7)

    @property
    def received(self) -> Received:
        """The id and digest of the request body, for events."""
        return Received(self.id, sha256(self.content).digest())


INSERT_SUBMISSION: Final = """
    INSERT INTO submissions (club_id, id, kind, content, sha256, received_at)
    VALUES (:club_id, :submission_id, :submission_kind, :submission_content, :submission_sha256, :now)
"""
"""Part of statements that insert a request body; `submission_parameters` returns its parameters."""

_INSERT_SUBMISSION: Final = text(INSERT_SUBMISSION)


def add_submission(transaction: Transaction, submission: Submission) -> None:
    """Insert a request body. All hands of a document refer to the same one."""
    transaction.execute(_INSERT_SUBMISSION, submission_parameters(transaction, submission))


def submission_parameters(transaction: Transaction, submission: Submission) -> dict[str, Any]:
    """Return the parameters of `INSERT_SUBMISSION`."""
    return {
        "club_id": transaction.club_id,
        "submission_id": submission.id,
        "submission_kind": submission.kind,
        "submission_content": submission.content,
        "submission_sha256": sha256(submission.content).digest(),
        "now": transaction.now,
    }


@dataclass(frozen=True, slots=True)
class HandToRecord:
    """
    A received hand, ready to be inserted.

    Attributes:
        content: the hand as in documents, as canonical JSON.
        digest: the digest of the content.
        submission: the request body, or its id if it is already inserted.
        event: the encoded event payload; empty for a hand of a correction, which has its own event.
        played_at: when the hand was played, if the request states it.
    """

    content: bytes
    digest: bytes
    submission: Submission | UUID
    event: bytes = b""
    played_at: datetime | None = None
    id: UUID = field(default_factory=uuid7)


INSERT_SCORE: Final = """
    INSERT INTO hand_scores (club_id, round_id, revision, number, hand_id, ruleset_name, ruleset_version,
        scorer_version, points, fouls, royalties, earned, stays, exchanges, top_ups, stacks_before, stacks,
        transfer_count, irregular)
    VALUES (:club_id, :round_id, :revision, :number, :hand_id, :ruleset_name, :ruleset_version,
        :scorer_version, :points, :fouls, :royalties, :earned, :stays, :exchanges, :added, :stacks_before, :stacks,
        :transfer_count, CAST(:irregular AS jsonb))
"""
"""Part of statements that insert a hand's result; `score_parameters` returns most of its parameters."""

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


def add_hand(transaction: Transaction, before: StoredRound, played: PlayedHand, given: HandToRecord) -> StoredRound:
    """
    Insert a hand, its score, transfers and event, and update the round's head.

    A single statement does all of it, in one round trip to the database.

    Args:
        transaction: in which the round was locked.
        before: the round as it was locked.
        played: the played hand.
        given: the received hand.

    Returns:
        The round after the hand.

    Raises:
        Busy: another transaction has changed the round since it was read.
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


def add_hands(transaction: Transaction, round_id: UUID, given: Sequence[tuple[Hand, HandToRecord]]) -> None:
    """Insert hands of a round without results; these are inserted with the revision."""
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
    """Return the parameters of `INSERT_SCORE` for a played hand, given the round before it."""
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
        "settlement_state": after.finality.settlement_state.value,
        "provisional_until": after.finality.provisional_until,
    }


PaidRow = tuple[int, int, Points, Points, str | None, Points, Points]
"""Payer, payee, points due, points paid, what limited the payment, and the stacks of both after it."""


class HandFigures(NamedTuple):
    """
    The result of a hand, as its record has it.

    Attributes:
        points, fouls, royalties, earned, stays: of the players dealt in, by seat.
        exchanges: in paying order.
        top_ups, stacks_before, stacks: of all players of the round, by seat.
        transfers: in order.
        irregular: why the hand could not have followed, as JSON; None unless it was accepted as played.
    """

    points: Sequence[Points]
    fouls: Sequence[bool]
    royalties: Sequence[Points]
    earned: Sequence[int]
    stays: Sequence[int]
    exchanges: Sequence[Points]
    top_ups: Sequence[Points]
    stacks_before: Sequence[Points]
    stacks: Sequence[Points]
    transfers: Sequence[PaidRow]
    irregular: str | None = None


def figures_of(before: Round, played: PlayedHand) -> HandFigures:
    """Return the figures of a played hand, given the round before it."""
    score = score_parameters(before, played)
    return HandFigures(
        points=score["points"],
        fouls=score["fouls"],
        royalties=score["royalties"],
        earned=score["earned"],
        stays=score["stays"],
        exchanges=score["exchanges"],
        top_ups=score["added"],
        stacks_before=score["stacks_before"],
        stacks=score["stacks"],
        transfers=rows_of(played.transfers),
        irregular=score["irregular"],
    )


def rows_of(transfers: Sequence[Transfer]) -> list[PaidRow]:
    """Convert transfers to rows, in order."""
    return [
        (each.payer, each.payee, each.due, each.paid, each.limited_by, each.payer_stack, each.payee_stack)
        for each in transfers
    ]
