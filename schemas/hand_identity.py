"""The identity of a hand, and the mistakes of a record that differs from an earlier one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

import orjson

from evidence import canonical_json
from schemas.base import ComparedMistake
from schemas.hands import SubmittedHand
from scoring.cards import NAMES, Card
from scoring.hand import Hand, PlayerHand, TopUp
from scoring.same_hand import Value, find_differences, is_same_hand


def identify_hand(hand: Hand) -> bytes:
    """
    Return what all records of the same hand have in common, as canonical JSON.

    Rows are compared as sets of cards. The time of play, discards and streets are left out: not every record has them.

    Rule: docs/rules.md#the-same-hand
    """
    top_ups = sorted(hand.top_ups, key=lambda added: added.seat)
    content = {
        "number": hand.number,
        "button": hand.button,
        "top_ups": [{"seat": added.seat, "points": added.points} for added in top_ups],
        "players": [_identify_player(player) for player in hand.players_by_seat],
    }
    return canonical_json(content)


def digest_hands(head: Mapping[str, Any], hands: Sequence[bytes]) -> bytes:
    """Return the digest of a document with the canonical JSON of each hand, given its other fields."""
    return sha256(canonical_json({**head, "hands": [orjson.Fragment(hand) for hand in hands]})).digest()


def _identify_player(player: PlayerHand) -> dict[str, Any]:
    rows = player.board.rows
    return {
        "seat": player.seat,
        "fantasyland": player.fantasyland,
        "top": sorted([NAMES[card] for card in rows.top]),
        "middle": sorted([NAMES[card] for card in rows.middle]),
        "bottom": sorted([NAMES[card] for card in rows.bottom]),
    }


def find_conflicts(recorded: Hand, received: Hand) -> Iterator[ComparedMistake]:
    """List a mistake for every difference between a recorded and a received hand, with its path in the received one."""
    for path, old, new in find_differences(recorded, received):
        was, now = _dump_value(old), _dump_value(new)
        detail = f"{show_compared(was)} is recorded, {show_compared(now)} was received"
        yield ComparedMistake("hand-conflict", path, detail, {"recorded": was, "received": now})


def _dump_value(value: Value) -> Any:
    if not isinstance(value, tuple):
        return value
    return [
        NAMES[each] if isinstance(each, Card) else asdict(each) if isinstance(each, TopUp) else each for each in value
    ]


def prefer_recorded(recorded: SubmittedHand, received: SubmittedHand) -> SubmittedHand:
    """
    Return the recorded hand if the received one is the same hand, and the received one if it is not.

    Values that only the received hand has are added: time of play, discards, streets.
    """
    if not is_same_hand(recorded.hand, received.hand):
        return received
    by_seat, hand = recorded.hand.by_seat, received.hand
    players = tuple(_prefer_recorded_player(by_seat[player.seat], player) for player in hand.players)
    return replace(received, hand=replace(hand, players=players), played_at=received.played_at or recorded.played_at)


def _prefer_recorded_player(recorded: PlayerHand, received: PlayerHand) -> PlayerHand:
    return replace(
        recorded,
        discards=received.discards if recorded.discards is None else recorded.discards,
        streets=received.streets if recorded.streets is None else recorded.streets,
    )


def show_compared(value: Any) -> str:
    """
    Format a value of a hand for a message.

    >>> show_compared(["Qs", "Qd"]), show_compared([1, 2]), show_compared([]), show_compared([{"seat": 1, "points": 4}])
    ("'Qs Qd'", '1, 2', 'nothing', '4 points in seat 1')
    """
    if not isinstance(value, list):
        return str(value)
    if value and isinstance(value[0], str):
        return f"'{' '.join(value)}'"
    if value and isinstance(value[0], Mapping):
        return ", ".join(f"{added['points']} points in seat {added['seat']}" for added in value)
    return ", ".join(map(str, value)) or "nothing"
