"""Hands and round documents that are not valid: the parts that are, so that more mistakes can be found."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from marshmallow import ValidationError, missing

from schemas.base import WireError, WireSchema
from schemas.documents import RoundDocumentSchema
from schemas.game_fields import MOST_HANDS, MOST_PLAYERS
from schemas.hands import HandRequestSchema, NamedPlayerHandSchema, TopUpSchema, load_hand
from scoring.board import ByRow
from scoring.hand import Hand, TopUp
from scoring.history import Departure
from scoring.partial_hand import PartialHand, PartialPlayer
from scoring.partial_history import PartialHistory
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset

_HAND: Final = HandRequestSchema(exclude=("players", "top_ups"))
_PLAYER: Final = NamedPlayerHandSchema()
_TOP_UP: Final = TopUpSchema()
_LISTS: Final = ("players", "top_ups")
_ROWS: Final = ("top", "middle", "bottom")


@dataclass(frozen=True, slots=True)
class PartialSubmission:
    """The valid parts of a hand, and its players' IDs in their order."""

    hand: PartialHand
    names: tuple[str | None, ...]


def parse_partial_hand(received: Any) -> PartialSubmission:
    """
    Parse the valid parts of a hand.

    >>> read = parse_partial_hand({"number": "2", "button": 1, "players": [{"seat": 3, "top": ["1x"]}]}).hand
    >>> read.number, read.button, read.players[0].seat, read.players[0].rows
    (None, 1, 3, None)
    """
    fields = read_fields(_HAND, received, beside=_LISTS)
    listed = received if isinstance(received, dict) else {}
    players = [read_fields(_PLAYER, player) for player in _items(listed, "players")]
    top_ups = [read_fields(_TOP_UP, top_up) for top_up in _items(listed, "top_ups")]
    has_no_top_ups = "top_ups" not in listed and _are_known(_HAND, listed, _LISTS)
    are_read = listed.get("top_ups") == [] or has_no_top_ups or (top_ups and all(len(read) == 2 for read in top_ups))
    hand = PartialHand(
        fields.get("number"),
        fields.get("button"),
        tuple(_player(read) for read in players) or None,
        tuple(TopUp(**read) for read in top_ups) if are_read else None,
        tuple(read.get("seat") for read in top_ups),
    )
    return PartialSubmission(hand, tuple(read.get("player") for read in players))


def read_fields(schema: WireSchema, received: Any, *, beside: tuple[str, ...] = ()) -> dict[str, Any]:
    """
    Parse the valid fields of an object.

    An omitted field has its default value, unless the object has an unknown field, which could be a misspelling of it.

    Args:
        schema: of the object.
        received: the object.
        beside: fields that are known, too, and are not read.
    """
    if not isinstance(received, dict):
        return {}
    read: dict[str, Any] = {}
    are_known = _are_known(schema, received, beside)
    for name, field in schema.load_fields.items():
        if name in received or are_known:
            with suppress(ValidationError):
                read[name] = field.deserialize(received.get(name, missing))
    return read


def _are_known(schema: WireSchema, received: Mapping[str, Any], beside: tuple[str, ...]) -> bool:
    return received.keys() <= {*schema.load_fields, *beside}


def _items(received: Mapping[str, Any], name: str) -> list[Any]:
    """Return the items of an array; an empty list if it is invalid or too long."""
    items = received.get(name)
    return items if isinstance(items, list) and len(items) <= MOST_PLAYERS else []


def _player(read: Mapping[str, Any]) -> PartialPlayer:
    streets = read.get("streets")
    return PartialPlayer(
        read.get("seat"),
        read.get("fantasyland"),
        ByRow(*(read[row] for row in _ROWS)) if read.keys() >= {*_ROWS} else None,
        read.get("discards"),
        None if streets is None else tuple(streets),
    )


_HEAD: Final = RoundDocumentSchema(exclude=("hands",))
_BESIDE: Final = ("hands", "expected")


@dataclass(frozen=True, slots=True)
class PartialDocument:
    """
    The valid parts of a round document; None for a part that is not valid.

    Attributes:
        departures: None if one of them is not valid.
        may_be_irregular: whether any hand is, or may be, accepted as played.
    """

    ruleset: str | None
    seats: tuple[RoundSeat, ...] | None
    hands: tuple[Hand | PartialHand, ...]
    departures: tuple[Departure, ...] | None
    may_be_irregular: bool

    def history(self, ruleset: Ruleset) -> PartialHistory | None:
        """Return the input of the rules, or None if the seats of the round are not valid."""
        if self.seats is None:
            return None
        return PartialHistory(ruleset, self.seats, self.hands, self.departures, self.may_be_irregular)


def parse_partial_document(received: Any) -> PartialDocument:
    """Parse the valid parts of a round document."""
    read = read_fields(_HEAD, received, beside=_BESIDE)
    listed = received.get("hands") if isinstance(received, dict) else None
    hands = listed if isinstance(listed, list) and len(listed) <= MOST_HANDS else []
    return PartialDocument(
        read.get("ruleset"),
        tuple(read["seats"]) if "seats" in read else None,
        tuple(_read_hand(hand) for hand in hands),
        tuple(read["departures"]) if "departures" in read else None,
        bool(read.get("irregular", True)),
    )


def _read_hand(received: Any) -> Hand | PartialHand:
    try:
        return load_hand(received).hand
    except WireError:
        return parse_partial_hand(received).hand
