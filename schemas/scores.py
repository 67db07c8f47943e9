"""Hands to score, and the results of scored and recorded hands."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evidence.hands import build_player
from schemas.base import Dumped, WireSchema, load
from schemas.fields import (
    MOST_INTEGER,
    Boolean,
    Choice,
    Dictionary,
    ExpectedField,
    Inner,
    Integer,
    Listing,
    Text,
    Time,
    UuidField,
    show_time,
)
from schemas.game_fields import MOST_PLAYERS, PlayerField, ReferenceField, RulesetReference, SeatField, StackField
from schemas.hands import HAND_REFERENCE, HandView, PlayerHandSchema, ReasonsField, find_dealt_mistakes
from schemas.json_schema import CompiledSchema
from schemas.metadata import MetadataField
from schemas.pages import InPeriod, PageQuerySchema, PageSchema, QueryBoolean, RevisionField
from schemas.problems import dump_mistakes
from schemas.rounds import RoundSchema, RoundView, dump_round
from schemas.settlements import TransferSchema, dump_points, dump_transfers
from scoring.board import Row
from scoring.description import describe
from scoring.errors import Mistake
from scoring.exchange import Exchange, ScoredBoard
from scoring.foul import FoulReason
from scoring.hand import Seat
from scoring.ruleset import Points, Ruleset
from scoring.score import HandScore
from scoring.single_hand import SingleHandPlayer, SingleHandScore
from scoring.strength import CATEGORY_BY_LABEL


class ScoreRequestPlayerSchema(PlayerHandSchema):
    """A player's board to score, optionally with their stack."""

    player = PlayerField(
        load_default=None, allow_none=True, description="The operator's ID of the player, repeated in the response."
    )
    stays = Integer(
        least=0, load_default=0, description="Number of times in a row that the player has stayed in Fantasyland."
    )
    stack = StackField(
        least=0,
        load_default=None,
        allow_none=True,
        description="Points that the player has. Transfers require the stack of every player.",
    )
    opening_stack = StackField(
        least=0,
        load_default=None,
        allow_none=True,
        description="Points that the player started the scope of the stakes with. The stack if omitted.",
    )


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """A hand to score without storing it."""

    ruleset: str
    button: Seat | None
    players: tuple[SingleHandPlayer, ...]
    expected: Mapping[str, Any] | None


class ScoreRequestSchema(CompiledSchema):
    """A hand to score without storing it. With a button and every player's stack, the response includes transfers."""

    ruleset = RulesetReference(
        required=True, description="Ruleset to score under, as a name (newest version) or `name@version`."
    )
    button = SeatField(
        load_default=None, allow_none=True, description="Seat with the dealer button. Transfers require it."
    )
    players = Listing(
        Inner(ScoreRequestPlayerSchema),
        least=1,
        most=MOST_PLAYERS,
        required=True,
        description="The players of the hand with their boards.",
    )
    expected = ExpectedField()

    def find_more(self, received: Any) -> Iterator[Mistake]:
        """List duplicate cards and seats."""
        return find_dealt_mistakes(received)

    def build(self, received: dict[str, Any]) -> ScoreRequest:
        """Build the request."""
        players = tuple(
            SingleHandPlayer(
                build_player(player),
                player.get("player"),
                int(player.get("stays", 0)),
                _integer(player.get("stack")),
                _integer(player.get("opening_stack")),
            )
            for player in received["players"]
        )
        return ScoreRequest(received["ruleset"], _integer(received.get("button")), players, received.get("expected"))


def _integer(number: float | None) -> int | None:
    return None if number is None else int(number)


class ScoredRowSchema(WireSchema):
    """A row and its royalty."""

    category = Choice(CATEGORY_BY_LABEL, required=True, description="Category of the row.")
    description = Text(
        required=True,
        metadata={"example": "pair of queens, four kicker"},
        description="The hand that the row makes, in words.",
    )
    royalty = Integer(required=True, description="Royalty points of the row. 0 if the board is foul.")


class ScoredRowsSchema(WireSchema):
    """The three rows of a board."""

    top = Inner(ScoredRowSchema, required=True, description="The top row.")
    middle = Inner(ScoredRowSchema, required=True, description="The middle row.")
    bottom = Inner(ScoredRowSchema, required=True, description="The bottom row.")


