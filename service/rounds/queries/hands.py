"""Find and list hands, by round and revision."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Label, Select, and_, func, select, text
from sqlalchemy import Row as Record

from scoring.board import Board, ByRow, Row
from scoring.cards import Card
from scoring.errors import Mistake
from scoring.hand import Cards, Hand, PlayerHand, Seat, Street, TopUp
from scoring.ruleset import BOARD_SIZE, Points, Ruleset
from scoring.score import HandScore, score_hand
from scoring.settlement import Transfer
from service.db import Transaction
from service.errors import NotFound
from service.rounds.models import CorrectionRecord, HandRecord, HandScoreRecord, RoundHeadRecord
from service.rounds.queries.hand_filters import HandFilter, select_in_force
from service.rounds.queries.records import load_mistakes
from service.rounds.queries.stored_round import load_transfers
from service.rulesets import queries as rulesets
from service.rulesets.models import RulesetRecord
from service.texts.models import TextField, TextRecord


@dataclass(frozen=True)
class StoredHand:
    """
    A recorded hand, and its result in a revision of its round.

    Attributes:
        content: the hand as in documents.
        hand: the hand, with players by seat.
        stays: how many times in a row each player in Fantasyland had stayed there before.
        players: all players of the round, by seat.
        transfers: the transfers paid with the hand.
        stacks: the stacks of all players of the round after the hand.
        scorer_version: the version of the scorer that computed the result.
        in_force: whether the newest revision of the round has the hand; it does not if the hand was undone.
        is_accepted: whether the hand was accepted as played.
        irregular: why the hand does not follow the hands before it; empty if it does.
        reference: the client's ID of the hand.
        metadata: the client's own texts about it as they are stored, if they were read.
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
    reference: str | None = None
    metadata: str | None = None

    @cached_property
    def score(self) -> HandScore:
        """The score of every board and pair, computed again, because the record has the sums only."""
        return score_hand(self.hand.players, self.ruleset, self.hand.button, self.stays)


def get(transaction: Transaction, hand_id: UUID) -> StoredHand:
    """
    Return a hand with its result in the newest revision that has it.

    Raises:
        NotFound: the hand does not exist.
    """
    newest = (
        _select_hands(transaction).where(HandRecord.id == hand_id).order_by(HandScoreRecord.revision.desc()).limit(1)
    )
    hands = _load(transaction, transaction.execute(newest).all())
    if not hands:
        raise NotFound(f"there is no hand {hand_id}")
    return hands[0]


def find_newest(transaction: Transaction, round_id: UUID, hand_ids: Collection[UUID]) -> StoredHand | None:
    """Find the record, out of several of the same hand, that the newest revision has, in force or not."""
    if not hand_ids:
        return None
    same = _select_hands(transaction).where(HandRecord.round_id == round_id, HandRecord.id.in_(hand_ids))
    hands = _load(transaction, transaction.execute(same.order_by(HandScoreRecord.revision.desc()).limit(1)).all())
    return hands[0] if hands else None


def find_last_revision(transaction: Transaction, round_id: UUID, hand_id: UUID) -> int:
    """Return the last revision of a round that has a record of a hand."""
    score = HandScoreRecord
    query = select(func.max(score.revision)).where(
        score.club_id == transaction.club_id, score.round_id == round_id, score.hand_id == hand_id
    )
    return int(transaction.execute(query).scalar_one())


def find_correction(transaction: Transaction, round_id: UUID, hand_id: UUID) -> int | None:
    """Find the revision in which a correction replaced or removed a record; None if it is in force or was undone."""
    record = CorrectionRecord
    next_revision = find_last_revision(transaction, round_id, hand_id) + 1
    query = select(record.revision).where(
        record.club_id == transaction.club_id, record.round_id == round_id, record.revision == next_revision
    )
    return transaction.execute(query).scalar_one_or_none()


def list_page(
    transaction: Transaction, round_id: UUID, revision: int, *, after: UUID | None = None, limit: int | None = None
) -> list[StoredHand]:
    """List the hands of a revision after `after`, in the order in which they were played."""
    query = _select_hands(transaction).where(HandScoreRecord.round_id == round_id, HandScoreRecord.revision == revision)
    if after is not None:
        last = select(HandRecord.number).where(HandRecord.club_id == transaction.club_id, HandRecord.id == after)
        query = query.where(HandScoreRecord.number > last.scalar_subquery())
    rows = transaction.execute(query.order_by(HandScoreRecord.number).limit(limit)).all()
    return _load(transaction, rows)


def find_page(
    transaction: Transaction, filter_: HandFilter, *, after: UUID | None = None, limit: int
) -> list[StoredHand]:
    """List the hands in force of all rounds that match a filter after `after`, newest recorded first."""
    page = select_in_force(transaction, filter_)
    if after is not None:
        page = page.where(HandRecord.id < after)
    # Sort and limit the ids alone: the content of hands is large.
    ids = page.order_by(HandRecord.id.desc()).limit(limit).subquery()
    of_page = and_(HandRecord.id == ids.c.id, HandScoreRecord.revision == ids.c.revision)
    query = _select_hands(transaction).join(ids, of_page).order_by(HandRecord.id.desc())
    return _load(transaction, transaction.execute(query).all())


