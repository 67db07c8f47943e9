"""Hands as they were played, with their results, and hands accepted as played."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from evidence import canonical_json
from evidence.hands import build_hand, build_street, encode_hand
from schemas.base import Dumped, WireSchema, load, show
from schemas.fields import Boolean, ExpectedField, Inner, Integer, Listing, Time, UuidField, build_time
from schemas.game_fields import (
    MOST_HANDS,
    MOST_PLAYERS,
    MOST_STREETS,
    CardList,
    PlayerField,
    ReferenceField,
    RowField,
    SeatField,
    StackField,
)
from schemas.json_schema import CompiledSchema
from schemas.ledger.hand_charges import HandCharge, HandChargesField, build_charges
from schemas.metadata import NO_METADATA, Metadata, MetadataField
from schemas.problems import FieldErrorSchema, dump_mistakes
from scoring.board import Row
from scoring.cards import BY_NAME, Card
from scoring.deal import find_cards_twice
from scoring.errors import Mistake, Path
from scoring.hand import Hand, Seat, Street
from scoring.ruleset import MOST_FANTASYLAND, Points, Ruleset, StakesScope
from scoring.score import HandScore
from scoring.settlement import Transfer

HAND_REFERENCE: Final = "The client's own ID of the hand, unique in the club. A corrected hand has it too."

_MOST: Final = 52
"""Maximum number of players, streets or cards to search in an invalid hand; a valid one has fewer."""


def find_dealt_mistakes(received: Any) -> Iterator[Mistake]:
    """
    List duplicate cards and seats in a hand that is not valid, as far as its cards and seats are.

    An unknown card in one row does not hide a duplicate card in another.
    """
    players = received.get("players") if isinstance(received, dict) else None
    if not isinstance(players, list):
        return
    read = [(index, player) for index, player in enumerate(players[:_MOST]) if isinstance(player, dict)]
    yield from find_cards_twice(place for index, player in read for place in list_card_places(index, player))
    seats: set[int] = set()
    for index, player in read:
        seat = player.get("seat")
        if type(seat) is int and seat in seats:
            detail = f"seat {seat} plays twice; expected one board per seat"
            yield Mistake("seat-twice", ("players", index, "seat"), detail)
        elif type(seat) is int:
            seats.add(seat)


def list_card_places(index: int, player: Mapping[str, Any]) -> Iterator[tuple[Path, str, Card]]:
    """Yield the path, the place in words and the card of every valid card in a player's rows and discards."""
    whose = f"of seat {show(player.get('seat'))}"
    lists: list[tuple[Path, str, Any]] = [((row.value,), f"in the {row} {whose}", player.get(row.value)) for row in Row]
    if player.get("discards") is not None:
        lists.append((("discards",), f"among the discards {whose}", player["discards"]))
    elif isinstance(player.get("streets"), list):
        lists += [
            (("streets", number, "discards"), f"among the discards {whose}", street.get("discards"))
            for number, street in enumerate(player["streets"][:_MOST])
            if isinstance(street, dict)
        ]
    for path, place, cards in lists:
        for position, name in enumerate(cards[:_MOST] if isinstance(cards, list) else ()):
            card = BY_NAME.get(name) if isinstance(name, str) else None
            if card is not None:
                yield ("players", index, *path, position), place, card


class StreetSchema(WireSchema):
    """The cards dealt to one player at once, and where the player placed them."""

    dealt = CardList(most=MOST_FANTASYLAND, required=True, description="Cards dealt to the player on this street.")
    top = CardList(most=Row.TOP.size, load_default=(), description="Cards that the player placed in the top row.")
    middle = CardList(
        most=Row.MIDDLE.size, load_default=(), description="Cards that the player placed in the middle row."
    )
    bottom = CardList(
        most=Row.BOTTOM.size, load_default=(), description="Cards that the player placed in the bottom row."
    )
    discards = CardList(most=MOST_FANTASYLAND, load_default=(), description="Cards that the player discarded.")
    auto = CardList(
        most=MOST_FANTASYLAND,
        load_default=(),
        description="Cards of this street that were placed automatically when the player's time ran out.",
    )

    @post_load(pass_original=True)
    def _build(self, _read: dict[str, Any], received: dict[str, Any], **_: Any) -> Street:
        return build_street(received)


