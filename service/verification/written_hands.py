"""Hands written from arrays, in the bytes in which those are kept of which no more is known than the boards."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from evidence import canonical_json
from schemas.fields import show_time
from scoring.board import Row
from scoring.cards import NAMES
from scoring.ruleset import BOARD_SIZE
from service.recomputations.packed.rounds import Integers, PackedRounds
from service.verification.matrices import alike, bytes_of, join, lay
from service.verification.queries.at_once import EPOCH

_MARKED: Final = re.compile(rb'"<(\w+)>"')
_QUOTES: Final = b'"--"'
_TOP, _MIDDLE = Row.TOP.size, Row.MIDDLE.size
_NAMES: Final = np.tile(bytes_of(_QUOTES), (256, 1))
"""What JSON has for each card, by what packed boards have for it."""
for _card, _name in enumerate(NAMES):
    _NAMES[_card] = bytes_of(b'"%s"' % _name.encode())
_UNTIMED: Final = b"null"
_DIGIT, _DIGITS = 10, 10 ** np.arange(18)
"""Numbers below the first have one digit; below the second ones, so many more."""


class ArrayHands(NamedTuple):
    """
    What arrays have of hands.

    Attributes:
        buttons: [hands].
        dealt: [hands], how many play.
        seats, fantasyland, boards: of all who play, one after the other.
    """

    buttons: Integers
    dealt: Integers
    seats: Integers
    fantasyland: Integers
    boards: Any

    @classmethod
    def of(cls, packed: PackedRounds, arrays: Integers) -> "ArrayHands":
        """Take some hands."""
        hands, dealt = packed.hands, packed.hands.dealt[arrays]
        return cls(
            hands.buttons[arrays],
            dealt.sum(axis=1),
            packed.seats[hands.of_round[arrays], : dealt.shape[1]][dealt],
            hands.fantasyland[arrays][dealt],
            hands.boards[arrays][dealt],
        )


class WrittenHands(NamedTuple):
    """
    What happened in some hands.

    Attributes:
        places: [hands], where they stand among all.
        canonical: [hands, bytes], as canonical JSON.
        shown: [hands, bytes], as PostgreSQL shows its `jsonb`.
    """

    places: Integers
    canonical: Any
    shown: Any


def write_hands(rows: Any, played: ArrayHands) -> Iterator[WrittenHands]:
    """
    Write hands, those of one layout at once; their numbers and times are taken from their records.

    One with a number that no hand has, such as a seat of two digits, is not written.
    """
    starts = np.cumsum(played.dealt) - played.dealt
    of_hand = np.repeat(np.arange(len(played.dealt)), played.dealt)
    is_long = played.fantasyland >= _DIGIT
    longs = np.bincount(of_hand, is_long << (np.arange(len(of_hand)) - starts[of_hand]), len(starts)).astype(np.int64)
    is_wrong = (played.seats // _DIGIT != 0) | (played.fantasyland // _DIGIT**2 != 0)
    can_be = (played.buttons // _DIGIT == 0) & (np.bincount(of_hand, is_wrong, len(starts)) == 0) & (rows["number"] > 0)
    times = _write_times(rows)
    digits = np.searchsorted(_DIGITS, rows["number"], side="right")
    layouts = np.fromiter(map(len, times), np.int64, len(times)), digits, longs, played.dealt
    for places in alike([*layouts, can_be]):
        if not can_be[places[0]]:
            continue
        in_time, in_number, long, players = (int(layout[places[0]]) for layout in layouts)
        fields = {
            "button": _write_numbers(played.buttons[places], 1),
            "number": _write_numbers(rows["number"][places], in_number),
            "time": lay(times, places, in_time),
        }
        for player in range(players):
            at = starts[places] + player
            fields[f"seat{player}"] = _write_numbers(played.seats[at], 1)
            fields[f"fantasyland{player}"] = _write_numbers(played.fantasyland[at], 1 + (long >> player & 1))
            names = _NAMES[played.boards[at]]
            fields |= {f"card{player}_{card}": names[:, card] for card in range(BOARD_SIZE)}
        yield WrittenHands(places, *(_fill(_pattern(write, players), fields) for write in (canonical_json, _show)))


def _show(content: object) -> bytes:
    return json.dumps(content).encode()


def _write_times(rows: Any) -> list[bytes]:
    return [
        json.dumps(show_time(EPOCH + timedelta(microseconds=at))).encode() if is_timed else _UNTIMED
        for at, is_timed in zip(rows["played_at"].tolist(), rows["is_timed"].tolist(), strict=True)
    ]


def _write_numbers(numbers: Integers, digits: int) -> Any:
    """Write numbers that have so many digits: [numbers, digits]."""
    return (numbers[:, np.newaxis] // _DIGITS[:digits][::-1] % _DIGIT + ord("0")).astype(np.uint8)


def _fill(pattern: Sequence[bytes], fields: Mapping[str, Any]) -> Any:
    """Put fields into a pattern."""
    pieces = [fields[piece.decode()] if place % 2 else bytes_of(piece) for place, piece in enumerate(pattern)]
    return join(len(fields["time"]), pieces)


@cache
def _pattern(write: Callable[[object], bytes], players: int) -> Sequence[bytes]:
    """
    Write what so many players made of a hand, in one way: what is always there, and names of fields between it.

    PostgreSQL orders short names first.
    """
    made = [
        {
            "top": [f"<card{player}_{card}>" for card in range(_TOP)],
            "seat": f"<seat{player}>",
            "bottom": [f"<card{player}_{card}>" for card in range(_TOP + _MIDDLE, BOARD_SIZE)],
            "middle": [f"<card{player}_{card}>" for card in range(_TOP, _TOP + _MIDDLE)],
            "streets": None,
            "discards": None,
            "fantasyland": f"<fantasyland{player}>",
        }
        for player in range(players)
    ]
    hand = {"button": "<button>", "number": "<number>", "players": made, "top_ups": [], "played_at": "<time>"}
    return _MARKED.split(write(hand))
