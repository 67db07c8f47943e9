"""What an explanation is made of: figures, the cards that decide them, a sentence, and the rule that says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from scoring.board import ByRow, Row
from scoring.foul import FoulReason
from scoring.hand import Cards, Seat
from scoring.ruleset import Points, Ruleset
from scoring.settlement import Transfer


class Rule(StrEnum):
    """A heading of docs/rules.md."""

    COMPARING = "Comparing three cards with five"
    LOW = "Deuce-to-seven low"
    FOUL = "Foul"
    POINTS = "Points between two players"
    BONUS = "Majority and scoop"
    FOUL_PENALTY = "A foul against a good board"
    ROYALTIES = "Royalties"
    FANTASYLAND = "Fantasyland"
    ENTERING = "Entering Fantasyland"
    STAYING = "Staying in Fantasyland"
    STAY_LIMIT = "How often one may stay"
    OUT = "Busted and left"
    COMPLETION = "Completion"
    CLOSING = "Closing early"
    TOP_UPS = "Leaving and top-ups"
    STANDING = "Hands accepted as played"
    PAYMENT_ORDER = "Order of payment"
    CAPS = "What caps a payment"
    SCOPE = "Scope of the stakes"


class Part(StrEnum):
    """What points between two players are for."""

    TOP = "top"
    MIDDLE = "middle"
    BOTTOM = "bottom"
    MAJORITY = "majority"
    SCOOP = "scoop"
    FOUL = "foul"
    ROYALTY = "royalty"


@dataclass(frozen=True, slots=True)
class Reason:
    """
    Points between two players and what they are for, signed from the first one's side.

    `seat` earns them, None where nobody does; `first` and `second` are the cards of each that decide it.
    """

    part: Part
    points: Points
    seat: Seat | None
    row: Row | None
    first: Cards
    second: Cards
    text: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class ExplainedExchange:
    """The points between two players: what all reasons add up to."""

    first: Seat
    second: Seat
    points: Points
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Royalty:
    """What a row earns, the cards that earn it, and how the royalty table names them."""

    row: Row
    made: str
    points: Points
    cards: Cards
    text: str
    rule: Rule = Rule.ROYALTIES


@dataclass(frozen=True, slots=True)
class ExplainedFoul:
    """Which rows make a board foul, and the cards of each that decide it."""

    reason: FoulReason
    rows: tuple[Row, ...]
    cards: tuple[Cards, ...]
    text: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class ExplainedFantasyland:
    """
    What a board does about Fantasyland, and why.

    Attributes:
        dealt: how many cards the player was dealt there, 0 outside.
        earned: how many cards the board earns for the next hand, 0 for none.
        is_lost: whether they will never be dealt: the player is out, or the round has ended.
        rows: those that earn it.
        cards: what earns it, row by row.
    """

    dealt: int
    earned: int
    is_lost: bool
    rows: tuple[Row, ...]
    cards: tuple[Cards, ...]
    text: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class ExplainedBoard:
    """A board by itself; `points` are the player's over all exchanges, before any cap."""

    seat: Seat
    points: Points
    cards: ByRow[Cards]
    descriptions: ByRow[str]
    foul: ExplainedFoul | None
    royalties: tuple[Royalty, ...]
    royalty_points: Points
    fantasyland: ExplainedFantasyland | None


@dataclass(frozen=True, slots=True)
class ExplainedTotal:
    """What has added up between two players over the round, signed from the first one's side."""

    first: Seat
    second: Seat
    before: Points
    points: Points
    after: Points
    text: str
    rule: Rule = Rule.SCOPE


@dataclass(frozen=True, slots=True)
class ExplainedPayment:
    """
    A payment, the stacks at that moment, and what the caps left of it.

    Attributes:
        transfer: what was paid, and the stacks after it; without caps, what was due would have been.
        payer_had: the payer's stack before it.
        payee_had: the winner's stack before it.
        payee_opened: what the winner opened the scope with, where that limits him.
        room: how much more the winner could win; None where nothing limits him.
        is_late: paid not with the hand, but by the departure or closing after it that ended the round.
    """

    transfer: Transfer
    payer_had: Points
    payee_had: Points
    payee_opened: Points | None
    room: Points | None
    is_late: bool
    text: str
    rule: Rule

    @property
    def cut_off(self) -> Points:
        """What the caps cut off."""
        return self.transfer.due - self.transfer.paid


@dataclass(frozen=True, slots=True)
class ExplainedStack:
    """What a player had before the payments of a hand, what they brought him, and what he has after them."""

    seat: Seat
    before: Points
    due: Points
    paid: Points
    after: Points


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about the whole hand, and its rule."""

    text: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class ExplainedHand:
    """
    Explanations of the points of a hand.

    Attributes:
        names: what players are called, by seat, everyone of the round.
        remarks: what is to be said of the hand as a whole, before its boards.
        totals: under scope `round`, what has added up between each pair; empty elsewhere.
        payments: in order; None where stacks or button are not known.
        payment_remark: what is to be said where nothing was paid, or of when it was.
        stacks: of everyone of the round, before and after these payments; None where the payments are.
    """

    ruleset: Ruleset
    number: int | None
    button: Seat | None
    names: Mapping[Seat, str]
    remarks: tuple[Remark, ...]
    boards: tuple[ExplainedBoard, ...]
    exchanges: tuple[ExplainedExchange, ...]
    totals: tuple[ExplainedTotal, ...]
    payments: tuple[ExplainedPayment, ...] | None
    payment_remark: Remark | None
    stacks: tuple[ExplainedStack, ...] | None
