"""Find and list hands, by round and revision."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Label, Row, Select, and_, func, select, text

from scoring.errors import Mistake
from scoring.hand import Hand, Seat
from scoring.ruleset import Points, Ruleset
from scoring.score import HandScore, score_hand
from scoring.settlement import Transfer
from service.db import Statement, Transaction
from service.errors import NotFound
from service.rounds.models import HandRecord, HandScoreRecord, RoundHeadRecord, RoundSeatRecord
from service.rounds.queries import transfers
from service.rounds.queries.hand_records import load_hand
from service.rulesets import queries as rulesets
from service.rulesets.models import RulesetRecord


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


_LIST_BOARDS: Final = Statement(
    text("""
        SELECT hand.number, hand.seats, hand.boards
        FROM hand_scores AS score
        JOIN hands AS hand ON hand.club_id = score.club_id AND hand.id = score.hand_id
        WHERE score.club_id = :club_id AND score.round_id = :round_id AND score.revision = :revision
        ORDER BY score.number
    """)
)


def list_records(transaction: Transaction, round_id: UUID, number: int) -> list[UUID]:
    """List the ids of all records ever made of a round's hand, the oldest first."""
    return [record_id for record_id, _ in list_contents(transaction, round_id, number)]


def list_contents(
    transaction: Transaction, round_id: UUID, number: int | None = None
) -> list[tuple[UUID, Mapping[str, Any]]]:
    """List the id and content of all records ever made of a round's hands, or of one of them, the oldest first."""
    record = HandRecord
    query = select(record.id, record.content).where(record.club_id == transaction.club_id, record.round_id == round_id)
    if number is not None:
        query = query.where(record.number == number)
    return [(found.id, found.content) for found in transaction.execute(query.order_by(record.number, record.id))]


def list_boards(transaction: Transaction, round_id: UUID, revision: int) -> list[tuple[int, list[Seat], bytes]]:
    """List the number, seats and packed boards of the hands that a revision of a round has."""
    parameters = {"club_id": transaction.club_id, "round_id": round_id, "revision": revision}
    found = transaction.query(_LIST_BOARDS, parameters)
    return [(each["number"], each["seats"], each["boards"]) for each in found]


def find_in_revision(transaction: Transaction, round_id: UUID, revision: int, number: int) -> UUID | None:
    """Find the id of the record that a revision of a round has of a hand."""
    score = HandScoreRecord
    query = select(score.hand_id).where(
        score.club_id == transaction.club_id,
        score.round_id == round_id,
        score.revision == revision,
        score.number == number,
    )
    return transaction.execute(query).scalar_one_or_none()


def is_recorded(transaction: Transaction, round_id: UUID, hand_id: UUID) -> bool:
    """Say whether a hand was ever recorded in a round."""
    record = HandRecord
    query = select(record.id).where(
        record.club_id == transaction.club_id, record.round_id == round_id, record.id == hand_id
    )
    return transaction.execute(query).one_or_none() is not None


def is_in_revision(transaction: Transaction, stored: StoredHand, revision: int) -> bool:
    """Say whether a revision of the hand's round has this record of it."""
    return find_in_revision(transaction, stored.round_id, revision, stored.hand.number) == stored.id
