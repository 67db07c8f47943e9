"""Explanations on the wire."""

from dataclasses import dataclass
from typing import Final

from schemas.base import Dumped, WireSchema
from schemas.explained_boards import ROWS, ExplainedPlayerSchema, RuleField, SentenceField, dump_board, dump_cards
from schemas.fields import (
    MOST_INTEGER,
    Boolean,
    CardList,
    Choice,
    Inner,
    Integer,
    Listing,
    Text,
    UuidField,
)
from schemas.hands import MOST_HANDS, MOST_PLAYERS, PlayerField, SeatField, StackField
from schemas.pages import QuerySchema, RevisionField
from schemas.scores import TransferSchema, dump_transfer
from scoring.explanation.reasons import (
    ExplainedExchange,
    ExplainedHand,
    ExplainedPayment,
    ExplainedStack,
    ExplainedTotal,
    Part,
    Reason,
    Remark,
)

_MOST_PAIRS: Final = 6
_MOST_REASONS: Final = 16
_MOST_CARDS: Final = 26


class RemarkSchema(WireSchema):
    """A sentence about the whole hand."""

    text = SentenceField()
    rule = RuleField()


class ReasonSchema(WireSchema):
    """Points for one thing, signed from the first seat's side; `seat` earns them, null where nobody does."""

    part = Choice({part.value: part for part in Part}, required=True)
    points = Integer(required=True)
    seat = SeatField(required=True, allow_none=True)
    row = Choice(ROWS, required=True, allow_none=True)
    first = CardList(most=_MOST_CARDS, required=True, metadata={"description": "The first seat's, that decide it."})
    second = CardList(most=_MOST_CARDS, required=True, metadata={"description": "The second seat's, that decide it."})
    text = SentenceField()
    rule = RuleField()


class ExplainedExchangeSchema(WireSchema):
    """Points between two players, signed from the first seat's side: what the reasons add up to."""

    seats = Listing(SeatField(), least=2, most=2, required=True)
    points = Integer(required=True)
    reasons = Listing(Inner(ReasonSchema), most=_MOST_REASONS, required=True)


class TotalSchema(WireSchema):
    """What has added up between two players over the round, signed from the first seat's side."""

    seats = Listing(SeatField(), least=2, most=2, required=True)
    before = Integer(required=True)
    points = Integer(required=True, metadata={"description": "Those of this hand."})
    after = Integer(required=True)
    text = SentenceField()
    rule = RuleField()


class ExplainedPaymentSchema(TransferSchema):
    """A payment, with the stacks before and after it. Without caps, what is due would have been paid."""

    payer_had = StackField(least=0, most=MOST_INTEGER, required=True)
    payee_had = StackField(least=0, most=MOST_INTEGER, required=True)
    payee_opened = StackField(
        least=0,
        most=MOST_INTEGER,
        required=True,
        allow_none=True,
        metadata={"description": "What the winner opened the scope with, where that limits him."},
    )
    room = StackField(
        least=0,
        most=MOST_INTEGER,
        required=True,
        allow_none=True,
        metadata={"description": "How much more the winner could win; null where nothing limits him."},
    )
    cut_off = StackField(least=0, most=MOST_INTEGER, required=True)
    late = Boolean(
        required=True,
        metadata={"description": "Paid not with the hand, but by the departure or closing that ended the round."},
    )
    text = SentenceField()
    rule = RuleField()


class ExplainedStackSchema(WireSchema):
    """What a player of the round had before these payments, what they brought him, and what he has after them."""

    seat = SeatField(required=True)
    player = PlayerField(required=True)
    before = StackField(least=0, most=MOST_INTEGER, required=True, metadata={"description": "With what he added."})
    due = Integer(required=True, metadata={"description": "What they would have brought him without caps."})
    paid = Integer(required=True)
    after = StackField(least=0, most=MOST_INTEGER, required=True)


_MOST_REMARKS: Final = 6 * MOST_PLAYERS
"""For each player what he adds, and what he could not have been; and what could not be of the hand as a whole."""


