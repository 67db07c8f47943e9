"""Corrections on the wire: what is changed in a round, and what comes of it, old beside new."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final
from uuid import UUID

from marshmallow import ValidationError, post_load, validates_schema

from schemas.base import Dumped, Sentence, WireSchema
from schemas.documents import RoundDocument, RoundDocumentSchema, dump_document
from schemas.fields import MOST_INTEGER, Anything, Choice, Inner, Integer, Listing, Text, UuidField
from schemas.hands import MOST_HANDS, MOST_PLAYERS, PlayerField, SeatField, StackField, digest_of, dump_rows
from schemas.irregular import ReasonsField
from schemas.patches import PatchField
from schemas.problems import dump_mistakes
from schemas.rounds import ReasonField, RoundSchema, RoundView, dump_round
from schemas.rulesets import RulesetReference
from schemas.scores import ScoredPlayerSchema, ScoreSchema, dump_points, dump_score, dump_transfers
from schemas.settlements import Adjustment, AdjustmentSchema, dump_adjustment
from scoring.errors import Mistake
from scoring.hand import Hand, Seat
from scoring.ruleset import Points, Ruleset
from scoring.score import HandScore
from scoring.settlement import Transfer

_STANDS: Final = "stands"


@dataclass(frozen=True, slots=True)
class CorrectionRequest:
    """
    What was recorded wrong in a round, as changes to its document or as the document amended, and why.

    Attributes:
        stands: whether later hands count as they were played though they could not have followed.
        version: of the round that the sender has read.
        dispute: that it answers.
    """

    reason: str
    patch: Sequence[Mapping[str, Any]] | None
    document: RoundDocument | None
    stands: bool
    version: int | None
    dispute: UUID | None
    expected: Mapping[str, Any] | None

    @property
    def digest(self) -> bytes:
        """Of everything that is asked for: the same digest is the same correction sent again."""
        asked = {
            "reason": self.reason,
            "patch": self.patch,
            "document": self.document and dump_document(self.document),
            "stands": self.stands,
            "version": self.version,
            "dispute": self.dispute and str(self.dispute),
        }
        return digest_of(asked)


class CorrectionRequestSchema(WireSchema):
    """
    What was recorded wrong in a round: changes to its document, or the whole document amended; one of the two.

    The document is what `GET /v1/rounds/{id}/document` shows.
    """

    reason = ReasonField(required=True)
    patch = PatchField(load_default=None, allow_none=True)
    document = Inner(RoundDocumentSchema, load_default=None, allow_none=True)
    irregular = Choice(
        {_STANDS: _STANDS},
        load_default=None,
        allow_none=True,
        metadata={
            "description": "`stands`: later hands count as they were played though they could not have followed."
        },
    )
    version = Integer(
        least=1,
        load_default=None,
        allow_none=True,
        metadata={"description": "The round's version that you have read: any change since is then a 409."},
    )
    dispute = UuidField(
        load_default=None, allow_none=True, metadata={"description": "The id of the dispute that it answers."}
    )
    expected = Anything(load_default=None)

    @validates_schema(skip_on_field_errors=False)
    def _check_parts(self, read: dict[str, Any], **_: Any) -> None:
        if "patch" in read and "document" in read and (read["patch"] is None) == (read["document"] is None):
            found = "are both missing" if read["patch"] is None else "are both given"
            raise ValidationError(Sentence("patch-or-document", f"patch and document {found}; one of them is right"))

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> CorrectionRequest:
        stands = read.pop("irregular") == _STANDS
        return CorrectionRequest(**read, stands=stands)


@dataclass(frozen=True, slots=True)
class WhatIfRequest:
    """What might have been: other rules, or something else that happened."""

    ruleset: str | None
    patch: Sequence[Mapping[str, Any]]


class WhatIfRequestSchema(WireSchema):
    """What might have been: other rules, or something else that happened."""

    ruleset = RulesetReference(load_default=None, allow_none=True)
    patch = PatchField(load_default=(), metadata={"description": "Changes to the round's document."})

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> WhatIfRequest:
        return WhatIfRequest(**read)


class BoardSchema(WireSchema):
    """The cards of the three rows."""

    top = Listing(Text(metadata={"example": "As"}), most=3, required=True)
    middle = Listing(Text(metadata={"example": "As"}), most=5, required=True)
    bottom = Listing(Text(metadata={"example": "As"}), most=5, required=True)


class ComparedPlayerSchema(ScoredPlayerSchema):
    """What a player's board comes to, and its cards."""

    dealt_fantasyland = Integer(required=True, metadata={"description": "Cards dealt in Fantasyland; 0 outside."})
    board = Inner(BoardSchema, required=True)


