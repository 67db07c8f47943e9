"""Round documents as lines of an import. Valid lines are parsed without marshmallow, which is much faster."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Any, Final, NamedTuple

import jsonschema_rs
from marshmallow import ValidationError

from evidence import canonical_json
from schemas.base import Dumped, load
from schemas.documents import RoundDocument, RoundDocumentRequestSchema
from schemas.fields import Time, show_time
from schemas.hand_identity import identify_hand
from schemas.hands import SubmittedHand, dump_hand
from schemas.json_schema import json_schema
from schemas.strict_json import read_json
from schemas.tables import check_currency, check_new_money
from scoring.board import Board, ByRow, Row
from scoring.cards import BY_NAME
from scoring.hand import Cards, Hand, PackedHand, PlayerHand, Street, TopUp
from scoring.history import Closing, Departure
from scoring.round_state import RoundSeat

_REQUEST: Final = RoundDocumentRequestSchema()
_is_valid: Final = jsonschema_rs.validator_for(json_schema(RoundDocumentRequestSchema)).is_valid
_TIME: Final = Time()
_NONE: Final = ()
_SEAT: Final = itemgetter("seat")
_ROWS: Final = tuple(row.value for row in Row)
_STREET: Final = ("dealt", *_ROWS, "discards", "auto")
_NUMBERS: Final = {name: int(card) for name, card in BY_NAME.items()}


class EncodedHand(NamedTuple):
    """
    A hand of an import line, encoded for storage.

    Attributes:
        packed: what was played, without discards and streets.
        played_at: time when it was played, if the line has one.
        content: its canonical JSON, with everything that is known.
        knows_more: whether the discards or streets of any player are known.
        identity: what all records of the same hand have in common.
    """

    packed: PackedHand
    played_at: datetime | None
    content: bytes
    knows_more: bool
    identity: bytes


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """
    A line of an import.

    Attributes:
        head: its round document without the hands.
        keep: builds the hands, encoded for storage.
        document: builds the whole document, which most lines do not need.
    """

    head: RoundDocument
    keep: Callable[[], Sequence[EncodedHand]]
    document: Callable[[], RoundDocument]


def parse_line(line: bytes) -> DocumentLine:
    """
    Parse one line of an import, with the same rules as the request body of `POST /v1/documents`.

    Lines that the compiled JSON Schema accepts are parsed about fifty times as fast; marshmallow parses the others, to
    report every error.

    >>> seats = b'[{"seat": 1, "player": "ann", "stack": 9}]'
    >>> line = b'{"ruleset": "turbo", "table": "kitchen", "seats": %s, "hands": []}' % seats
    >>> parse_line(line).head.seats
    (RoundSeat(seat=1, player='ann', opening_stack=9),)

    Raises:
        WireError: it is not JSON, or not a valid round document.
    """
    received = read_json(line)
    return parse_valid_document(received) or _from_document(load(_REQUEST, received))


def parse_valid_document(received: Any) -> DocumentLine | None:
    """
    Parse a document that the JSON Schema and the currency rules accept; return None for any other.

    A document with `irregular` hands also returns None: there are few.
    """
    try:
        if not _is_valid(received):
            return None
        money = {"point_value": None, "currency": None, **received}
        check_currency(money)
        check_new_money(money)
        if received.get("irregular"):
            return None
        hands = received["hands"]
        head = _head(received)
        keep = partial(_encode_hands, hands, [_time(hand) for hand in hands])
        return DocumentLine(head, keep, partial(_document, received))
    except (UnicodeEncodeError, ValidationError):  # a lone surrogate, an invalid time, or an invalid currency
        return None


def _from_document(document: RoundDocument) -> DocumentLine:
    hands = [_encode_hand(dump_hand(submitted), submitted.played_at) for submitted in document.hands]
    return DocumentLine(replace(document, hands=()), lambda: hands, lambda: document)


def _encode_hand(content: Mapping[str, Any], played_at: datetime | None) -> EncodedHand:
    """Encode a hand that has the form of `dump_hand`."""
    players = content["players"]
    packed = PackedHand(
        content["number"],
        content["button"],
        [player["seat"] for player in players],
        [player["fantasyland"] for player in players],
        bytes([_NUMBERS[card] for player in players for row in _ROWS for card in player[row]]),
        [TopUp(**top_up) for top_up in content["top_ups"]],
    )
    knows_more = any(player["discards"] is not None or player["streets"] is not None for player in players)
    return EncodedHand(packed, played_at, canonical_json(content), knows_more, identify_hand(content))


def _encode_hands(read: Sequence[Mapping[str, Any]], played_at: Sequence[datetime | None]) -> list[EncodedHand]:
    return [_encode_received(hand, moment) for hand, moment in zip(read, played_at, strict=True)]


def _encode_received(read: Mapping[str, Any], played_at: datetime | None) -> EncodedHand:
    """Encode a valid hand as received, without building a `Hand`."""
    top_ups = sorted(read.get("top_ups", _NONE), key=_SEAT)
    content = {
        "number": int(read["number"]),
        "button": int(read["button"]),
        "played_at": show_time(played_at),
        "top_ups": [{"seat": int(added["seat"]), "points": int(added["points"])} for added in top_ups],
        "players": [_player_content(player) for player in sorted(read["players"], key=_SEAT)],
    }
    return _encode_hand(content, played_at)


def _player_content(read: Mapping[str, Any]) -> Dumped:
    streets = read.get("streets")
    return {
        "seat": int(read["seat"]),
        "fantasyland": int(read.get("fantasyland", 0)),
        "top": read["top"],
        "middle": read["middle"],
        "bottom": read["bottom"],
        "discards": read.get("discards"),
        "streets": streets and [{part: street.get(part, _NONE) for part in _STREET} for street in streets],
    }


def _document(read: Mapping[str, Any]) -> RoundDocument:
    return replace(_head(read), hands=tuple(map(build_hand, read["hands"])))


def _head(read: Mapping[str, Any]) -> RoundDocument:
    point_value, closed, opened_at = read.get("point_value"), read.get("closed"), read.get("opened_at")
    return RoundDocument(
        ruleset=read["ruleset"],
        table=read["table"],
        reference=read.get("reference"),
        point_value=None if point_value is None else int(point_value),
        currency=read.get("currency"),
        seats=tuple([RoundSeat(int(seat["seat"]), seat["player"], int(seat["stack"])) for seat in read["seats"]]),
        hands=(),
        departures=tuple(map(_departure, read.get("departures", _NONE))),
        closed=None if closed is None else Closing(int(closed["after_hand"]), closed["reason"]),
        opened_at=None if opened_at is None else build_time(opened_at),
        expected=read.get("expected"),
    )


def _departure(read: Mapping[str, Any]) -> Departure:
    return Departure(int(read["seat"]), int(read["after_hand"]), read.get("reason"))


def build_hand(read: Mapping[str, Any]) -> SubmittedHand:
    """Build a hand from valid JSON."""
    top_ups = tuple([TopUp(int(added["seat"]), int(added["points"])) for added in read.get("top_ups", _NONE)])
    hand = Hand(int(read["number"]), int(read["button"]), tuple(map(_player, read["players"])), top_ups)
    return SubmittedHand(hand, _time(read))


def _time(read: Mapping[str, Any]) -> datetime | None:
    played_at = read.get("played_at")
    return None if played_at is None else build_time(played_at)


def build_time(read: Any) -> datetime:
    """
    Parse a time, in UTC.

    Raises:
        ValidationError: it is not a valid time.
    """
    built: datetime = _TIME.deserialize(read)
    return built


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