class ExplanationSchema(WireSchema):
    """Why a hand came to what it came to: every point with the cards that decide it, every cap with the stacks."""

    hand = UuidField(required=True)
    round = UuidField(required=True)
    revision = Integer(least=1, required=True)
    in_force = Boolean(required=True, metadata={"description": "Whether the hand counts, as the round stands now."})
    number = Integer(least=1, most=MOST_HANDS, required=True)
    button = SeatField(required=True)
    ruleset = Text(required=True, metadata={"example": "pineapple@1"})
    remarks = Listing(Inner(RemarkSchema), most=_MOST_REMARKS, required=True)
    players = Listing(Inner(ExplainedPlayerSchema), most=MOST_PLAYERS, required=True)
    exchanges = Listing(Inner(ExplainedExchangeSchema), most=_MOST_PAIRS, required=True)
    totals = Listing(
        Inner(TotalSchema),
        most=_MOST_PAIRS,
        required=True,
        metadata={"description": "Under scope `round`; empty elsewhere."},
    )
    payments = Listing(Inner(ExplainedPaymentSchema), most=_MOST_PAIRS, required=True)
    payment_remark = Inner(RemarkSchema, required=True, allow_none=True)
    stacks = Listing(Inner(ExplainedStackSchema), most=MOST_PLAYERS, required=True)


class ExplanationQuerySchema(QuerySchema):
    """Which revision of the hand's round; the newest that has the hand where none is named."""

    revision = RevisionField()


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """A recorded hand explained, in a revision of its round."""

    hand: str
    round: str
    revision: int
    in_force: bool
    explained: ExplainedHand


def dump_explanation_view(view: ExplanationView) -> Dumped:
    """Write the explanation of a recorded hand."""
    return {
        "hand": view.hand,
        "round": view.round,
        "revision": view.revision,
        "in_force": view.in_force,
        **dump_explanation(view.explained),
    }


def dump_explanation(explained: ExplainedHand) -> Dumped:
    """Write an explanation; payments and stacks are null where they cannot be known."""
    payments, stacks = explained.payments, explained.stacks
    return {
        "number": explained.number,
        "button": explained.button,
        "ruleset": str(explained.ruleset),
        "remarks": [_dump_remark(remark) for remark in explained.remarks],
        "players": [dump_board(board, explained.names[board.seat]) for board in explained.boards],
        "exchanges": [_dump_exchange(exchange) for exchange in explained.exchanges],
        "totals": [_dump_total(total) for total in explained.totals],
        "payments": None if payments is None else [_dump_payment(payment) for payment in payments],
        "payment_remark": _dump_remark(explained.payment_remark) if explained.payment_remark else None,
        "stacks": None if stacks is None else [_dump_stack(stack, explained.names[stack.seat]) for stack in stacks],
    }


def _dump_remark(remark: Remark) -> Dumped:
    return {"text": remark.text, "rule": remark.rule.value}


def _dump_exchange(exchange: ExplainedExchange) -> Dumped:
    return {
        "seats": [exchange.first, exchange.second],
        "points": exchange.points,
        "reasons": [_dump_reason(reason) for reason in exchange.reasons],
    }


def _dump_reason(reason: Reason) -> Dumped:
    return {
        "part": reason.part.value,
        "points": reason.points,
        "seat": reason.seat,
        "row": reason.row.value if reason.row else None,
        "first": dump_cards(reason.first),
        "second": dump_cards(reason.second),
        "text": reason.text,
        "rule": reason.rule.value,
    }


def _dump_total(total: ExplainedTotal) -> Dumped:
    return {
        "seats": [total.first, total.second],
        "before": total.before,
        "points": total.points,
        "after": total.after,
        "text": total.text,
        "rule": total.rule.value,
    }


def _dump_payment(payment: ExplainedPayment) -> Dumped:
    return {
        **dump_transfer(payment.transfer),
        "payer_had": payment.payer_had,
        "payee_had": payment.payee_had,
        "payee_opened": payment.payee_opened,
        "room": payment.room,
        "cut_off": payment.cut_off,
        "late": payment.is_late,
        "text": payment.text,
        "rule": payment.rule.value,
    }


def _dump_stack(stack: ExplainedStack, player: str) -> Dumped:
    return {
        "seat": stack.seat,
        "player": player,
        "before": stack.before,
        "due": stack.due,
        "paid": stack.paid,
        "after": stack.after,
    }
