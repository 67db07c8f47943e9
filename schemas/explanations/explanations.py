"""Explanations of a hand: every point with the deciding cards, every cap with the stacks."""

from dataclasses import dataclass
from typing import Any, Final

from schemas.base import WireSchema
from schemas.fields import MOST_INTEGER, Boolean, Choice, Inner, Integer, Listing, Text, UuidField
from schemas.game_fields import MOST_HANDS, MOST_PLAYERS, CardList, PlayerField, SeatField, StackField
from schemas.pages import QuerySchema, RevisionField
from schemas.settlements import TransferSchema
from scoring.board import Row
from scoring.explanation.reasons import ExplainedHand, Part, Rule
from scoring.foul import FoulReason
from scoring.ruleset import MOST_FANTASYLAND

_RULES: Final = {rule.value: rule for rule in Rule}
ROWS: Final = {row.value: row for row in Row}


class SentenceField(Text):
    """A sentence for players."""

    default_description = "Explanation in one sentence, for players."

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=2000, required=True, **options)


class RuleField(Choice):
    """A heading of docs/rules.md."""

    default_description = "Heading of docs/rules.md that states the rule."

    def __init__(self) -> None:
        super().__init__(_RULES, required=True)


class ExplainedRoyaltySchema(WireSchema):
    """The royalty of a row, and the cards that earn it."""

    made = Text(
        required=True,
        metadata={"example": "QQ"},
        description="Entry of the ruleset's royalty table, for example `QQ` or `straight`.",
    )
    points = Integer(required=True, description="Points of the royalty.")
    cards = CardList(most=5, required=True, description="The cards that earn the royalty.")
    text = SentenceField()
    rule = RuleField()


class ExplainedRowSchema(WireSchema):
    """A row of a board, and its royalty."""

    cards = CardList(most=5, required=True, description="The cards of the row.")
    description = Text(
        required=True,
        metadata={"example": "pair of queens, four kicker"},
        description="The hand that the row makes, in words.",
    )
    royalty = Inner(
        ExplainedRoyaltySchema,
        required=True,
        allow_none=True,
        description="The royalty of the row. Null if it earns none.",
    )


class ExplainedRowsSchema(WireSchema):
    """The three rows of a board."""

    top = Inner(ExplainedRowSchema, required=True, description="The top row.")
    middle = Inner(ExplainedRowSchema, required=True, description="The middle row.")
    bottom = Inner(ExplainedRowSchema, required=True, description="The bottom row.")


class ExplainedFoulSchema(WireSchema):
    """Why a board is foul, and the cards that decide it."""

    reason = Choice(
        {reason.value: reason for reason in FoulReason}, required=True, description="Why the board is foul."
    )
    rows = Listing(Choice(ROWS), most=2, required=True, description="The rows that are out of order.")
    cards = Listing(
        CardList(most=5),
        most=2,
        required=True,
        description="The deciding cards of each row in `rows`, in the same order.",
    )
    text = SentenceField()
    rule = RuleField()


class ExplainedFantasylandSchema(WireSchema):
    """Fantasyland as dealt and earned by a board, and the cards that decide it."""

    dealt = Integer(
        least=0,
        most=MOST_FANTASYLAND,
        required=True,
        description="Number of cards dealt to the player in Fantasyland. 0 if the player was not in Fantasyland.",
    )
    earned = Integer(
        least=0,
        most=MOST_FANTASYLAND,
        required=True,
        description="Number of Fantasyland cards that the board earned. 0 if it earned none.",
    )
    lost = Boolean(
        required=True,
        description="True if the earned cards are never dealt: the player is busted, or the round has ended.",
    )
    rows = Listing(Choice(ROWS), most=3, required=True, description="The rows that earn Fantasyland.")
    cards = Listing(
        CardList(most=5),
        most=3,
        required=True,
        description="The deciding cards of each row in `rows`, in the same order.",
    )
    text = SentenceField()
    rule = RuleField()


class ExplainedPlayerSchema(WireSchema):
    """A player's board, explained on its own."""

    seat = SeatField(required=True, description="Seat of the player.")
    player = PlayerField(required=True)
    points = Integer(required=True, description="Sum of the player's points over all exchanges, before caps.")
    royalties = Integer(required=True, description="Sum of the royalty points of the board. 0 if it is foul.")
    foul = Inner(
        ExplainedFoulSchema, required=True, allow_none=True, description="Why the board is foul. Null if it is not."
    )
    fantasyland = Inner(
        ExplainedFantasylandSchema,
        required=True,
        allow_none=True,
        description="Fantasyland dealt or earned. Null if neither applies.",
    )
    rows = Inner(ExplainedRowsSchema, required=True, description="The rows of the board.")


_MOST_PAIRS: Final = 6
_MOST_REASONS: Final = 16
_MOST_CARDS: Final = 26


class RuleNoteSchema(WireSchema):
    """A note about a hand, and the rule that states it."""

    text = SentenceField(description="Note about the hand in one sentence, for players.")
    rule = RuleField()


