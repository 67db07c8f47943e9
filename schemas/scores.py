"""What a hand comes to, on the wire."""

from collections.abc import Iterable, Mapping

from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Boolean, Choice, Inner, Integer, Listing, Table, Text
from schemas.hands import MOST_PLAYERS, SeatField, StackField
from scoring.board import Row
from scoring.description import describe
from scoring.exchange import Exchange, ScoredBoard
from scoring.foul import FoulReason
from scoring.hand import Seat
from scoring.lone_hand import LonePlayer, LoneScore
from scoring.ruleset import Points, Ruleset
from scoring.score import HandScore
from scoring.settlement import LimitedBy, Transfer
from scoring.strength import CATEGORY_BY_LABEL


class ScoredRowSchema(WireSchema):
    """What a row is, and what it earns."""

    category = Choice(CATEGORY_BY_LABEL, required=True)
    description = Text(required=True, metadata={"example": "pair of queens, four kicker"})
    royalty = Integer(required=True)


class ScoredRowsSchema(WireSchema):
    """The three rows."""

    top = Inner(ScoredRowSchema, required=True)
    middle = Inner(ScoredRowSchema, required=True)
    bottom = Inner(ScoredRowSchema, required=True)


class ScoredPlayerSchema(WireSchema):
    """What a player's board comes to."""

    seat = SeatField(required=True)
    player = Text(allow_none=True)
    foul = Boolean(required=True)
    foul_reason = Choice({reason.value: reason for reason in FoulReason}, required=True, allow_none=True)
    royalties = Integer(required=True)
    points = Integer(required=True, metadata={"description": "Over all exchanges, before any cap."})
    fantasyland = Integer(required=True, metadata={"description": "Cards that this board earned; 0 for none."})
    rows = Inner(ScoredRowsSchema, required=True)


class RowResultsSchema(WireSchema):
    """Who won each row: 1 the first seat, -1 the second, 0 nobody."""

    top = Integer(least=-1, most=1, required=True)
    middle = Integer(least=-1, most=1, required=True)
    bottom = Integer(least=-1, most=1, required=True)


class ExchangeSchema(WireSchema):
    """Points between two players, signed from the first seat's side."""

    seats = Listing(SeatField(), least=2, most=2, required=True)
    rows = Inner(RowResultsSchema, required=True)
    row_points = Integer(required=True)
    bonus = Integer(required=True)
    foul = Integer(required=True)
    royalties = Integer(required=True)
    points = Integer(required=True, metadata={"description": "row_points + bonus + foul + royalties."})


class TransferSchema(WireSchema):
    """Points paid, in order; the stacks are those after it."""

    order = Integer(least=1, required=True)
    payer = SeatField(required=True)
    payee = SeatField(required=True)
    due = Integer(least=1, required=True)
    paid = Integer(least=0, required=True)
    limited_by = Choice({limit.value: limit for limit in LimitedBy}, required=True, allow_none=True)
    payer_stack = StackField(least=0, most=MOST_INTEGER, required=True)
    payee_stack = StackField(least=0, most=MOST_INTEGER, required=True)


class ScoreSchema(WireSchema):
    """What a hand comes to."""

    ruleset = Text(required=True, metadata={"example": "pineapple@1"})
    players = Listing(Inner(ScoredPlayerSchema), most=MOST_PLAYERS, required=True)
    exchanges = Listing(Inner(ExchangeSchema), most=6, required=True)
    transfers = Listing(Inner(TransferSchema), most=6, required=True, allow_none=True)
    stacks = Table(StackField(least=0, most=MOST_INTEGER), required=True, allow_none=True)


def dump_score(ruleset: Ruleset, score: HandScore, players: Mapping[Seat, str | None]) -> Dumped:
    """Write what boards and pairs come to; transfers and stacks are the caller's to add."""
    return {
        "ruleset": str(ruleset),
        "players": [
            _dump_board(board, score.points[board.seat], ruleset, players.get(board.seat)) for board in score.boards
        ],
        "exchanges": [dump_exchange(exchange) for exchange in score.exchanges],
    }


def dump_lone_score(ruleset: Ruleset, lone: LoneScore, players: Iterable[LonePlayer]) -> Dumped:
    """Write what a hand without its round comes to; transfers and stacks are null where they cannot be known."""
    settlement = lone.settlement
    return {
        **dump_score(ruleset, lone.score, {player.seat: player.player for player in players}),
        "transfers": None if settlement is None else dump_transfers(settlement.transfers),
        "stacks": None if settlement is None else dump_points(settlement.stacks),
    }


def _dump_board(board: ScoredBoard, points: Points, ruleset: Ruleset, player: str | None) -> Dumped:
    return {
        "seat": board.seat,
        "player": player,
        "foul": board.foul is not None,
        "foul_reason": board.foul.value if board.foul else None,
        "royalties": board.royalty_points,
        "points": points,
        "fantasyland": board.earned.cards if board.earned else 0,
        "rows": {
            row.value: {
                "category": strength.category.label,
                "description": describe(strength, as_low=ruleset.low_middle and row is Row.MIDDLE),
                "royalty": board.royalties[row],
            }
            for row, strength in board.strengths.items()
        },
    }


def dump_exchange(exchange: Exchange) -> Dumped:
    """Write the points between two players, and where they come from."""
    detail = exchange.breakdown
    assert detail is not None, "exchanges of a hand say where their points come from"
    return {
        "seats": [exchange.first, exchange.second],
        "rows": {row.value: won for row, won in detail.rows.items()},
        "row_points": detail.row_points,
        "bonus": detail.bonus,
        "foul": detail.foul,
        "royalties": detail.royalties,
        "points": exchange.points,
    }


def dump_transfers(transfers: Iterable[Transfer]) -> list[Dumped]:
    """Write payments in order."""
    return [dump_transfer(transfer) for transfer in transfers]


def dump_transfer(transfer: Transfer) -> Dumped:
    """Write one payment."""
    return {
        "order": transfer.order,
        "payer": transfer.payer,
        "payee": transfer.payee,
        "due": transfer.due,
        "paid": transfer.paid,
        "limited_by": transfer.limited_by.value if transfer.limited_by else None,
        "payer_stack": transfer.payer_stack,
        "payee_stack": transfer.payee_stack,
    }


def dump_points(points: Mapping[Seat, Points]) -> dict[str, Points]:
    """Write points by seat, the lowest seat first."""
    return {str(seat): points[seat] for seat in sorted(points)}
