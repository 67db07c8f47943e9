"""Encode and decode finished hands, as in events and round documents."""

from datetime import datetime
from typing import Any, Final

import orjson

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
from scoring.cards import NAMES
from scoring.errors import Mistake
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
        "players": [_encode_player(player) for player in sorted(hand.players, key=lambda player: player.seat)],
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


def decode_hand(content: CanonicalJson) -> tuple[Hand, datetime | None]:
    """
    Decode a hand, and when it was played.

    Raises:
        EvidenceError: the content is not a hand, with every place in it.
    """
    decoded: tuple[Hand, datetime | None] = _HAND(orjson.loads(content))
    return decoded


def _make_hand(
    number: int,
    button: int,
    played_at: datetime | None,
    top_ups: tuple[TopUp, ...],
    players: tuple[PlayerHand, ...],
) -> tuple[Hand, datetime | None]:
    return Hand(number, button, players, top_ups), played_at


def _make_player(
    seat: int,
    fantasyland: int,
    top: Cards,
    middle: Cards,
    bottom: Cards,
    discards: Cards | None,
    streets: tuple[Street, ...] | None,
) -> PlayerHand:
    rows = ByRow(top, middle, bottom)
    if len(top) != Row.TOP.size or len(middle) != Row.MIDDLE.size or len(bottom) != Row.BOTTOM.size:
        raise EvidenceError(
            tuple(
                Mistake("row-size", (row.value,), f"has {len(cards)} cards; expected {row.size}")
                for row, cards in rows.items()
                if len(cards) != row.size
            )
        )
    return PlayerHand(seat, Board(rows), fantasyland, discards, streets)


def _make_street(dealt: Cards, top: Cards, middle: Cards, bottom: Cards, discards: Cards, auto: Cards) -> Street:
    return Street(dealt, ByRow(top, middle, bottom), discards, auto)


_INTEGER: Final = codec_of(int).decode
_CARDS: Final = codec_of(Cards).decode
_ROWS: Final = {"top": _CARDS, "middle": _CARDS, "bottom": _CARDS}
_STREET: Final = object_decoder(_make_street, {"dealt": _CARDS, **_ROWS, "discards": _CARDS, "auto": _CARDS})
_PLAYER: Final = object_decoder(
    _make_player,
    {
        "seat": _INTEGER,
        "fantasyland": _INTEGER,
        **_ROWS,
        "discards": optional_decoder(_CARDS),
        "streets": optional_decoder(list_decoder(_STREET)),
    },
)
_HAND: Final[Decoder] = object_decoder(
    _make_hand,
    {
        "number": _INTEGER,
        "button": _INTEGER,
        "played_at": codec_of(datetime | None).decode,
        "top_ups": list_decoder(object_decoder(TopUp, {"seat": _INTEGER, "points": _INTEGER})),
        "players": list_decoder(_PLAYER),
    },
)