class ScoredPlayerSchema(WireSchema):
    """A player's board and its result."""

    seat = SeatField(required=True, description="Seat of the player.")
    player = Text(allow_none=True, description="The operator's ID of the player. Null if it is not known.")
    foul = Boolean(required=True, description="True if the board is foul.")
    foul_reason = Choice(
        {reason.value: reason for reason in FoulReason},
        required=True,
        allow_none=True,
        description="Why the board is foul. Null if it is not.",
    )
    royalties = Integer(required=True, description="Sum of the royalty points of the board. 0 if it is foul.")
    points = Integer(required=True, description="Sum of the player's points over all exchanges, before caps.")
    fantasyland = Integer(
        required=True, description="Number of Fantasyland cards that the board earned. 0 if it earned none."
    )
    rows = Inner(ScoredRowsSchema, required=True, description="The rows of the board.")


class RowResultsSchema(WireSchema):
    """The result of each row: 1 if the first player wins, -1 if the second player wins, 0 for a tie."""

    top = Integer(least=-1, most=1, required=True, description="Result of the top row.")
    middle = Integer(least=-1, most=1, required=True, description="Result of the middle row.")
    bottom = Integer(least=-1, most=1, required=True, description="Result of the bottom row.")


class ExchangeSchema(WireSchema):
    """Head-to-head points of one hand, before caps. Positive points are for the first player."""

    seats = Listing(
        SeatField(), least=2, most=2, required=True, description="Seats of the first and the second player."
    )
    rows = Inner(
        RowResultsSchema,
        required=True,
        description="Result of each row: 1 if the first player wins, -1 if the second player wins, 0 for a tie.",
    )
    row_points = Integer(required=True, description="Points for the first player from rows.")
    bonus = Integer(required=True, description="Points for the first player from the majority or scoop bonus.")
    foul = Integer(required=True, description="Points for the first player from foul penalties.")
    royalties = Integer(required=True, description="Points for the first player from royalties.")
    points = Integer(required=True, description="Points for the first player: `row_points + bonus + foul + royalties`.")


class HandScoreSchema(WireSchema):
    """The result of a hand."""

    ruleset = Text(
        required=True, metadata={"example": "pineapple@1"}, description="Ruleset of the result, as `name@version`."
    )
    players = Listing(
        Inner(ScoredPlayerSchema), most=MOST_PLAYERS, required=True, description="The players' boards and results."
    )
    exchanges = Listing(
        Inner(ExchangeSchema), most=6, required=True, description="Head-to-head points, in the order of payment."
    )
    transfers = Listing(
        Inner(TransferSchema),
        most=6,
        required=True,
        allow_none=True,
        description="Points paid after caps, in order. Null if a stack or the button is not known.",
    )
    stacks = Dictionary(
        StackField(least=0, most=MOST_INTEGER),
        required=True,
        allow_none=True,
        description="Stacks after the transfers, by seat. Null if a stack or the button is not known.",
    )


class RecordedHandSchema(HandScoreSchema):
    """A recorded hand and its result."""

    id = UuidField(required=True, description="ID of the hand.")
    number = Integer(least=1, required=True, description="Number of the hand in the round, from 1.")
    button = SeatField(required=True, description="Seat with the dealer button.")
    played_at = Time(
        required=True, allow_none=True, description="Time when the hand was played. Null if it is not known."
    )
    recorded_at = Time(required=True, description="Time when the service stored the hand.")
    in_force = Boolean(required=True, description="False if the hand was undone or corrected and no longer counts.")
    reference = ReferenceField(required=True, description=f"{HAND_REFERENCE} Null if it has none.")
    irregular = ReasonsField(
        required=True, description="Why the hand does not follow the hands before it. Empty if it does."
    )


class RecordedHandWithRoundSchema(RecordedHandSchema):
    """A recorded hand and its result, its metadata, and the round as it is now."""

    metadata = MetadataField(required=True)
    round = Inner(RoundSchema, required=True, description="The round as it is now.")


class HandQuerySchema(PageQuerySchema):
    """The page and the revision of a list of hands."""

    revision = RevisionField(description="Number of the round's revision. The newest revision if omitted.")


class ListedHandSchema(RecordedHandSchema):
    """A recorded hand of a round, and its result."""

    corrected = Boolean(required=True, description="True if a correction recorded the hand in place of another record.")


