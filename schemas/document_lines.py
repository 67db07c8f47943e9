"""Round documents by the line, as imports read them: built directly where they are right."""

from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs
from marshmallow import ValidationError

from schemas.base import load
from schemas.documents import DocumentRequestSchema, RoundDocument
from schemas.fields import Time
from schemas.hands import SubmittedHand
from schemas.json_schema import json_schema
from schemas.strict_json import read_json
from schemas.tables import check_currency
from scoring.board import Board, ByRow
from scoring.cards import BY_NAME
from scoring.hand import Cards, Hand, PlayerHand, Street, TopUp
from scoring.history import Closing, Departure
from scoring.round_state import RoundSeat

_REQUEST: Final = DocumentRequestSchema()
_FITS: Final = jsonschema_rs.validator_for(json_schema(DocumentRequestSchema)).is_valid
_TIME: Final = Time()
_NONE: Final = ()


def load_line(line: bytes) -> RoundDocument:
    """
    Read one line of an import, as `POST /v1/documents` reads its body.

    What the compiled schema of the contract passes is built directly, some forty times as fast; the rest goes the long
    way, which names every mistake.

    >>> seats = b'[{"seat": 1, "player": "ann", "stack": 9}]'
    >>> line = b'{"ruleset": "turbo", "table": "kitchen", "seats": %s, "hands": []}' % seats
    >>> load_line(line).seats
    (RoundSeat(seat=1, player='ann', opening_stack=9),)

    Raises:
        WireError: it is no JSON, or has not the shape of a round document.
    """
    received = read_json(line)
    document = build_where_right(received)
    if document is None:
        document = load(_REQUEST, received)
    return document


def build_where_right(received: Any) -> RoundDocument | None:
    """
    Build a document that the published schema passes, and what else is asked beside it; None for any other.

    One with hands that stand goes the long way too: there are few.
    """
    try:
        if not _FITS(received):
            return None
        check_currency(received)
        if received.get("irregular"):
            return None
        return _document(received)
    except (UnicodeEncodeError, ValidationError):  # half of a surrogate pair; a time that there is not, or no currency
        return None


def _document(read: Mapping[str, Any]) -> RoundDocument:
    point_value, closed = read.get("point_value"), read.get("closed")
    return RoundDocument(
        ruleset=read["ruleset"],
        table=read["table"],
        reference=read.get("reference"),
        point_value=None if point_value is None else int(point_value),
        currency=read.get("currency"),
        seats=tuple([RoundSeat(int(seat["seat"]), seat["player"], int(seat["stack"])) for seat in read["seats"]]),
        hands=tuple(map(build_hand, read["hands"])),
        departures=tuple(map(_departure, read.get("departures", _NONE))),
        closed=None if closed is None else Closing(int(closed["after_hand"]), closed["reason"]),
        expected=read.get("expected"),
    )


def _departure(read: Mapping[str, Any]) -> Departure:
    return Departure(int(read["seat"]), int(read["after_hand"]), read.get("reason"))


def build_hand(read: Mapping[str, Any]) -> SubmittedHand:
    """Build a hand that has the right shape."""
    played_at = read.get("played_at")
    top_ups = tuple([TopUp(int(added["seat"]), int(added["points"])) for added in read.get("top_ups", _NONE)])
    hand = Hand(int(read["number"]), int(read["button"]), tuple(map(_player, read["players"])), top_ups)
    return SubmittedHand(hand, None if played_at is None else _TIME.deserialize(played_at))


def _player(read: Mapping[str, Any]) -> PlayerHand:
    discards, streets = read.get("discards"), read.get("streets")
    return PlayerHand(
        int(read["seat"]),
        Board(ByRow(_cards(read["top"]), _cards(read["middle"]), _cards(read["bottom"]))),
        int(read.get("fantasyland", 0)),
        None if discards is None else _cards(discards),
        None if streets is None else tuple(map(_street, streets)),
    )


def _street(read: Mapping[str, Any]) -> Street:
    rows = ByRow(_cards(read.get("top", _NONE)), _cards(read.get("middle", _NONE)), _cards(read.get("bottom", _NONE)))
    return Street(_cards(read["dealt"]), rows, _cards(read.get("discards", _NONE)), _cards(read.get("auto", _NONE)))


def _cards(names: Any) -> Cards:
    return tuple([BY_NAME[name] for name in names])
