"""Comparison of two records of a hand, whatever the order of the cards in a row."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from evidence import canonical_json
from schemas.base import ComparedMistake
from schemas.hands import SubmittedHand, dump_hand
from scoring.board import Row
from scoring.cards import NAMES
from scoring.errors import Path
from scoring.hand import Hand, PlayerHand, Seat

Content = Mapping[str, Any]
"""A hand as `dump_hand` encodes it."""
_ROWS: Final = tuple(row.value for row in Row)
_STREET: Final = ("dealt", *_ROWS, "discards", "auto")


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


def _identify_player(player: PlayerHand) -> dict[str, Any]:
    rows = player.board.rows
    return {
        "seat": player.seat,
        "fantasyland": player.fantasyland,
        "top": sorted([NAMES[card] for card in rows.top]),
        "middle": sorted([NAMES[card] for card in rows.middle]),
        "bottom": sorted([NAMES[card] for card in rows.bottom]),
    }


def is_same_hand(recorded: Content, received: Content) -> bool:
    """Return whether two contents are of the same hand: they agree wherever both have a value."""
    return next(_differences(recorded, received), None) is None


def find_differences(recorded: Content, received: SubmittedHand) -> Iterator[ComparedMistake]:
    """List every difference between a recorded and a received hand, with its path in the received one."""
    places = {player.seat: index for index, player in enumerate(received.hand.players)}
    for path, old, new in _differences(recorded, dump_hand(received)):
        at = ("players", places[path[1]], *path[2:]) if path[0] == "players" and len(path) > 1 else path
        detail = f"{show_compared(old)} is recorded, {show_compared(new)} was received"
        yield ComparedMistake("hand-conflict", at, detail, {"recorded": old, "received": new})


def prefer_recorded(recorded: SubmittedHand, received: SubmittedHand) -> SubmittedHand:
    """
    Return the recorded hand if the received one is the same hand, and the received one if it is not.

    Values that only the received hand has are added: time of play, discards, streets.
    """
    if not is_same_hand(dump_hand(recorded), dump_hand(received)):
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


def _differences(recorded: Content, received: Content) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Yield the path, by seat below `players`, and both values of every difference."""
    for name in ("number", "button", "top_ups"):
        if recorded[name] != received[name]:
            yield (name,), recorded[name], received[name]
    old, new = _by_seat(recorded), _by_seat(received)
    if len(received["players"]) != len(recorded["players"]) or old.keys() != new.keys():
        yield ("players",), _seats(recorded), _seats(received)
    for seat in old.keys() & new.keys():
        for path, value, other in _player_differences(old[seat], new[seat]):
            yield ("players", seat, *path), value, other


def _by_seat(content: Content) -> dict[Seat, Content]:
    return {player["seat"]: player for player in content["players"]}


def _seats(content: Content) -> list[Seat]:
    return [player["seat"] for player in content["players"]]


def _player_differences(old: Content, new: Content) -> Iterator[tuple[Path, Any, Any]]:
    if old["fantasyland"] != new["fantasyland"]:
        yield ("fantasyland",), old["fantasyland"], new["fantasyland"]
    for row in _ROWS:
        if sorted(old[row]) != sorted(new[row]):
            yield (row,), old[row], new[row]
    discards, others = old["discards"], new["discards"]
    if discards is not None and others is not None and sorted(discards) != sorted(others):
        yield ("discards",), discards, others
    if old["streets"] is not None and new["streets"] is not None:
        yield from _street_differences(old["streets"], new["streets"])


def _street_differences(old: list[Content], new: list[Content]) -> Iterator[tuple[Path, Any, Any]]:
    if len(old) != len(new):
        yield ("streets",), len(old), len(new)
    for index, (street, other) in enumerate(zip(old, new, strict=False)):
        for part in _STREET:
            if list(street[part]) != list(other[part]):
                yield ("streets", index, part), list(street[part]), list(other[part])
