"""The comparison of a round before and after a correction or a what-if."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from evidence.hands import encode_rows
from schemas.base import Dumped, WireSchema
from schemas.fields import MOST_INTEGER, Boolean, Inner, Integer, Listing, Text
from schemas.game_fields import (
    MOST_HANDS,
    MOST_PLAYERS,
    PlayerField,
    SeatField,
    StackField,
)
from schemas.hands import HandView, ReasonsField
from schemas.problems import dump_mistakes
from schemas.rounds import DroppedDeparturesField, RoundSchema, RoundView, dump_dropped, dump_round
from schemas.scores import HandScoreSchema, ScoredPlayerSchema, dump_score
from schemas.settlements import Adjustment, SettlementAdjustmentSchema, dump_adjustment, dump_points, dump_transfers
from scoring.hand import Seat
from scoring.history import Departure
from scoring.ruleset import Points


class BoardSchema(WireSchema):
    """The cards of the three rows of a board."""

    top = Listing(Text(metadata={"example": "As"}), most=3, required=True, description="The 3 cards of the top row.")
    middle = Listing(
        Text(metadata={"example": "As"}), most=5, required=True, description="The 5 cards of the middle row."
    )
    bottom = Listing(
        Text(metadata={"example": "As"}), most=5, required=True, description="The 5 cards of the bottom row."
    )


class PlayerSnapshotSchema(ScoredPlayerSchema):
    """A player's board and its result, before or after a change."""

    dealt_fantasyland = Integer(
        required=True,
        description="Number of cards dealt to the player in Fantasyland. 0 if the player was not in Fantasyland.",
    )
    board = Inner(BoardSchema, required=True, description="The player's cards by row.")


class HandSnapshotSchema(HandScoreSchema):
    """A hand before or after a change. Its transfers include those that a departure or closing paid after it."""

    button = SeatField(required=True, description="Seat with the dealer button.")
    players = Listing(
        Inner(PlayerSnapshotSchema),
        most=MOST_PLAYERS,
        required=True,
        description="The players of the hand with their boards and results.",
    )
    irregular = ReasonsField(
        required=True, description="Why the hand does not follow the hands before it. Empty if it does."
    )


class HandComparisonSchema(WireSchema):
    """A hand that a change affects, before and after."""

    number = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand in the round, from 1.")
    before = Inner(
        HandSnapshotSchema,
        required=True,
        allow_none=True,
        description="The hand before the change. Null if the round had no hand with this number.",
    )
    after = Inner(
        HandSnapshotSchema,
        required=True,
        allow_none=True,
        description="The hand after the change. Null if the round no longer has a hand with this number.",
    )


class NetComparisonSchema(WireSchema):
    """A player's net points of the round, before and after a change."""

    player = PlayerField(required=True, description="The operator's ID of the player.")
    before = Integer(
        required=True,
        allow_none=True,
        description="Net points of the player before the change. Null if the player was not in the round.",
    )
    after = Integer(
        required=True,
        allow_none=True,
        description="Net points of the player after the change. Null if the player is no longer in the round.",
    )
    change = Integer(required=True, description="Net points after the change minus net points before it.")


class CarriedOverStackSchema(WireSchema):
    """A player who started the table's next round with the stack that this round left; that round is not changed."""

    round = Text(required=True, metadata={"format": "uuid"}, description="ID of the next round.")
    seat = SeatField(required=True, description="Seat of the player in the next round.")
    player = PlayerField(required=True, description="The operator's ID of the player.")
    opening_stack = StackField(
        most=MOST_INTEGER,
        required=True,
        description="Points that the player started the next round with. The change does not affect them.",
    )
    left = StackField(
        least=0,
        most=MOST_INTEGER,
        required=True,
        allow_none=True,
        description="The player's stack at the end of the changed round. Null if the player is no longer in it.",
    )


