"""The parts of an explanation: figures, the deciding cards, a sentence, and the rule."""

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
    IRREGULAR = "Hands accepted as played"
    PAYMENT_ORDER = "Order of payment"
    CAPS = "What caps a payment"
    SCOPE = "Scope of the stakes"


class Part(StrEnum):
    """The part of an exchange that points belong to."""

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
    Points between two players and their reason, as points for the first player.

    `seat` earns them, None if nobody does; `first` and `second` are the deciding cards of each.
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
    """The points between two players: the sum of all reasons."""

    first: Seat
    second: Seat
    points: Points
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Royalty:
    """A royalty: its points, the cards that earn it, and its name in the royalty table."""

    row: Row
    name: str
    points: Points
    cards: Cards
    text: str
    rule: Rule = Rule.ROYALTIES


@dataclass(frozen=True, slots=True)
class ExplainedFoul:
    """The rows that make a board foul, and the deciding cards of each."""

    reason: FoulReason
    rows: tuple[Row, ...]
    cards: tuple[Cards, ...]
    text: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class ExplainedFantasyland:
    """
    How a board affects Fantasyland, and why.

    Attributes:
        dealt: the Fantasyland cards dealt, 0 in an ordinary hand.
        earned: how many cards the board earns for the next hand, 0 for none.
        is_lost: whether they will not be dealt, because the player is busted or the round has ended.
        rows: the rows that earn it.
        cards: the cards that earn it, by row.
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
    """A single board; `points` are the player's over all exchanges, before caps."""

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
    """The points added up between two players over the round, as points for the first player."""

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
    A payment, the stacks before it, and the effect of caps.

    Attributes:
        transfer: the points due and paid, and the stacks after the payment.
        payer_had: the payer's stack before it.
        payee_had: the winner's stack before it.
        payee_opened: the winner's opening stack of the scope, if it limits the payment.
        room: how much more the winner could win; None without a limit.
        is_late: whether it was paid by the departure or closing that ended the round.
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
        """The points that caps cut off."""
        return self.transfer.due - self.transfer.paid


@dataclass(frozen=True, slots=True)
class ExplainedStack:
    """A player's stack before the payments of a hand, the points due and paid, and the stack after them."""

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
        names: the names of all players of the round, by seat.
        remarks: remarks about the whole hand, shown before its boards.
        totals: under scope `round`, the points added up between each pair; otherwise empty.
        payments: the payments in order; None if the stacks or the button are unknown.
        payment_remark: why nothing was paid, or when it was paid.
        stacks: the stacks of all players before and after the payments; None if `payments` is None.
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
