"""Chunks and differences of recomputations, and the records of rounds that are replayed one by one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import insert, select, text

from scoring.board import Board, ByRow, Row
from scoring.cards import Card
from scoring.errors import Mistake, RoundError, ScoringError
from scoring.hand import Hand, PlayerHand, TopUp
from scoring.history import Closing, Departure, History
from scoring.round_state import RoundSeat, RoundStatus
from scoring.ruleset import BOARD_SIZE, Ruleset
from service.db import Transaction
from service.db.base import Base
from service.recomputations.models import DifferenceRecord
from service.recomputations.packed.queries import EVERY, RoundSelection, Stretch, stretch_parameters, wanted_rounds
from service.rounds.models import (
    ClosingRecord,
    DepartureRecord,
    HandScoreRecord,
    PayoutRecord,
    RoundSeatRecord,
    list_columns,
)

_RECORD: Final = DifferenceRecord
_AT_A_TIME: Final = 1000

# The order of ids as text is that of the ids: all have the same length, and digits come before letters.
_CUT: Final = """
    SELECT min(round_id::text COLLATE "C") AS first, max(round_id::text COLLATE "C") AS last, sum(hands) AS hands,
        count(*) AS rounds, (SELECT count(*) FROM wanted) AS of
    FROM (
        SELECT round_id, greatest(hands, 0) AS hands,
            (sum(greatest(hands, 0) + 1) OVER (ORDER BY round_id) - 1) / %(most)s::bigint AS part
        FROM wanted
    ) AS cut
    GROUP BY trunc(part) ORDER BY trunc(part)
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """
    A difference between a stored and a recomputed value.

    Attributes:
        round_id: the round; None for a ruleset.
        hand: the number of the hand; None for the round as a whole.
        what: the name of the column that differs.
        detail: an explanation, if the values do not suffice.
    """

    round_id: UUID | None
    hand: int | None
    what: str
    stored: Any = None
    computed: Any = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class StoredDifference:
    """A difference and its number in the list."""

    number: int
    difference: Difference


@dataclass(frozen=True, slots=True)
class SizedStretch:
    """A range of rounds, and the number of its rounds and hands."""

    stretch: Stretch
    rounds: int
    hands: int


@dataclass(frozen=True, slots=True)
class ScopeRanges:
    """
    The ranges of a scope.

    Attributes:
        rounds: the number of rounds in the scope, counted in the same query, but not as the sum of the ranges.
    """

    rounds: int
    stretches: Sequence[SizedStretch]


def cut_stretches(
    transaction: Transaction, scope: RoundSelection, most: int, bounds: tuple[UUID, UUID] = EVERY
) -> ScopeRanges:
    """Divide the rounds of a scope, between two ids, into ranges of at most `most` hands and rounds together."""
    parameters = {**stretch_parameters(transaction, Stretch(scope, *bounds)), "most": most}
    found = transaction.connection.exec_driver_sql(wanted_rounds(scope) + _CUT, parameters)
    rows = found.all()
    stretches = [
        SizedStretch(Stretch(scope, UUID(row.first), UUID(row.last)), row.rounds, int(row.hands)) for row in rows
    ]
    return ScopeRanges(rows[0].of if rows else 0, stretches)


def add_differences(transaction: Transaction, job_id: UUID, place: int, differences: Iterable[Difference]) -> None:
    """Insert the differences of a chunk, with numbers from `place` on."""
    rows = [
        {
            "club_id": transaction.club_id,
            "job_id": job_id,
            "number": place + position,
            "round_id": each.round_id,
            "hand": each.hand,
            "what": each.what,
            "stored": each.stored,
            "computed": each.computed,
            "detail": each.detail,
        }
        for position, each in enumerate(differences)
    ]
    for start in range(0, len(rows), _AT_A_TIME):
        transaction.execute(insert(_RECORD), rows[start : start + _AT_A_TIME])


def list_differences(
    transaction: Transaction, job_id: UUID, *, after: int | None = None, limit: int
) -> list[StoredDifference]:
    """List differences after `after`, in the order of rounds."""
    query = select(_RECORD.__table__).where(_RECORD.club_id == transaction.club_id, _RECORD.job_id == job_id)
    if after is not None:
        query = query.where(_RECORD.number > after)
    return [
        StoredDifference(
            found.number,
            Difference(found.round_id, found.hand, found.what, found.stored, found.computed, found.detail),
        )
        for found in transaction.execute(query.order_by(_RECORD.number).limit(limit))
    ]


Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedRound:
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
        found: UUID = self.head["round_id"]
        return found

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


def list_recorded(transaction: Transaction, round_ids: Sequence[UUID]) -> list[RecordedRound]:
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
        RecordedRound(
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