class PlayerHandSchema(WireSchema):
    """A player's board in a hand."""

    seat = SeatField(required=True, description="Seat of the player.")
    fantasyland = Integer(
        least=0,
        most=MOST_FANTASYLAND,
        load_default=0,
        description="Number of cards dealt to the player in Fantasyland. 0 if the player was not in Fantasyland.",
    )
    top = RowField(Row.TOP.size, required=True, description="The 3 cards of the top row.")
    middle = RowField(Row.MIDDLE.size, required=True, description="The 5 cards of the middle row.")
    bottom = RowField(Row.BOTTOM.size, required=True, description="The 5 cards of the bottom row.")
    discards = CardList(
        most=MOST_FANTASYLAND,
        allow_none=True,
        load_default=None,
        description="Cards that the player discarded. Null if they are not known.",
    )
    streets = Listing(
        Inner(StreetSchema),
        most=MOST_STREETS,
        allow_none=True,
        load_default=None,
        description="The streets of the hand, in order. Null if they are not known.",
    )


class TopUpSchema(WireSchema):
    """Points that a player adds to their stack before the hand."""

    seat = SeatField(required=True, description="Seat of the player.")
    points = StackField(required=True, description="Points added to the player's stack.")


@dataclass(frozen=True)
class SubmittedHand:
    """
    A hand as received, with what the client expects of it.

    Attributes:
        names: the IDs of the hand's players, in their order; None where the client gives none.
        restores: the record of the same hand that was undone and counts again.
        dealt_again: whether the players were dealt the same cards as in an earlier hand of the round.
        charges: what the house charges for the hand; they are recorded beside it.
        reference: the client's ID of the hand.
        metadata: the client's own texts about it.
    """

    hand: Hand
    played_at: datetime | None = None
    expected: Mapping[str, Any] | None = None
    names: tuple[str | None, ...] = ()
    restores: UUID | None = None
    dealt_again: bool = False
    charges: tuple[HandCharge, ...] = ()
    reference: str | None = None
    metadata: Metadata = field(default_factory=dict)

    @cached_property
    def content(self) -> bytes:
        """The hand as canonical JSON, as it is stored."""
        return canonical_json(dump_hand(self))

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the content."""
        return sha256(self.content).digest()


_NONE: Final = ()


def build_submitted(received: Mapping[str, Any]) -> SubmittedHand:
    """
    Build a hand from valid JSON.

    Raises:
        ValidationError: the time does not exist.
    """
    restores = received.get("restores")
    return SubmittedHand(
        build_hand(received),
        build_time(received.get("played_at")),
        received.get("expected"),
        tuple([player.get("player") for player in received["players"]]),
        None if restores is None else UUID(restores),
        received.get("dealt_again", False),
        build_charges(received.get("charges", _NONE)),
        received.get("reference"),
        received.get("metadata", NO_METADATA),
    )


class HandSchema(CompiledSchema):
    """A hand as it was played, without its result."""

    number = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand in the round, from 1.")
    button = SeatField(required=True, description="Seat with the dealer button.")
    played_at = Time(
        load_default=None, allow_none=True, description="Time when the hand was played. Null if it is not known."
    )
    top_ups = Listing(
        Inner(TopUpSchema),
        most=MOST_PLAYERS,
        load_default=(),
        description="Points that players added to their stacks before the hand.",
    )
    players = Listing(
        Inner(PlayerHandSchema),
        least=1,
        most=MOST_PLAYERS,
        required=True,
        description="The players who were dealt in, each with the board played.",
    )

    def find_more(self, received: Any) -> Iterator[Mistake]:
        """List duplicate cards and seats."""
        return find_dealt_mistakes(received)

    def build(self, received: dict[str, Any]) -> SubmittedHand:
        """Build the hand."""
        return build_submitted(received)


class NamedPlayerHandSchema(PlayerHandSchema):
    """A player's board in a hand, optionally with the player's ID."""

    player = PlayerField(
        load_default=None,
        allow_none=True,
        metadata={"example": "ann"},
        description="The operator's ID of the player in this seat. Validated if it is given.",
    )


class HandRequestSchema(HandSchema):
    """A hand to record, optionally with the players' IDs and the expected result."""

    players = Listing(
        Inner(NamedPlayerHandSchema),
        least=1,
        most=MOST_PLAYERS,
        required=True,
        description="The players who were dealt in, each with the board played.",
    )
    restores = UuidField(
        load_default=None,
        allow_none=True,
        description="ID of the record of the same hand that was undone and counts again.",
    )
    dealt_again = Boolean(
        load_default=False,
        description="True to record a hand with the same boards as an earlier hand of the round. It is"
        " otherwise refused (`same-deal`).",
    )
    charges = HandChargesField()
    reference = ReferenceField(load_default=None, description=f"{HAND_REFERENCE} Null if it has none.")
    metadata = MetadataField(load_default=NO_METADATA)
    expected = ExpectedField()