def _select_hands(transaction: Transaction) -> Select[Any]:
    hand, score = HandRecord, HandScoreRecord
    return (
        select(
            hand.__table__,
            score.revision,
            score.scorer_version,
            score.stays,
            score.stacks,
            score.transfers,
            score.irregular,
            _in_force(),
            _metadata(),
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
    """Return an expression: whether the newest revision of the round has this record."""
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


def _metadata() -> Label[str | None]:
    """Return an expression: the metadata of a hand, which links do not see."""
    record = TextRecord
    metadata = select(record.content).where(
        record.club_id == HandRecord.club_id,
        record.record_id == HandRecord.id,
        record.field == TextField.METADATA.value,
        func.current_table().is_(None),
    )
    return metadata.correlate(HandRecord).scalar_subquery().label("metadata")


def _load(transaction: Transaction, records: Sequence[Record[Any]]) -> list[StoredHand]:
    """Build hands from their records, with one query for all players."""
    if not records:
        return []
    played = {(record.round_id, record.revision, record.number) for record in records}
    players = _players(transaction, {(round_id, revision) for round_id, revision, _ in played})
    return [
        build_hand(
            dict(record._mapping),
            rulesets.parse_ruleset(record.ruleset_content),
            players[record.round_id, record.revision],
        )
        for record in records
    ]


def build_hand(record: Mapping[str, Any], ruleset: Ruleset, players: Mapping[Seat, str]) -> StoredHand:
    """
    Build a hand from its record joined with its score.

    Args:
        record: the columns of both, and `in_force`.
        ruleset: the ruleset of the score.
        players: the players of the round, by seat.
    """
    return StoredHand(
        id=record["id"],
        round_id=record["round_id"],
        revision=record["revision"],
        digest=record["digest"],
        content=record["content"],
        played_at=record["played_at"],
        recorded_at=record["recorded_at"],
        ruleset=ruleset,
        hand=_load_hand(record),
        stays=dict(zip(record["seats"], record["stays"], strict=True)),
        players=players,
        transfers=load_transfers(record["transfers"]),
        stacks=dict(zip(players, record["stacks"], strict=True)),
        scorer_version=record["scorer_version"],
        in_force=record["in_force"],
        is_accepted=record["irregular"] is not None,
        irregular=load_mistakes(record["irregular"] or ()),
        reference=record["reference"],
        metadata=record.get("metadata"),
    )


_PLAYERS: Final = text("""
    SELECT seat.round_id, seat.revision, seat.seat, seat.player
    FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[])) AS wanted (round_id, revision)
    JOIN round_seats AS seat
        ON seat.club_id = :club_id AND seat.round_id = wanted.round_id AND seat.revision = wanted.revision
    ORDER BY seat.seat
""")


def _players(
    transaction: Transaction, revisions: Collection[tuple[UUID, int]]
) -> dict[tuple[UUID, int], dict[Seat, str]]:
    """Return the players by seat in revisions of rounds."""
    round_ids, numbers = map(list, zip(*revisions, strict=True))
    parameters = {"club_id": transaction.club_id, "round_ids": round_ids, "revisions": numbers}
    players: dict[tuple[UUID, int], dict[Seat, str]] = defaultdict(dict)
    for row in transaction.execute(_PLAYERS, parameters):
        players[row.round_id, row.revision][row.seat] = row.player
    return players


_LOCK_REFERENCE: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 6))")


def find_reference(transaction: Transaction, reference: str) -> tuple[UUID, int] | None:
    """Lock a reference of hands until the transaction ends, and find the round and the number of the hand with it."""
    transaction.execute(_LOCK_REFERENCE, {"name": f"{transaction.club_id} {reference}"})
    record = HandRecord
    query = select(record.round_id, record.number).where(
        record.club_id == transaction.club_id, record.reference == reference
    )
    # A correction that removes a hand before it gives the hand another number.
    row = transaction.execute(query.order_by(record.id.desc()).limit(1)).one_or_none()
    return None if row is None else (row.round_id, row.number)


def list_records(transaction: Transaction, round_id: UUID, number: int) -> list[UUID]:
    """List the ids of all records of a hand number, including undone ones, oldest first."""
    return [record_id for record_id, _ in list_contents(transaction, round_id, number)]


def list_contents(
    transaction: Transaction, round_id: UUID, number: int | None = None
) -> list[tuple[UUID, Mapping[str, Any]]]:
    """List the id and content of all records of a round's hands, or of one number, also undone ones, oldest first."""
    record = HandRecord
    query = select(record.id, record.content).where(record.club_id == transaction.club_id, record.round_id == round_id)
    if number is not None:
        query = query.where(record.number == number)
    return [(row.id, row.content) for row in transaction.execute(query.order_by(record.number, record.id))]


def find_in_revision(transaction: Transaction, round_id: UUID, revision: int, number: int) -> UUID | None:
    """Find the id of a revision's record of a hand number."""
    score = HandScoreRecord
    query = select(score.hand_id).where(
        score.club_id == transaction.club_id,
        score.round_id == round_id,
        score.revision == revision,
        score.number == number,
    )
    return transaction.execute(query).scalar_one_or_none()


def is_recorded(transaction: Transaction, round_id: UUID, hand_id: UUID) -> bool:
    """Return whether a hand was recorded in a round, even if it was undone."""
    record = HandRecord
    query = select(record.id).where(
        record.club_id == transaction.club_id, record.round_id == round_id, record.id == hand_id
    )
    return transaction.execute(query).one_or_none() is not None


def is_in_revision(transaction: Transaction, stored: StoredHand, revision: int) -> bool:
    """Return whether a revision of the hand's round has this record."""
    return find_in_revision(transaction, stored.round_id, revision, stored.hand.number) == stored.id


def _load_hand(record: Mapping[str, Any]) -> Hand:
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
