"""Boards explained on the wire: what each row earns, why a board is foul, and what it does about Fantasyland."""

from typing import Any, Final

from schemas.base import Dumped, WireSchema
from schemas.fields import Boolean, CardList, Choice, Inner, Integer, Listing, Text
from schemas.hands import PlayerField, SeatField
from scoring.board import Row
from scoring.explanation.reasons import ExplainedBoard, ExplainedFantasyland, ExplainedFoul, Royalty, Rule
from scoring.foul import FoulReason
from scoring.hand import Cards
from scoring.ruleset import MOST_FANTASYLAND

_RULES: Final = {rule.value: rule for rule in Rule}
ROWS: Final = {row.value: row for row in Row}


class SentenceField(Text):
    """A sentence for a player."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=2000, required=True, **options)


class RuleField(Choice):
    """A heading of docs/rules.md."""

    def __init__(self) -> None:
        described = {"description": "The heading of docs/rules.md that says so."}
        super().__init__(_RULES, required=True, metadata=described)


class RoyaltySchema(WireSchema):
    """What a row earns: `made` is what the ruleset's royalty table calls it, and the cards those that make it."""

    made = Text(required=True, metadata={"example": "QQ"})
    points = Integer(required=True)
    cards = CardList(most=5, required=True)
    text = SentenceField()
    rule = RuleField()


class ExplainedRowSchema(WireSchema):
    """A row, and what it earns."""

    cards = CardList(most=5, required=True)
    description = Text(required=True, metadata={"example": "pair of queens, four kicker"})
    royalty = Inner(RoyaltySchema, required=True, allow_none=True)


class ExplainedRowsSchema(WireSchema):
    """The three rows."""

    top = Inner(ExplainedRowSchema, required=True)
    middle = Inner(ExplainedRowSchema, required=True)
    bottom = Inner(ExplainedRowSchema, required=True)


class ExplainedFoulSchema(WireSchema):
    """Why a board is foul: the rows that are out of order and, in their order, the cards that show it."""

    reason = Choice({reason.value: reason for reason in FoulReason}, required=True)
    rows = Listing(Choice(ROWS), most=2, required=True)
    cards = Listing(CardList(most=5), most=2, required=True)
    text = SentenceField()
    rule = RuleField()


class ExplainedFantasylandSchema(WireSchema):
    """What a board does about Fantasyland: the rows that earn it and, in their order, the cards that do."""

    dealt = Integer(
        least=0, most=MOST_FANTASYLAND, required=True, metadata={"description": "Cards dealt there; 0 outside."}
    )
    earned = Integer(
        least=0, most=MOST_FANTASYLAND, required=True, metadata={"description": "Cards earned; 0 for none."}
    )
    lost = Boolean(
        required=True, metadata={"description": "Earned, and never dealt: the player is out, or the round has ended."}
    )
    rows = Listing(Choice(ROWS), most=3, required=True)
    cards = Listing(CardList(most=5), most=3, required=True)
    text = SentenceField()
    rule = RuleField()


class ExplainedPlayerSchema(WireSchema):
    """A player's board, and what it comes to by itself."""

    seat = SeatField(required=True)
    player = PlayerField(required=True)
    points = Integer(required=True, metadata={"description": "Over all exchanges, before any cap."})
    royalties = Integer(required=True)
    foul = Inner(ExplainedFoulSchema, required=True, allow_none=True)
    fantasyland = Inner(
        ExplainedFantasylandSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Null where the board has nothing to do with it."},
    )
    rows = Inner(ExplainedRowsSchema, required=True)


def dump_board(board: ExplainedBoard, player: str) -> Dumped:
    """Write a player's board, and what it comes to by itself."""
    royalties = {royalty.row: royalty for royalty in board.royalties}
    return {
        "seat": board.seat,
        "player": player,
        "points": board.points,
        "royalties": board.royalty_points,
        "foul": _dump_foul(board.foul) if board.foul else None,
        "fantasyland": _dump_fantasyland(board.fantasyland) if board.fantasyland else None,
        "rows": {
            row.value: {
                "cards": dump_cards(cards),
                "description": board.descriptions[row],
                "royalty": _dump_royalty(royalties[row]) if row in royalties else None,
            }
            for row, cards in board.cards.items()
        },
    }


def _dump_royalty(royalty: Royalty) -> Dumped:
    return {
        "made": royalty.made,
        "points": royalty.points,
        "cards": dump_cards(royalty.cards),
        "text": royalty.text,
        "rule": royalty.rule.value,
    }


def _dump_foul(foul: ExplainedFoul) -> Dumped:
    return {
        "reason": foul.reason.value,
        "rows": [row.value for row in foul.rows],
        "cards": [dump_cards(cards) for cards in foul.cards],
        "text": foul.text,
        "rule": foul.rule.value,
    }


def _dump_fantasyland(fantasyland: ExplainedFantasyland) -> Dumped:
    return {
        "dealt": fantasyland.dealt,
        "earned": fantasyland.earned,
        "lost": fantasyland.is_lost,
        "rows": [row.value for row in fantasyland.rows],
        "cards": [dump_cards(cards) for cards in fantasyland.cards],
        "text": fantasyland.text,
        "rule": fantasyland.rule.value,
    }


def dump_cards(cards: Cards) -> list[str]:
    """Write the cards that decide something."""
    return [str(card) for card in cards]