class ExchangeReasonSchema(WireSchema):
    """Head-to-head points for one reason, such as a row or a royalty. Positive points are for the first player."""

    part = Choice(
        {part.value: part for part in Part},
        required=True,
        description="What the points are for: a row, majority, scoop, foul or royalty.",
    )
    points = Integer(
        required=True, description="Points for the first player; negative if the second player earns them."
    )
    seat = SeatField(
        required=True, allow_none=True, description="Seat of the player who earns the points. Null if no player does."
    )
    row = Choice(
        ROWS,
        required=True,
        allow_none=True,
        description="Row that the points are for. Null if they are for no single row.",
    )
    first = CardList(most=_MOST_CARDS, required=True, description="The deciding cards of the first player.")
    second = CardList(most=_MOST_CARDS, required=True, description="The deciding cards of the second player.")
    text = SentenceField()
    rule = RuleField()


class ExplainedExchangeSchema(WireSchema):
    """Head-to-head points of one hand with their reasons. Positive points are for the first player."""

    seats = Listing(
        SeatField(), least=2, most=2, required=True, description="Seats of the first and the second player."
    )
    points = Integer(required=True, description="Points for the first player, before caps: the sum over `reasons`.")
    reasons = Listing(
        Inner(ExchangeReasonSchema), most=_MOST_REASONS, required=True, description="What the points are for."
    )


class HeadToHeadTotalSchema(WireSchema):
    """Head-to-head points added up over the round. Positive points are for the first player."""

    seats = Listing(
        SeatField(), least=2, most=2, required=True, description="Seats of the first and the second player."
    )
    before = Integer(required=True, description="Points for the first player over the earlier hands of the round.")
    points = Integer(required=True, description="Points for the first player in this hand.")
    after = Integer(required=True, description="Points for the first player over the round, including this hand.")
    text = SentenceField()
    rule = RuleField()


class ExplainedPaymentSchema(TransferSchema):
    """A payment with the stacks before and after it, and the cap that limited it."""

    payer_had = StackField(
        least=0, most=MOST_INTEGER, required=True, description="The payer's stack before the payment."
    )
    payee_had = StackField(
        least=0, most=MOST_INTEGER, required=True, description="The payee's stack before the payment."
    )
    payee_opened = StackField(
        least=0,
        most=MOST_INTEGER,
        required=True,
        allow_none=True,
        description="The payee's opening stack, if the ruleset limits wins by it. Null otherwise.",
    )
    room = StackField(
        least=0,
        most=MOST_INTEGER,
        required=True,
        allow_none=True,
        description="Points that the payee could still win. Null if the ruleset does not limit wins.",
    )
    cut_off = StackField(
        least=0, most=MOST_INTEGER, required=True, description="Points due but not paid because of a cap."
    )
    late = Boolean(
        required=True,
        description="True if the payment was made not with the hand but when a departure or closing ended the round.",
    )
    text = SentenceField()
    rule = RuleField()


class ExplainedStackSchema(WireSchema):
    """A player's stack before and after the payments."""

    seat = SeatField(required=True, description="Seat of the player.")
    player = PlayerField(required=True)
    before = StackField(
        least=0,
        most=MOST_INTEGER,
        required=True,
        description="The player's stack before these payments, including top-ups.",
    )
    due = Integer(required=True, description="Points that the player would have won or, below zero, lost without caps.")
    paid = Integer(required=True, description="Points that the player won or, below zero, lost.")
    after = StackField(
        least=0, most=MOST_INTEGER, required=True, description="The player's stack after these payments."
    )


_MOST_REMARKS: Final = 6 * MOST_PLAYERS
"""Top-ups and irregularities of each player, and irregularities of the hand as a whole."""


class HandExplanationSchema(WireSchema):
    """The result of a hand, explained: every point with the deciding cards, every cap with the stacks."""

    hand = UuidField(required=True, description="ID of the hand.")
    round = UuidField(required=True, description="ID of the round.")
    revision = Integer(least=1, required=True, description="Number of the round's revision that is explained.")
    in_force = Boolean(required=True, description="False if the hand was undone or corrected and no longer counts.")
    number = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand in the round, from 1.")
    button = SeatField(required=True, description="Seat with the dealer button.")
    ruleset = Text(
        required=True, metadata={"example": "pineapple@1"}, description="Ruleset of the round, as `name@version`."
    )
    remarks = Listing(
        Inner(RuleNoteSchema), most=_MOST_REMARKS, required=True, description="Notes about the hand as a whole."
    )
    players = Listing(
        Inner(ExplainedPlayerSchema), most=MOST_PLAYERS, required=True, description="Every player's board, row by row."
    )
    exchanges = Listing(
        Inner(ExplainedExchangeSchema),
        most=_MOST_PAIRS,
        required=True,
        description="Head-to-head points, in the order of payment.",
    )
    totals = Listing(
        Inner(HeadToHeadTotalSchema),
        most=_MOST_PAIRS,
        required=True,
        description="Head-to-head totals of the round, if the stakes have scope `round`. Empty otherwise.",
    )
    payments = Listing(
        Inner(ExplainedPaymentSchema), most=_MOST_PAIRS, required=True, description="Payments of the hand, in order."
    )
    payment_remark = Inner(
        RuleNoteSchema, required=True, allow_none=True, description="Note about the payments. Null if there is none."
    )
    stacks = Listing(
        Inner(ExplainedStackSchema),
        most=MOST_PLAYERS,
        required=True,
        description="Every player's stack before and after the payments.",
    )


class ExplanationQuerySchema(QuerySchema):
    """Which revision of the round to explain."""

    revision = RevisionField(
        description="Number of the round's revision. The newest revision that has the hand if omitted."
    )


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """The explanation of a recorded hand, in one revision of its round."""

    hand: str
    round: str
    revision: int
    in_force: bool
    explained: ExplainedHand
