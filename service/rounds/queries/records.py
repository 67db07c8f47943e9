"""The records of revisions of rounds: one reader for any rounds and any revision."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from schemas.hands import Irregularity
from schemas.settlements import Adjustment
from scoring.board import Board, ByRow, Row
from scoring.cards import Card
from scoring.errors import Mistake, RoundError, ScoringError
from scoring.hand import Hand, PlayerHand, Seat, TopUp
from scoring.history import Closing, Departure, History, Paid
from scoring.round_state import RoundSeat, RoundStatus
from scoring.ruleset import BOARD_SIZE, Points, Ruleset
from scoring.settle_up import Payment
from service.db import Transaction
from service.rounds.models import (
    ClosingRecord,
    DepartureRecord,
    HandScoreRecord,
    PayoutRecord,
    RoundSeatRecord,
    SettlementRecord,
    list_columns,
)
from service.rounds.queries.stored_round import load_transfers
from service.rulesets import queries as rulesets
from service.texts.queries import content_of

Record = Mapping[str, Any]


class Revisions(Enum):
    """Which revisions of rounds are read."""

    NEWEST = "newest"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class RevisionResult:
    """The players, stacks and nets of a revision."""

    players: Mapping[Seat, str]
    stacks: Mapping[Seat, Points]
    nets: Mapping[Seat, Points]

    @property
    def nets_by_player(self) -> dict[str, Points]:
        """The net points of each player, by name."""
        return {self.players[seat]: net for seat, net in self.nets.items()}


@dataclass(frozen=True, slots=True)
class RoundRecords:
    """
    The records of a revision of a round.

    Attributes:
        head: the record of the round's head.
        settlement: the record of the settlement, with the JSON of its ruleset, `ruleset_content`, and its `adjustments`
            and `confirmations`; None if it is missing.
        seats: the records of its seats.
        hands: the records of its hands joined with their scores, in order; `in_force` is whether the newest revision
            has the hand.
        payout: the record of the payout after the last hand.
        departures, closing: the records of departures and of the closing. As in the settlement, `reason` is a digest
            and `reason_text` the text.
    """

    head: Record
    revision: int
    settlement: Record | None
    seats: Sequence[Record]
    hands: Sequence[Record]
    payout: Record | None
    departures: Sequence[Record]
    closing: Record | None

    @property
    def id(self) -> UUID:
        """The id of the round."""
        round_id: UUID = self.head["round_id"]
        return round_id

    @property
    def key(self) -> Mapping[str, UUID]:
        """The columns by which findings name the round."""
        return {"club_id": self.head["club_id"], "round_id": self.id}

    @property
    def is_open(self) -> bool:
        """Whether the round accepts hands."""
        return bool(self.head["status"] == RoundStatus.OPEN)

    @property
    def settlement_record(self) -> Record:
        """The record of the settlement, of a round whose records are complete."""
        assert self.settlement is not None
        return self.settlement

    @property
    def reason(self) -> str | None:
        """The reason for the revision; None for the first, or after it was erased."""
        reason: str | None = self.settlement_record["reason_text"]
        return reason

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset of the revision."""
        return rulesets.parse_ruleset(self.settlement_record["ruleset_content"])

    @property
    def adjustment(self) -> Adjustment | None:
        """The adjustment of a final settlement; None if no settlement was final before the revision."""
        if self.settlement_record["adjusts_revision"] is None:
            return None
        payments = (
            Payment(each["payer"], each["payee"], each["points"]) for each in self.settlement_record["adjustments"]
        )
        return Adjustment(self.settlement_record["adjusts_revision"], tuple(payments))

    @property
    def confirmed(self) -> Sequence[Seat]:
        """The seats whose players have confirmed the settlement."""
        seats: Sequence[Seat] = self.settlement_record["confirmations"]
        return seats

    @property
    def round_seats(self) -> tuple[RoundSeat, ...]:
        """The players and their opening stacks, by seat."""
        return tuple(RoundSeat(seat["seat"], seat["player"], seat["opening_stack"]) for seat in self.seats)

    @property
    def departed(self) -> tuple[Departure, ...]:
        """The departures, in order."""
        return tuple(Departure(each["seat"], each["after_hand"], each["reason_text"]) for each in self.departures)

    @property
    def closed(self) -> Closing | None:
        """The closing of the round before it was complete."""
        return Closing(self.closing["after_hand"], self.closing["reason_text"]) if self.closing else None

    @property
    def irregular(self) -> tuple[Irregularity, ...]:
        """The hands that were accepted as played."""
        accepted = (score for score in self.hands if score["irregular"] is not None)
        return tuple(Irregularity(score["number"], load_mistakes(score["irregular"])) for score in accepted)

    @property
    def paid(self) -> list[Paid]:
        """The payments, in order."""
        of_hands = [Paid(score["number"], paid) for score in self.hands for paid in load_transfers(score["transfers"])]
        late = load_transfers(self.payout["transfers"]) if self.payout else ()
        return [*of_hands, *(Paid(self.payout["number"], paid) for paid in late if self.payout)]

    @property
    def result(self) -> RevisionResult:
        """The players, stacks and nets."""
        opened = [seat["opening_stack"] for seat in self.seats]
        last = self.payout or (self.hands[-1] if self.hands else None)
        stacks = last["stacks"] if last else opened
        brought = [sum(points) for points in zip(opened, *(score["top_ups"] for score in self.hands), strict=True)]
        numbers = [seat["seat"] for seat in self.seats]
        nets = [stack - points for stack, points in zip(stacks, brought, strict=True)]
        return RevisionResult(
            {seat["seat"]: seat["player"] for seat in self.seats},
            dict(zip(numbers, stacks, strict=True)),
            dict(zip(numbers, nets, strict=True)),
        )

    def history(self, ruleset: Ruleset) -> History:
        """
        Build the history of the round, with boards from their packed bytes and without discards and streets.

        Raises:
            RoundError: the first record that is missing or cannot be read, with its path.
        """
        return History(
            ruleset,
            self.round_seats,
            tuple(_load(number, record) for number, record in enumerate(self.hands, 1)),
            self.departed,
            self.closed,
            frozenset(record["number"] for record in self.hands if record["irregular"] is not None),
        )


