"""The records of rounds."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from scoring.board import Board, ByRow, Row
from scoring.cards import Card
from scoring.errors import Mistake, RoundError, ScoringError
from scoring.hand import Hand, PlayerHand, TopUp
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat, RoundStatus
from scoring.ruleset import BOARD_SIZE, Ruleset
from service.db import Transaction
from service.db.base import Base
from service.rounds.models import (
    ClosingRecord,
    DepartureRecord,
    HandScoreRecord,
    PayoutRecord,
    RoundSeatRecord,
    list_columns,
)

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RoundRecords:
    """
    The records of the newest revision of a round.

    Attributes:
        head: the record of the round's head.
        seats: the records of its seats.
        hands: the records of its hands joined with their scores, in order.
        payout: the record of the payout after the last hand.
        departures, closing: the records of departures and of the closing.
    """

    head: Record
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

    def history(self, ruleset: Ruleset) -> History:
        """
        Build the history of the round, with boards from their packed bytes and without discards and streets.

        Raises:
            RoundError: the first record that is missing or cannot be read, with its path.
        """
        return History(
            ruleset,
            tuple(RoundSeat(seat["seat"], seat["player"], seat["opening_stack"]) for seat in self.seats),
            tuple(_load(number, record) for number, record in enumerate(self.hands, 1)),
            tuple(Departure(each["seat"], each["after_hand"], each["reason"]) for each in self.departures),
            Closing(self.closing["after_hand"], self.closing["reason"]) if self.closing else None,
            frozenset(record["number"] for record in self.hands if record["irregular"] is not None),
        )


_OF_ROUNDS: Final = """
    FROM round_heads AS head JOIN {0} AS found
        ON (found.club_id, found.round_id, found.revision) = (head.club_id, head.round_id, head.revision)
    {1} WHERE head.club_id = :club_id AND head.round_id = ANY (:round_ids) ORDER BY found.round_id, {2}
"""
_HEADS: Final = text(
    "SELECT * FROM round_heads WHERE club_id = :club_id AND round_id = ANY (:round_ids) ORDER BY round_id"
)
_HAND: Final = """
    LEFT JOIN hands AS hand ON (hand.club_id, hand.round_id, hand.number, hand.id)
        = (found.club_id, found.round_id, found.number, found.hand_id)
"""
_HANDS: Final = text(
    f"SELECT {list_columns(HandScoreRecord, 'found')}, hand.id, hand.button, hand.content, hand.seats,"
    " hand.fantasyland, hand.boards" + _OF_ROUNDS.format("hand_scores", _HAND, "found.number")
)


def _all_of(record: type[Base], order: str) -> Any:
    columns = list_columns(record, "found")
    return text(f"SELECT {columns}" + _OF_ROUNDS.format(record.__tablename__, "", order))


_SEATS: Final = _all_of(RoundSeatRecord, "found.seat")
_PAYOUTS: Final = _all_of(PayoutRecord, "found.number")
_DEPARTURES: Final = _all_of(DepartureRecord, "found.position")
_CLOSINGS: Final = _all_of(ClosingRecord, "found.after_hand")


def read_records(transaction: Transaction, round_ids: Sequence[UUID]) -> list[RoundRecords]:
    """List the records of rounds, in the order of their ids, without locking them."""
    parameters = {"club_id": transaction.club_id, "round_ids": list(round_ids)}

    def by_round(query: Any) -> Mapping[UUID, list[Record]]:
        found: dict[UUID, list[Record]] = defaultdict(list)
        for record in transaction.execute(query, parameters).mappings():
            found[record["round_id"]].append(dict(record))
        return found

    heads = by_round(_HEADS)
    seats, hands, payouts = map(by_round, (_SEATS, _HANDS, _PAYOUTS))
    departures, closings = by_round(_DEPARTURES), by_round(_CLOSINGS)
    return [
        RoundRecords(
            head,
            seats.get(round_id, []),
            hands.get(round_id, []),
            next(iter(payouts.get(round_id, [])), None),
            departures.get(round_id, []),
            next(iter(closings.get(round_id, [])), None),
        )
        for round_id, [head] in heads.items()
    ]


def list_versions(transaction: Transaction, round_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Return the current version of each round."""
    parameters = {"club_id": transaction.club_id, "round_ids": list(round_ids)}
    return {found.round_id: found.version for found in transaction.execute(_HEADS, parameters)}


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
