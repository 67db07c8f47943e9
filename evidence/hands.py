"""Build finished hands from JSON, and encode and decode them as in events and round documents."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

import orjson

from evidence.canonical import canonical_json
from evidence.codec import (
    CanonicalJson,
    Decoder,
    codec_of,
    list_decoder,
    object_decoder,
    optional_decoder,
    write_time,
)
from evidence.errors import EvidenceError
from scoring.board import Board, ByRow, Row
from scoring.cards import BY_NAME, NAMES
from scoring.errors import BoardError, Mistake
from scoring.hand import Cards, Hand, PlayerHand, Street, TopUp


def encode_hand(hand: Hand, played_at: datetime | None = None) -> dict[str, Any]:
    """Return a hand as JSON: every field, the players and top-ups by seat."""
    return {
        "number": hand.number,
        "button": hand.button,
        "played_at": None if played_at is None else write_time(played_at),
        "top_ups": [
            {"seat": added.seat, "points": added.points} for added in sorted(hand.top_ups, key=lambda added: added.seat)
        ],
        "players": [_encode_player(player) for player in hand.players_by_seat],
    }


def _encode_player(player: PlayerHand) -> dict[str, Any]:
    return {
        "seat": player.seat,
        "fantasyland": player.fantasyland,
        **encode_rows(player.board.rows),
        "discards": None if player.discards is None else _encode_cards(player.discards),
        "streets": None if player.streets is None else [_encode_street(street) for street in player.streets],
    }


def _encode_street(street: Street) -> dict[str, Any]:
    return {
        "dealt": _encode_cards(street.dealt),
        **encode_rows(street.rows),
        "discards": _encode_cards(street.discards),
        "auto": _encode_cards(street.auto),
    }


def encode_rows(rows: ByRow[Cards]) -> dict[str, list[str]]:
    """Return the cards of each row as JSON."""
    return {"top": _encode_cards(rows.top), "middle": _encode_cards(rows.middle), "bottom": _encode_cards(rows.bottom)}


def _encode_cards(cards: Cards) -> list[str]:
    return [NAMES[card] for card in cards]


def build_hand(content: Mapping[str, Any]) -> Hand:
    """
    Build a hand from JSON that was validated, which may omit what is optional.

    >>> rows = {"top": ["Qs", "Qd", "4c"], "middle": ["Ks", "Kd", "9h", "8h", "3c"]}
    >>> player = {"seat": 2, **rows, "bottom": ["Ah", "Jh", "7h", "6h", "2h"]}
    >>> hand = build_hand({"number": 1, "button": 2, "players": [player]})
    >>> hand.number, hand.players[0].seat, hand.players[0].fantasyland
    (1, 2, 0)
    """
    players = tuple([build_player(player) for player in content["players"]])
    top_ups = tuple([TopUp(int(added["seat"]), int(added["points"])) for added in content.get("top_ups", _NONE)])
    return Hand(int(content["number"]), int(content["button"]), players, top_ups)


def build_player(content: Mapping[str, Any]) -> PlayerHand:
    """Build a player's part of a hand from valid JSON."""
    discards, streets = content.get("discards"), content.get("streets")
    return PlayerHand(
        int(content["seat"]),
        Board(ByRow(_build_cards(content["top"]), _build_cards(content["middle"]), _build_cards(content["bottom"]))),
        int(content.get("fantasyland", 0)),
        None if discards is None else _build_cards(discards),
        None if streets is None else tuple([build_street(street) for street in streets]),
    )


def build_street(content: Mapping[str, Any]) -> Street:
    """Build a street from valid JSON."""
    dealt, top, middle, bottom, discards, auto = [_build_cards(content.get(part, _NONE)) for part in _PARTS]
    return Street(dealt, ByRow(top, middle, bottom), discards, auto)


def _build_cards(names: Iterable[str]) -> Cards:
    return tuple([BY_NAME[name] for name in names])


_NONE: Final = ()
_PARTS: Final = ("dealt", "top", "middle", "bottom", "discards", "auto")


def decode_hand(content: CanonicalJson) -> tuple[Hand, datetime | None]:
    """
    Decode a hand, and when it was played.

    A hand has one encoding, so content is a hand if the hand built from it has the same encoding.

    Raises:
        EvidenceError: the content is not a hand, with every place in it.
    """
    received = orjson.loads(content)
    with suppress(
        AttributeError, KeyError, TypeError, ValueError, BoardError, EvidenceError
    ):  # other JSON, which `_CHECK` explains
        hand, played_at = build_hand(received), _TIME(received["played_at"])
        if canonical_json(encode_hand(hand, played_at)) == content:
            return hand, played_at
    _CHECK(received)
    raise EvidenceError((Mistake("hand-order", (), "is not in order; expected players and top-ups by seat"),))


def _row_decoder(row: Row) -> Decoder:
    def decode(value: Any) -> Cards:
        cards: Cards = _CARDS(value)
        if len(cards) != row.size:
            raise EvidenceError((Mistake("row-size", (), f"has {len(cards)} cards; expected {row.size}"),))
        return cards

    return decode


_INTEGER: Final = codec_of(int).decode
_CARDS: Final = codec_of(Cards).decode
_TIME: Final = codec_of(datetime | None).decode
_PLAYER: Final = {
    "seat": _INTEGER,
    "fantasyland": _INTEGER,
    **{row.value: _row_decoder(row) for row in Row},
    "discards": optional_decoder(_CARDS),
    "streets": optional_decoder(list_decoder(object_decoder(dict, dict.fromkeys(_PARTS, _CARDS)))),
}
_HAND: Final = {
    "number": _INTEGER,
    "button": _INTEGER,
    "played_at": _TIME,
    "top_ups": list_decoder(object_decoder(dict, {"seat": _INTEGER, "points": _INTEGER})),
    "players": list_decoder(object_decoder(dict, _PLAYER)),
}
_CHECK: Final[Decoder] = object_decoder(dict, _HAND)
