"""A revision of a round, its hands as lines, and what happened between them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from flask import url_for

from schemas.settlements import SettlementView
from scoring.hand import Seat
from scoring.history import Closing, Departure
from scoring.ruleset import Points
from service.console.views.exports import Column
from service.errors import NotFound
from service.http.authentication import current_transaction
from service.rounds.actions.reading import find_revision
from service.rounds.queries import histories, rounds
from service.rounds.queries.hands import StoredHand
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.stored_round import StoredRound
from service.tables import queries as tables


@dataclass(frozen=True, slots=True)
class ReadRound:
    """
    A revision of a round, as its pages show it.

    Attributes:
        table: the name of the table.
        revision: the number of the revision.
        happened: the hands, departures and closing of the revision.
    """

    stored: StoredRound
    table: str
    revision: int
    happened: StoredHistory

    @property
    def names(self) -> dict[Seat, str]:
        """The players by seat."""
        return {seat.seat: seat.player for seat in self.happened.seats}

    @property
    def is_newest(self) -> bool:
        """Whether the revision is in force."""
        return self.revision == self.stored.revision

    @property
    def top_ups(self) -> Counter[Seat]:
        """The points that players added during the round, by seat."""
        added: Counter[Seat] = Counter()
        for stored in self.happened.hands:
            added.update({top_up.seat: top_up.points for top_up in stored.hand.top_ups})
        return added

    def address(self, endpoint: str, **values: Any) -> str:
        """Return the address of a page of the round in the same revision."""
        if not self.is_newest:
            values["revision"] = self.revision
        return url_for(f"console.{endpoint}", round_id=self.stored.id, **values)

    def find_hand(self, number: int) -> StoredHand:
        """
        Return a hand by its number.

        Raises:
            NotFound: the revision has no hand with this number.
        """
        count = len(self.happened.hands)
        if not 1 <= number <= count:
            there_are = f"expected a number from 1 to {count}" if count else "it has no hands"
            raise NotFound(f"revision {self.revision} of the round has no hand {number}; {there_are}")
        return self.happened.hands[number - 1]


def read_round(round_id: UUID, number: int | None) -> ReadRound:
    """
    Read a revision of a round, or its newest.

    Raises:
        NotFound: the round or the revision does not exist.
    """
    transaction = current_transaction()
    stored = rounds.get(transaction, round_id)
    revision = find_revision(stored, number)
    table = tables.get(transaction, stored.table_id).name
    return ReadRound(stored, table, revision, histories.get(transaction, round_id, revision))


@dataclass(frozen=True, slots=True)
class Between:
    """What happened between a hand and the next one."""

    departures: Sequence[Departure]
    closed: Closing | None


@dataclass(frozen=True, slots=True)
class HandLine:
    """
    A hand as a line of the table of hands.

    Attributes:
        won: the points that each player won with the hand, after caps, by seat.
        stacks: the stacks after them, by seat.
        caps: the points that were due and not paid.
        fouls: the seats whose boards are foul.
        after: what happened between this hand and the next one.
    """

    stored: StoredHand
    won: Mapping[Seat, Points]
    stacks: Mapping[Seat, Points]
    caps: Points
    fouls: frozenset[Seat]
    after: Between

    @property
    def number(self) -> int:
        """The number of the hand."""
        return self.stored.hand.number

    @property
    def dealt(self) -> dict[Seat, int]:
        """The number of cards dealt to each player in Fantasyland."""
        return {seat: player.fantasyland for seat, player in self.stored.hand.by_seat.items() if player.fantasyland}


@dataclass(frozen=True, slots=True)
class HandResult:
    """The result of a hand for a player: a row of the file of a round's hands."""

    line: HandLine
    seat: Seat
    player: str


COLUMNS: Final[Sequence[Column[HandResult]]] = (
    Column("hand", lambda row: row.line.number),
    Column("button", lambda row: row.line.stored.hand.button),
    Column("seat", lambda row: row.seat),
    Column("player", lambda row: row.player),
    Column("dealt_in", lambda row: row.seat in row.line.stored.hand.by_seat),
    Column("fantasyland", lambda row: row.line.dealt.get(row.seat, 0)),
    Column("foul", lambda row: row.seat in row.line.fouls),
    Column("points", lambda row: row.line.stored.score.points.get(row.seat, 0)),
    Column("won", lambda row: row.line.won.get(row.seat, 0)),
    Column("stack", lambda row: row.line.stacks[row.seat]),
    Column("irregular", lambda row: "; ".join(each.detail for each in row.line.stored.irregular) or None),
)


def list_hand_lines(read: ReadRound, settlement: SettlementView) -> list[HandLine]:
    """Return the hands of a revision as lines; the last one includes what was paid at the end of the round."""
    hands = read.happened.hands
    return [
        _line(read, settlement, stored, settlement.stacks if stored is hands[-1] else stored.stacks) for stored in hands
    ]


def _line(read: ReadRound, settlement: SettlementView, stored: StoredHand, stacks: Mapping[Seat, Points]) -> HandLine:
    number = stored.hand.number
    won = dict.fromkeys(stored.hand.by_seat, 0)
    caps = 0
    for transfer in (paid.transfer for paid in settlement.payments if paid.hand == number):
        won[transfer.payer] = won.get(transfer.payer, 0) - transfer.paid
        won[transfer.payee] = won.get(transfer.payee, 0) + transfer.paid
        caps += transfer.due - transfer.paid
    fouls = frozenset(board.seat for board in stored.score.boards if board.foul)
    return HandLine(stored, won, stacks, caps, fouls, find_between(read, number))


def list_results(read: ReadRound, lines: Sequence[HandLine]) -> Iterator[HandResult]:
    """Yield the result of each hand for each player."""
    for line in lines:
        for seat, player in read.names.items():
            yield HandResult(line, seat, player)


def list_pair_points(explanation: Mapping[str, Any]) -> dict[tuple[Seat, Seat], Points]:
    """
    Return the points of each player of an explained hand against each other one, by their seats.

    >>> explanation = {"players": [{"seat": 1}, {"seat": 2}], "exchanges": [{"seats": [1, 2], "points": 6}]}
    >>> list_pair_points(explanation)
    {(1, 2): 6, (2, 1): -6}
    """
    seats = [player["seat"] for player in explanation["players"]]
    points = {(seat, other): 0 for seat in seats for other in seats if seat != other}
    for exchange in explanation["exchanges"]:
        first, second = exchange["seats"]
        points[first, second], points[second, first] = exchange["points"], -exchange["points"]
    return points


def find_between(read: ReadRound, number: int) -> Between:
    """Return what happened between a hand and the next one; hand 0 is the opening of the round."""
    happened = read.happened
    left = [departure for departure in happened.departures if departure.after_hand == number]
    closed = happened.closed
    return Between(left, closed if closed and closed.after_hand == number else None)