class RoundComparisonSchema(WireSchema):
    """A round before and after a change: the affected hands and the net points of every player."""

    round = Inner(RoundSchema, required=True, description="The round after the change.")
    revision = Integer(least=1, required=True, description="Number of the settlement revision in force.")
    hands = Listing(
        Inner(HandComparisonSchema),
        most=MOST_HANDS,
        required=True,
        description="Every hand that the change affects, before and after.",
    )
    net = Listing(
        Inner(NetComparisonSchema),
        most=2 * MOST_PLAYERS,
        required=True,
        description="Net points of every player, before and after.",
    )
    carried_over = Listing(
        Inner(CarriedOverStackSchema),
        most=MOST_PLAYERS,
        required=True,
        description="Players who started the next round at the table with the stack that this round left them.",
    )
    adjustment = Inner(
        SettlementAdjustmentSchema,
        required=True,
        allow_none=True,
        description="Payments from the last final settlement to the new one. Null if no settlement was final.",
    )
    dropped_departures = DroppedDeparturesField(required=True)
    changed = Boolean(
        required=True, description="False if the round already has the requested content, and nothing was stored."
    )


@dataclass(frozen=True, slots=True)
class RoundSnapshot:
    """
    A round before or after a change.

    Attributes:
        hands: the hands in order; their transfers include those that a departure or closing paid after the hand.
    """

    hands: tuple[HandView, ...]
    nets: Mapping[str, Points]
    stacks: Mapping[str, Points]


@dataclass(frozen=True, slots=True)
class CarriedOverStack:
    """
    A player who started the next round with the stack that this round left.

    Attributes:
        ids: all IDs of the player, who can sit in this round under another one.
    """

    round: str
    seat: Seat
    player: str
    opening_stack: Points
    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class RoundComparison:
    """A round before and after a change, and the round as it is now."""

    view: RoundView
    revision: int
    before: RoundSnapshot
    after: RoundSnapshot
    carried_over: tuple[CarriedOverStack, ...]
    adjustment: Adjustment | None = None
    dropped_departures: tuple[Departure, ...] = ()
    changed: bool = True


def dump_comparison(comparison: RoundComparison) -> Dumped:
    """Encode a round before and after a change."""
    before, after = comparison.before, comparison.after
    return {
        "round": dump_round(comparison.view),
        "revision": comparison.revision,
        "hands": list(_compared_hands(before.hands, after.hands)),
        "net": [
            _compared_net(player, before.nets.get(player), after.nets.get(player))
            for player in dict.fromkeys([*before.nets, *after.nets])
        ],
        "carried_over": [
            {
                "round": carried.round,
                "seat": carried.seat,
                "player": carried.player,
                "opening_stack": carried.opening_stack,
                "left": next((after.stacks[each] for each in carried.ids if each in after.stacks), None),
            }
            for carried in comparison.carried_over
        ],
        "adjustment": dump_adjustment(comparison.adjustment, comparison.view.point_value),
        "dropped_departures": dump_dropped(comparison.dropped_departures),
        "changed": comparison.changed,
    }


def _compared_hands(before: Sequence[HandView], after: Sequence[HandView]) -> Iterator[Dumped]:
    for number, (old, new) in enumerate(zip_longest(before, after), start=1):
        sides = [side and _dump_side(side) for side in (old, new)]
        # A hand whose ruleset alone differs has not changed.
        compared = [side and {**side, "ruleset": None} for side in sides]
        if compared[0] != compared[1]:
            yield {"number": number, "before": sides[0], "after": sides[1]}


def _compared_net(player: str, before: Points | None, after: Points | None) -> Dumped:
    return {"player": player, "before": before, "after": after, "change": (after or 0) - (before or 0)}


def _dump_side(side: HandView) -> Dumped:
    score = dump_score(side.ruleset, side.score, side.players)
    for player in score["players"]:
        played = side.hand.by_seat[player["seat"]]
        player |= {"dealt_fantasyland": played.fantasyland, "board": encode_rows(played.board.rows)}
    return {
        **score,
        "button": side.hand.button,
        "transfers": dump_transfers(side.transfers),
        "stacks": dump_points(side.stacks),
        "irregular": dump_mistakes(side.irregular),
    }
