"""Round documents by the line, as imports read them: built directly where they are right."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Any, Final, NamedTuple

import jsonschema_rs
from marshmallow import ValidationError

from schemas.base import Dumped, load
from schemas.documents import DocumentRequestSchema, RoundDocument
from schemas.fields import Time, show_time
from schemas.hands import SubmittedHand, canonical_json, dump_hand
from schemas.json_schema import json_schema
from schemas.strict_json import read_json
from schemas.tables import check_currency
from scoring.board import Board, ByRow, Row
from scoring.cards import BY_NAME
from scoring.hand import Cards, Hand, PackedHand, PlayerHand, Street, TopUp
from scoring.history import Closing, Departure
from scoring.round_state import RoundSeat

_REQUEST: Final = DocumentRequestSchema()
_FITS: Final = jsonschema_rs.validator_for(json_schema(DocumentRequestSchema)).is_valid
_TIME: Final = Time()
_NONE: Final = ()
_SEAT: Final = itemgetter("seat")
_ROWS: Final = tuple(row.value for row in Row)
_STREET: Final = ("dealt", *_ROWS, "discards", "auto")
_NUMBERS: Final = {name: int(card) for name, card in BY_NAME.items()}


class KeptHand(NamedTuple):
    """
    A hand of a line, as it is kept.

    Attributes:
        packed: what happened, but for discards and streets.
        played_at: when, where the line says so.
        content: its canonical JSON, with all that is known.
        knows_more: whether discards or streets are known of somebody.
    """

    packed: PackedHand
    played_at: datetime | None
    content: bytes
    knows_more: bool


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """
    A line of an import.

    Attributes:
        head: its round document, the hands left out.
        keep: makes the hands as they are kept.
        document: makes the whole, of which most lines have no need.
    """

    head: RoundDocument
    keep: Callable[[], Sequence[KeptHand]]
    document: Callable[[], RoundDocument]


def load_line(line: bytes) -> DocumentLine:
    """
    Read one line of an import, as `POST /v1/documents` reads its body.

    What the compiled schema of the contract passes is taken as it is, some fifty times as fast; the rest goes the long
    way, which names every mistake.

    >>> seats = b'[{"seat": 1, "player": "ann", "stack": 9}]'
    >>> line = b'{"ruleset": "turbo", "table": "kitchen", "seats": %s, "hands": []}' % seats
    >>> load_line(line).head.seats
    (RoundSeat(seat=1, player='ann', opening_stack=9),)

    Raises:
        WireError: it is no JSON, or has not the shape of a round document.
    """
    received = read_json(line)
    return take_where_right(received) or _loaded(load(_REQUEST, received))


def take_where_right(received: Any) -> DocumentLine | None:
    """
    Take a document that the published schema passes, and what else is asked beside it; None for any other.

    One with hands that stand goes the long way too: there are few.
    """
    try:
        if not _FITS(received):
            return None
        check_currency({"currency": None, **received})
        if received.get("irregular"):
            return None
        hands = received["hands"]
        keep = partial(_keep_all, hands, [_time(hand) for hand in hands])
        return DocumentLine(_head(received), keep, partial(_document, received))
    except (UnicodeEncodeError, ValidationError):  # half of a surrogate pair; a time that there is not, or no currency
        return None


def _loaded(document: RoundDocument) -> DocumentLine:
    hands = [_keep(dump_hand(submitted), submitted.played_at) for submitted in document.hands]
    return DocumentLine(replace(document, hands=()), lambda: hands, lambda: document)


def _keep(shown: Mapping[str, Any], played_at: datetime | None) -> KeptHand:
    """Keep a hand that is shown as `dump_hand` does."""
    players = shown["players"]
    packed = PackedHand(
        shown["number"],
        shown["button"],
        [player["seat"] for player in players],
        [player["fantasyland"] for player in players],
        bytes([_NUMBERS[card] for player in players for row in _ROWS for card in player[row]]),
        [TopUp(**top_up) for top_up in shown["top_ups"]],
    )
    knows_more = any(player["discards"] is not None or player["streets"] is not None for player in players)
    return KeptHand(packed, played_at, canonical_json(shown), knows_more)


def _keep_all(read: Sequence[Mapping[str, Any]], played_at: Sequence[datetime | None]) -> list[KeptHand]:
    return [_keep_read(hand, moment) for hand, moment in zip(read, played_at, strict=True)]


def _keep_read(read: Mapping[str, Any], played_at: datetime | None) -> KeptHand:
    """Keep a hand that has the right shape, without building it."""
    top_ups = sorted(read.get("top_ups", _NONE), key=_SEAT)
    shown = {
        "number": int(read["number"]),
        "button": int(read["button"]),
        "played_at": show_time(played_at),
        "top_ups": [{"seat": int(added["seat"]), "points": int(added["points"])} for added in top_ups],
        "players": [_shown_player(player) for player in sorted(read["players"], key=_SEAT)],
    }
    return _keep(shown, played_at)


def _shown_player(read: Mapping[str, Any]) -> Dumped:
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
    point_value, closed = read.get("point_value"), read.get("closed")
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
        expected=read.get("expected"),
    )


def _departure(read: Mapping[str, Any]) -> Departure:
    return Departure(int(read["seat"]), int(read["after_hand"]), read.get("reason"))


def build_hand(read: Mapping[str, Any]) -> SubmittedHand:
    """Build a hand that has the right shape."""
    top_ups = tuple([TopUp(int(added["seat"]), int(added["points"])) for added in read.get("top_ups", _NONE)])
    hand = Hand(int(read["number"]), int(read["button"]), tuple(map(_player, read["players"])), top_ups)
    return SubmittedHand(hand, _time(read))


def _time(read: Mapping[str, Any]) -> datetime | None:
    played_at = read.get("played_at")
    return None if played_at is None else build_time(played_at)


def build_time(read: Any) -> datetime:
    """
    Build a moment, in UTC.

    Raises:
        ValidationError: it is none.
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