class HandPageSchema(PageSchema):
    """One page of hands, in the order in which they were played."""

    hands = Listing(
        Inner(ListedHandSchema),
        most=100,
        required=True,
        description="The hands of this page, in the order in which they were played.",
    )


class FoundHandSchema(RecordedHandSchema):
    """A recorded hand of any round, and its result."""

    round = UuidField(required=True, description="ID of the round.")


class HandFilterSchema(InPeriod, PageQuerySchema):
    """Filters of the club's hands."""

    period = ("played_from", "played_before")

    player = PlayerField(description="Find only hands that were dealt to the player with this ID.")
    table_id = UuidField(data_key="table", description="Find only hands of the table with this ID.")
    played_from = Time(data_key="from", description="Find only hands played, or else recorded, at or after this time.")
    played_before = Time(data_key="to", description="Find only hands played, or else recorded, before this time.")
    ruleset = RulesetReference(
        description="Find only hands scored under this ruleset, as a name (any version) or `name@version`."
    )
    hand_reference = ReferenceField(
        data_key="reference",
        allow_none=False,
        description="Find only the hand with this reference: one, or none if it was undone.",
    )
    foul = QueryBoolean(
        description="Find only hands with a foul board, or without one; with `player`, only their board counts."
    )
    fantasyland = QueryBoolean(
        description="Find only hands with a player in Fantasyland, or without one; with `player`, only they count."
    )


class FoundHandPageSchema(PageSchema):
    """One page of the club's hands, newest recorded first."""

    hands = Listing(
        Inner(FoundHandSchema), most=100, required=True, description="The hands of this page, newest recorded first."
    )


_SCORE_REQUEST: Final = ScoreRequestSchema()


def load_score_request(received: object) -> ScoreRequest:
    """
    Parse a hand to score without storing it.

    Raises:
        WireError: it is not valid.
    """
    request: ScoreRequest = load(_SCORE_REQUEST, received)
    return request


def dump_score(ruleset: Ruleset, score: HandScore, players: Mapping[Seat, str | None]) -> Dumped:
    """Encode boards and head-to-head points; the caller adds transfers and stacks."""
    return {
        "ruleset": str(ruleset),
        "players": [
            _dump_board(board, score.points[board.seat], ruleset, players.get(board.seat)) for board in score.boards
        ],
        "exchanges": [dump_exchange(exchange) for exchange in score.exchanges],
    }


def dump_single_hand(ruleset: Ruleset, single: SingleHandScore, players: Iterable[SingleHandPlayer]) -> Dumped:
    """Encode the result of a hand without a round; transfers and stacks are null if they are not known."""
    settlement = single.settlement
    return {
        **dump_score(ruleset, single.score, {player.seat: player.player for player in players}),
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
                "description": str(describe(strength, as_low=ruleset.low_middle and row is Row.MIDDLE)),
                "royalty": board.royalties[row],
            }
            for row, strength in board.strengths.items()
        },
    }


def dump_exchange(exchange: Exchange) -> Dumped:
    """Encode head-to-head points and what they are for."""
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


def dump_hand_with_round(recorded: HandView, view: RoundView) -> Dumped:
    """Encode a recorded hand with its metadata, and its round as it is now."""
    return {**dump_recorded_hand(recorded), "metadata": dict(recorded.metadata), "round": dump_round(view)}


def dump_recorded_hand(recorded: HandView) -> Dumped:
    """Encode a recorded hand; the caller adds the round."""
    return {
        "id": recorded.id,
        "number": recorded.hand.number,
        "button": recorded.hand.button,
        "played_at": show_time(recorded.played_at),
        "recorded_at": show_time(recorded.recorded_at),
        "in_force": recorded.in_force,
        "reference": recorded.reference,
        "irregular": dump_mistakes(recorded.irregular),
        **dump_score(recorded.ruleset, recorded.score, recorded.players),
        "transfers": dump_transfers(recorded.transfers),
        "stacks": dump_points(recorded.stacks),
    }


def dump_listed_hand(recorded: HandView) -> Dumped:
    """Encode a recorded hand for the list of its round."""
    return {**dump_recorded_hand(recorded), "corrected": recorded.is_corrected}