class SideSchema(ScoreSchema):
    """A hand on one side of a comparison. Its transfers are all that were paid after it, as the settlement has them."""

    button = SeatField(required=True)
    players = Listing(Inner(ComparedPlayerSchema), most=MOST_PLAYERS, required=True)
    irregular = ReasonsField(required=True)


class ComparedHandSchema(WireSchema):
    """A hand of which something changes. A side is null where there is no such hand."""

    number = Integer(least=1, most=MOST_HANDS, required=True)
    before = Inner(SideSchema, required=True, allow_none=True)
    after = Inner(SideSchema, required=True, allow_none=True)


class ComparedNetSchema(WireSchema):
    """What a player has won or lost in the round; null where he is not in it."""

    player = PlayerField(required=True)
    before = Integer(required=True, allow_none=True)
    after = Integer(required=True, allow_none=True)
    change = Integer(required=True)


class CarriedOverSchema(WireSchema):
    """A player who opened the table's next round with what this one had left him; that round keeps its stacks."""

    round = Text(required=True, metadata={"format": "uuid"})
    seat = SeatField(required=True)
    player = PlayerField(required=True)
    opening_stack = StackField(most=MOST_INTEGER, required=True)
    left = StackField(
        least=0,
        most=MOST_INTEGER,
        required=True,
        allow_none=True,
        metadata={"description": "What this round leaves him now; null where he is not in it."},
    )


class ComparisonSchema(WireSchema):
    """A round before and after: every hand of which something changes, the net per player, and where it stands."""

    round = Inner(RoundSchema, required=True)
    revision = Integer(least=1, required=True, metadata={"description": "The settlement's revision that is in force."})
    hands = Listing(Inner(ComparedHandSchema), most=MOST_HANDS, required=True)
    net = Listing(Inner(ComparedNetSchema), most=2 * MOST_PLAYERS, required=True)
    carried_over = Listing(Inner(CarriedOverSchema), most=MOST_PLAYERS, required=True)
    adjustment = Inner(AdjustmentSchema, required=True, allow_none=True)


@dataclass(frozen=True, slots=True)
class HandSide:
    """A hand on one side of a comparison, with everything that was paid after it and the stacks after that."""

    hand: Hand
    ruleset: Ruleset
    players: Mapping[Seat, str]
    score: HandScore
    transfers: tuple[Transfer, ...]
    stacks: Mapping[Seat, Points]
    irregular: tuple[Mistake, ...]


@dataclass(frozen=True, slots=True)
class RoundSide:
    """A round on one side of a comparison."""

    hands: tuple[HandSide, ...]
    nets: Mapping[str, Points]
    stacks: Mapping[str, Points]


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """A player who opened the next round with what this one had left him."""

    round: str
    seat: Seat
    player: str
    opening_stack: Points


@dataclass(frozen=True, slots=True)
class Comparison:
    """A round before and after a change, and where it stands."""

    view: RoundView
    revision: int
    before: RoundSide
    after: RoundSide
    carried_over: tuple[CarriedOver, ...]
    adjustment: Adjustment | None = None


def dump_comparison(comparison: Comparison) -> Dumped:
    """Write a round before and after a change."""
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
                "left": after.stacks.get(carried.player),
            }
            for carried in comparison.carried_over
        ],
        "adjustment": dump_adjustment(comparison.adjustment, comparison.view.point_value),
    }


def _compared_hands(before: Sequence[HandSide], after: Sequence[HandSide]) -> Iterator[Dumped]:
    for number, (old, new) in enumerate(zip_longest(before, after), start=1):
        sides = [side and _dump_side(side) for side in (old, new)]
        # Other rules that change nothing of a hand are no change of it.
        told = [side and {**side, "ruleset": None} for side in sides]
        if told[0] != told[1]:
            yield {"number": number, "before": sides[0], "after": sides[1]}


def _compared_net(player: str, before: Points | None, after: Points | None) -> Dumped:
    return {"player": player, "before": before, "after": after, "change": (after or 0) - (before or 0)}


def _dump_side(side: HandSide) -> Dumped:
    score = dump_score(side.ruleset, side.score, side.players)
    for player in score["players"]:
        played = side.hand.by_seat[player["seat"]]
        player |= {"dealt_fantasyland": played.fantasyland, "board": dump_rows(played.board.rows)}
    return {
        **score,
        "button": side.hand.button,
        "transfers": dump_transfers(side.transfers),
        "stacks": dump_points(side.stacks),
        "irregular": dump_mistakes(side.irregular),
    }
