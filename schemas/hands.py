"""Finished hands on the wire, as they were played."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from json import JSONEncoder
from typing import Any, Final
from uuid import UUID

import orjson
from marshmallow import post_load

from schemas.base import WireSchema, load
from schemas.fields import Anything, CardList, Inner, Integer, Listing, RowField, Text, Time, UuidField, show_time
from schemas.rulesets import RulesetReference
from scoring.board import Board, ByRow, Row
from scoring.cards import NAMES
from scoring.hand import Cards, Hand, PlayerHand, Seat, Street, TopUp
from scoring.lone_hand import LonePlayer
from scoring.ruleset import MOST_FANTASYLAND

MOST_SEAT: Final = 1000
MOST_PLAYERS: Final = 4
MOST_STREETS: Final = 9
MOST_HANDS: Final = 10_000
MOST_STACK: Final = 1_000_000_000_000
"""The most points in front of one player, so that no sum of a round leaves what JSON readers keep exactly."""


class SeatField(Integer):
    """A seat at the table, from 1, clockwise."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MOST_SEAT, **options)


class StackField(Integer):
    """Points in front of a player."""

    def __init__(self, *, least: int = 1, most: int = MOST_STACK, **options: Any) -> None:
        super().__init__(least=least, most=most, **options)


class PlayerField(Text):
    """The operator's own id for a player; never a name to show."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=100, **{"metadata": {"example": "ann"}, **options})


class StreetSchema(WireSchema):
    """What one player was dealt at once, where it went, and what of it the clock set."""

    dealt = CardList(most=MOST_FANTASYLAND, required=True)
    top = CardList(most=Row.TOP.size, load_default=())
    middle = CardList(most=Row.MIDDLE.size, load_default=())
    bottom = CardList(most=Row.BOTTOM.size, load_default=())
    discards = CardList(most=MOST_FANTASYLAND, load_default=())
    auto = CardList(most=MOST_FANTASYLAND, load_default=())

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Street:
        rows = ByRow(read["top"], read["middle"], read["bottom"])
        return Street(read["dealt"], rows, read["discards"], read["auto"])


class PlayerHandSchema(WireSchema):
    """What one player made of a hand."""

    seat = SeatField(required=True)
    fantasyland = Integer(
        least=0,
        most=MOST_FANTASYLAND,
        load_default=0,
        metadata={"description": "Cards dealt in Fantasyland; 0 outside."},
    )
    top = RowField(Row.TOP.size, required=True)
    middle = RowField(Row.MIDDLE.size, required=True)
    bottom = RowField(Row.BOTTOM.size, required=True)
    discards = CardList(
        most=MOST_FANTASYLAND, allow_none=True, load_default=None, metadata={"description": "Null where nobody knows."}
    )
    streets = Listing(
        Inner(StreetSchema),
        most=MOST_STREETS,
        allow_none=True,
        load_default=None,
        metadata={"description": "In order; null where nobody knows."},
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> Any:
        return make_player_hand(read)


def make_player_hand(read: Mapping[str, Any]) -> PlayerHand:
    """Make what one player made of a hand from its fields."""
    streets = read["streets"]
    return PlayerHand(
        read["seat"],
        Board(ByRow(read["top"], read["middle"], read["bottom"])),
        read["fantasyland"],
        read["discards"],
        None if streets is None else tuple(streets),
    )


class TopUpSchema(WireSchema):
    """Points that a player adds to his stack before the hand."""

    seat = SeatField(required=True)
    points = StackField(required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> TopUp:
        return TopUp(**read)


@dataclass(frozen=True, slots=True)
class SubmittedHand:
    """
    A hand as it was sent: what happened, when, and what the sender expects it to come to.

    `names` are the players' own ids in the order of the hand's players, None where the sender does not say. `restores`
    is the record of the very same hand that was undone and shall count again.
    """

    hand: Hand
    played_at: datetime | None = None
    expected: Mapping[str, Any] | None = None
    names: tuple[str | None, ...] = ()
    restores: UUID | None = None


class HandSchema(WireSchema):
    """A finished hand: what happened, and no result."""

    number = Integer(least=1, most=MOST_HANDS, required=True)
    button = SeatField(required=True)
    played_at = Time(load_default=None, allow_none=True)
    top_ups = Listing(Inner(TopUpSchema), most=MOST_PLAYERS, load_default=())
    players = Listing(Inner(PlayerHandSchema), least=1, most=MOST_PLAYERS, required=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> SubmittedHand:
        hand = Hand(read["number"], read["button"], tuple(read["players"]), tuple(read["top_ups"]))
        return SubmittedHand(hand, read["played_at"])


class NamedPlayerSchema(PlayerHandSchema):
    """What one player made of a hand, and if one likes who he is."""

    player = PlayerField(
        load_default=None,
        allow_none=True,
        metadata={"description": "Who sits there, checked where it is given.", "example": "ann"},
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> tuple[str | None, PlayerHand]:
        return read["player"], make_player_hand(read)


class HandRequestSchema(HandSchema):
    """A finished hand, and if one likes who played it and what it should come to."""

    players = Listing(Inner(NamedPlayerSchema), least=1, most=MOST_PLAYERS, required=True)
    restores = UuidField(
        load_default=None,
        allow_none=True,
        metadata={"description": "The id of the same hand, which was undone and shall count again after all."},
    )
    expected = Anything(
        load_default=None, metadata={"description": "A part of the answer; a difference refuses the hand."}
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> SubmittedHand:
        names, players = zip(*read["players"], strict=True)
        hand = Hand(read["number"], read["button"], players, tuple(read["top_ups"]))
        return SubmittedHand(hand, read["played_at"], read["expected"], names, read["restores"])


class ScorePlayerSchema(PlayerHandSchema):
    """A board to score, with the stacks behind it where transfers are wanted."""

    player = PlayerField(load_default=None, allow_none=True)
    stays = Integer(
        least=0,
        load_default=0,
        metadata={"description": "How many times in a row this player has stayed in Fantasyland."},
    )
    stack = StackField(least=0, load_default=None, allow_none=True)
    opening_stack = StackField(least=0, load_default=None, allow_none=True)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> LonePlayer:
        return LonePlayer(make_player_hand(read), read["player"], read["stays"], read["stack"], read["opening_stack"])


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """A hand to score without storing it."""

    ruleset: str
    button: Seat | None
    players: tuple[LonePlayer, ...]
    expected: Mapping[str, Any] | None


class ScoreRequestSchema(WireSchema):
    """A hand to score without storing it. With a button and a stack for every player, transfers are answered too."""

    ruleset = RulesetReference(required=True)
    button = SeatField(load_default=None, allow_none=True)
    players = Listing(Inner(ScorePlayerSchema), least=1, most=MOST_PLAYERS, required=True)
    expected = Anything(
        load_default=None, metadata={"description": "A part of the answer; a difference refuses the request."}
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> ScoreRequest:
        return ScoreRequest(read["ruleset"], read["button"], tuple(read["players"]), read["expected"])


_CANONICAL: Final = JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
_HAND: Final = HandSchema()
_SCORE_REQUEST: Final = ScoreRequestSchema()


def load_score_request(received: object) -> ScoreRequest:
    """
    Read a hand to score without storing it.

    Raises:
        WireError: it has not the shape of one.
    """
    request: ScoreRequest = load(_SCORE_REQUEST, received)
    return request


def load_hand(received: object) -> SubmittedHand:
    """
    Read a hand.

    Raises:
        WireError: it has not the shape of a hand.
    """
    submitted: SubmittedHand = load(_HAND, received)
    return submitted


def dump_hand(submitted: SubmittedHand) -> dict[str, Any]:
    """Write a hand as a round document holds it: every field, the players by seat."""
    hand = submitted.hand
    return {
        "number": hand.number,
        "button": hand.button,
        "played_at": show_time(submitted.played_at),
        "top_ups": [
            {"seat": top_up.seat, "points": top_up.points}
            for top_up in sorted(hand.top_ups, key=lambda added: added.seat)
        ],
        "players": [_dump_player(player) for player in sorted(hand.players, key=lambda player: player.seat)],
    }


def _dump_player(player: PlayerHand) -> dict[str, Any]:
    return {
        "seat": player.seat,
        "fantasyland": player.fantasyland,
        **dump_rows(player.board.rows),
        "discards": None if player.discards is None else dump_cards(player.discards),
        "streets": None if player.streets is None else [_dump_street(street) for street in player.streets],
    }


def _dump_street(street: Street) -> dict[str, Any]:
    return {
        "dealt": dump_cards(street.dealt),
        **dump_rows(street.rows),
        "discards": dump_cards(street.discards),
        "auto": dump_cards(street.auto),
    }


def dump_rows(rows: ByRow[Cards]) -> dict[str, list[str]]:
    """Write the cards of each row."""
    return {"top": dump_cards(rows.top), "middle": dump_cards(rows.middle), "bottom": dump_cards(rows.bottom)}


def dump_cards(cards: Cards) -> list[str]:
    """Write cards in their order."""
    return [NAMES[card] for card in cards]


def canonical_json(content: object) -> bytes:
    """
    Write a document so that the same content has the same bytes, however it was spaced and ordered.

    Written by orjson, a tenth of the time of Python's own: three hands and five other documents a round are not little.

    >>> canonical_json({"b": [2], "a": 1}), canonical_json([1 << 64])
    (b'{"a":1,"b":[2]}', b'[18446744073709551616]')
    """
    try:
        return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # a number beyond 64 bits, which somebody may have sent in a patch
        return _CANONICAL.encode(content).encode()


def digest_of(content: object) -> bytes:
    """
    Take the digest of a document's content, 32 bytes.

    What may hold anything that somebody sent has numbers, too, that orjson writes otherwise or not at all.

    >>> digest_of({"b": 1}) == sha256(canonical_json({"b": 1})).digest(), len(digest_of(1 << 64))
    (True, 32)
    """
    return sha256(_CANONICAL.encode(content).encode()).digest()