_HAND: Final = HandSchema()


def load_hand(received: object) -> SubmittedHand:
    """
    Parse a hand.

    Raises:
        WireError: it is not valid.
    """
    submitted: SubmittedHand = load(_HAND, received)
    return submitted


def dump_hand(submitted: SubmittedHand) -> dict[str, Any]:
    """Encode a hand as in a round document: every field, the players sorted by seat."""
    return encode_hand(submitted.hand, submitted.played_at)


class ReasonsField(Listing):
    """Why a hand is irregular."""

    default_description = "Why the hand does not follow the hands before it. Empty if it does."

    def __init__(self, **options: Any) -> None:
        super().__init__(Inner(FieldErrorSchema), most=1000, **options)


@dataclass(frozen=True, slots=True)
class Irregularity:
    """The number of a hand accepted as played, and why it does not follow the others; a request gives no reasons."""

    number: int
    reasons: tuple[Mistake, ...] = ()


class IrregularHandSchema(WireSchema):
    """A hand accepted as played: it counts although it does not follow the hands before it."""

    hand = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand in the round.")
    reasons = Listing(
        Inner(FieldErrorSchema),
        most=1000,
        load_default=(),
        description="Why the hand does not follow the hands before it; pointers are relative to the"
        " hand. Ignored in requests.",
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Irregularity:
        return Irregularity(read["hand"])


def dump_irregular(irregular: Iterable[Irregularity]) -> list[Dumped]:
    """Encode the hands accepted as played, each once and sorted, with their reasons."""
    by_number = {hand.number: hand for hand in irregular}
    return [{"hand": number, "reasons": dump_mistakes(by_number[number].reasons)} for number in sorted(by_number)]


@dataclass(frozen=True, slots=True)
class HandView:
    """
    A hand of a round with its result, as responses have it.

    Attributes:
        players: all players of the round, by seat.
        transfers: the transfers paid with the hand.
        stacks: the stacks after them, by seat.
        irregular: why the hand does not follow the hands before it; empty if it does.
        id, round_id: of its record, as `recorded_at`; None for a hand that was replayed and not recorded.
        reference: the client's ID of the hand.
        metadata: the client's own texts about it, if they were read.
        is_corrected: whether a correction made the record.
    """

    hand: Hand
    ruleset: Ruleset
    players: Mapping[Seat, str]
    score: HandScore
    transfers: tuple[Transfer, ...]
    stacks: Mapping[Seat, Points]
    irregular: tuple[Mistake, ...] = ()
    played_at: datetime | None = None
    id: str | None = None
    round_id: str | None = None
    recorded_at: datetime | None = None
    in_force: bool = True
    reference: str | None = None
    metadata: Metadata = field(default_factory=dict)
    is_corrected: bool = False

    @property
    def is_paid_later(self) -> bool:
        """Whether the points are paid at the end of the round: the transfers are then those of the whole round."""
        return self.ruleset.stakes.scope is StakesScope.ROUND

    @property
    def won(self) -> Mapping[Seat, Points]:
        """What each player won with the hand: after caps, or before them if it is paid at the end of the round."""
        if self.is_paid_later:
            return self.score.points
        won = dict.fromkeys(self.hand.by_seat, 0)
        for transfer in self.transfers:
            won[transfer.payer] = won.get(transfer.payer, 0) - transfer.paid
            won[transfer.payee] = won.get(transfer.payee, 0) + transfer.paid
        return won