_HEADS: Final = text(
    "SELECT * FROM round_heads WHERE club_id = :club_id AND round_id = ANY (:round_ids) ORDER BY round_id"
)
_OF_ROUNDS: Final = """
    FROM round_heads AS head JOIN {0} AS found ON (found.club_id, found.round_id) = (head.club_id, head.round_id)
    {1} WHERE head.club_id = :club_id AND head.round_id = ANY (:round_ids) AND {which}
    ORDER BY found.round_id, found.revision, {2}
"""
_WHICH: Final = {
    Revisions.NEWEST: "found.revision = head.revision",
    Revisions.EVERY: "true",
    None: "found.revision = :revision",
}
_REASON: Final = f", {content_of('found.reason')} AS reason_text"
_SETTLEMENT: Final = f"""{_REASON},
    CAST(ruleset.content AS text) AS ruleset_content,
    ARRAY(
        SELECT seat FROM confirmations WHERE (club_id, round_id, revision)
            = (found.club_id, found.round_id, found.revision) ORDER BY seat
    ) AS confirmations,
    CASE WHEN found.adjusts_revision IS NULL THEN '[]' ELSE (
        SELECT coalesce(jsonb_agg(to_jsonb(paid) ORDER BY paid.position), '[]') FROM adjustments AS paid
        WHERE (paid.club_id, paid.round_id, paid.revision) = (found.club_id, found.round_id, found.revision)
    ) END AS adjustments
"""
_RULESET: Final = """
    LEFT JOIN rulesets AS ruleset ON (ruleset.club_id, ruleset.name, ruleset.version)
        = (found.club_id, found.ruleset_name, found.ruleset_version)
"""
_HAND: Final = """, hand.id, hand.button, hand.content, hand.seats, hand.fantasyland, hand.boards, hand.digest,
    hand.reference, hand.played_at, hand.recorded_at, found.revision = head.revision OR EXISTS (
        SELECT FROM hand_scores AS newest WHERE (newest.club_id, newest.round_id, newest.revision, newest.number)
            = (found.club_id, found.round_id, head.revision, found.number) AND newest.hand_id = found.hand_id
    ) AS in_force
"""
_HANDS: Final = """
    LEFT JOIN hands AS hand ON (hand.club_id, hand.round_id, hand.number, hand.id)
        = (found.club_id, found.round_id, found.number, found.hand_id)
"""
_TABLES: Final = (
    (SettlementRecord, _SETTLEMENT, _RULESET, "found.revision"),
    (RoundSeatRecord, "", "", "found.seat"),
    (HandScoreRecord, _HAND, _HANDS, "found.number"),
    (PayoutRecord, "", "", "found.number"),
    (DepartureRecord, _REASON, "", "found.position"),
    (ClosingRecord, _REASON, "", "found.after_hand"),
)
_QUERIES: Final = {
    which: [
        text(
            f"SELECT {list_columns(record, 'found')}{more}"
            + _OF_ROUNDS.format(record.__tablename__, join, order, which=condition)
        )
        for record, more, join, order in _TABLES
    ]
    for which, condition in _WHICH.items()
}


