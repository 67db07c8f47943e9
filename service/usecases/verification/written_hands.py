"""Hands written from arrays, in the bytes in which those are kept of which no more is known than the boards."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final, NamedTuple

import numpy as np

from schemas.fields import show_time
from schemas.hands import canonical_json
from scoring.board import Row
from scoring.cards import NAMES
from scoring.ruleset import BOARD_SIZE
from service.repository.audited_at_once import EPOCH, digests_of
from service.repository.packed.rounds import Integers, PackedRounds

_MARK: Final = "#"
_CARDS: Final = [f"{_MARK}{chr(ord('a') + place)}" for place in range(BOARD_SIZE)]
"""What stands in a pattern for the cards of a board."""
_TOP, _MIDDLE = Row.TOP.size, Row.MIDDLE.size
_NAMES: Final = np.full((256, 2), ord("-"), np.uint8)
"""The two letters of each card, by what packed boards have for it."""
for _card, _name in enumerate(NAMES):
    _NAMES[_card] = tuple(_name.encode())


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


class WrittenHand(NamedTuple):
    """What happened in a hand, as canonical JSON, and as PostgreSQL shows its `jsonb`."""

    canonical: bytes
    shown: bytes


def write_hands(rows: Any, played: ArrayHands) -> Iterator[WrittenHand]:
    """Write hands; their numbers and times are taken from their records."""
    canonical, shown = _write_players(played)
    times = rows["number"].tolist(), rows["played_at"].tolist(), rows["is_timed"].tolist()
    last = 0
    for number, at, is_timed, button, players in zip(
        *times, played.buttons.tolist(), played.dealt.tolist(), strict=True
    ):
        first, last = last, last + players
        time = _write_time(at) if is_timed else b"null"
        yield WrittenHand(
            b'{"button":%d,"number":%d,"played_at":%s,"players":[%s],"top_ups":[]}'
            % (button, number, time, b",".join(canonical[first:last])),
            b'{"button": %d, "number": %d, "players": [%s], "top_ups": [], "played_at": %s}'
            % (button, number, b", ".join(shown[first:last]), time),
        )


def _write_time(at: int) -> bytes:
    return json.dumps(show_time(EPOCH + timedelta(microseconds=at))).encode()


def _write_players(played: ArrayHands) -> tuple[list[bytes], list[bytes]]:
    """Write what each made of a hand, both ways; those in one seat with as many cards of Fantasyland at once."""
    order = np.lexsort((played.fantasyland, played.seats))
    alike = np.stack([played.seats, played.fantasyland])[:, order]
    starts = np.flatnonzero(np.append(True, (np.diff(alike) != 0).any(axis=0))[: len(order)])
    canonical: list[bytes] = []
    shown: list[bytes] = []
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        pattern = _pattern(*alike[:, start].tolist())
        cards = played.boards[order[start:end]]
        canonical += _fill(canonical_json(pattern), cards)
        shown += _fill(json.dumps(pattern).encode(), cards)
    places = np.argsort(order).tolist()
    return [canonical[place] for place in places], [shown[place] for place in places]


def _pattern(seat: int, fantasyland: int) -> dict[str, Any]:
    """Give what one player made of a hand but for the cards, as PostgreSQL orders it: short names first."""
    return {
        "top": _CARDS[:_TOP],
        "seat": seat,
        "bottom": _CARDS[_TOP + _MIDDLE :],
        "middle": _CARDS[_TOP : _TOP + _MIDDLE],
        "streets": None,
        "discards": None,
        "fantasyland": fantasyland,
    }


def _fill(pattern: bytes, boards: Any) -> list[bytes]:
    """Put the cards of boards into a pattern."""
    letters = np.frombuffer(pattern, np.uint8)
    marks = np.flatnonzero(letters == ord(_MARK))
    names = _NAMES[boards[:, letters[marks + 1] - ord("a")]]
    written = np.tile(letters, (len(boards), 1))
    written[:, marks], written[:, marks + 1] = names[..., 0], names[..., 1]
    return digests_of(written)