def read_records(
    transaction: Transaction, round_ids: Sequence[UUID], revision: int | Revisions = Revisions.NEWEST
) -> list[RoundRecords]:
    """
    Read the records of rounds, in the order of their ids and revisions, without locking them.

    The number of statements does not depend on the number of rounds and revisions.

    Args:
        transaction: the club's transaction.
        round_ids: the rounds; those that do not exist are omitted.
        revision: the revisions to read; a number is one that each of the rounds has.
    """
    which, number = (revision, None) if isinstance(revision, Revisions) else (None, revision)
    parameters = {"club_id": transaction.club_id, "round_ids": list(round_ids)}
    heads = transaction.execute(_HEADS, parameters).mappings().all()
    if number is not None:
        parameters["revision"] = number
    read = [_by_revision(transaction, query, parameters) for query in _QUERIES[which]]
    numbers: dict[UUID, list[int]] = defaultdict(list)
    for round_id, each in read[0]:
        numbers[round_id].append(each)
    return [
        _build(dict(head), each, [by_revision.get((head["round_id"], each), []) for by_revision in read])
        for head in heads
        for each in _list_revisions(which, number, head["revision"], numbers[head["round_id"]])
    ]


def get_records(transaction: Transaction, round_id: UUID, revision: int) -> RoundRecords:
    """Read the records of a revision of a round, both of which exist."""
    [records] = read_records(transaction, [round_id], revision)
    return records


def list_revisions(transaction: Transaction, round_id: UUID) -> list[RoundRecords]:
    """Read the records of each revision of a round, in order."""
    return read_records(transaction, [round_id], Revisions.EVERY)


def _list_revisions(which: Revisions | None, number: int | None, newest: int, stored: Sequence[int]) -> Sequence[int]:
    if which is Revisions.EVERY:
        return stored
    return [newest if number is None else number]


def _by_revision(
    transaction: Transaction, query: Any, parameters: Mapping[str, Any]
) -> Mapping[tuple[UUID, int], list[Record]]:
    """Return the records of a table by round and revision."""
    listed: dict[tuple[UUID, int], list[Record]] = defaultdict(list)
    for record in transaction.execute(query, parameters).mappings():
        listed[record["round_id"], record["revision"]].append(dict(record))
    return listed


def _build(head: Record, revision: int, read: Sequence[Sequence[Record]]) -> RoundRecords:
    settlements, seats, hands, payouts, departures, closings = read
    settlement, payout, closing = (next(iter(records), None) for records in (settlements, payouts, closings))
    return RoundRecords(head, revision, settlement, seats, hands, payout, departures, closing)


def list_versions(transaction: Transaction, round_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Return the current version of each round."""
    parameters = {"club_id": transaction.club_id, "round_ids": list(round_ids)}
    return {row.round_id: row.version for row in transaction.execute(_HEADS, parameters)}


def load_mistakes(stored: Sequence[Mapping[str, Any]]) -> tuple[Mistake, ...]:
    """Decode the stored reasons why a hand is irregular."""
    return tuple(Mistake(each["code"], tuple(each["path"]), each["detail"]) for each in stored)


def pack_content(record: Record) -> bytes | None:
    """Return the packed boards of a hand's content; None if the content cannot be read."""
    try:
        content = {player["seat"]: player for player in record["content"]["players"]}
        boards = (
            Board(ByRow(*(tuple(map(Card.parse, content[seat][row.value])) for row in Row))) for seat in record["seats"]
        )
        return b"".join(board.packed for board in boards)
    except (ScoringError, KeyError, TypeError, AttributeError):
        return None


def _load(number: int, record: Record) -> Hand:
    """Build a hand from its record, with boards from the packed bytes."""
    place = ("hands", number - 1)
    if record["number"] != number or record["id"] is None:
        raise RoundError([Mistake("record-missing", place, f"the record of hand {number} is missing")])
    boards = record["boards"]
    try:
        players = tuple(
            PlayerHand(seat, Board.unpacked(boards[start : start + BOARD_SIZE]), fantasyland)
            for seat, fantasyland, start in zip(
                record["seats"], record["fantasyland"], range(0, len(boards), BOARD_SIZE), strict=True
            )
        )
        top_ups = tuple(TopUp(each["seat"], each["points"]) for each in record["content"]["top_ups"])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        detail = f"the record of hand {number} cannot be read: {error}"
        raise RoundError([Mistake("record-unreadable", place, detail)]) from None
    return Hand(number, record["button"], players, top_ups)
