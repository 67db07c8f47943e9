"""docs/rules.md, The same hand: whether two hands as they were sent are one hand, by the rules' own words."""

from typing import Any

Hand = dict[str, Any]

ROWS = ("top", "middle", "bottom")


def is_same_hand(first: Hand, second: Hand) -> bool:
    """Rows are sets unless both hands have streets; the time and the order of seats do not count."""
    if (first["number"], first["button"]) != (second["number"], second["button"]):
        return False
    if added(first) != added(second):
        return False
    ones, others = ({player["seat"]: player for player in hand["players"]} for hand in (first, second))
    return ones.keys() == others.keys() and all(is_same_board(ones[seat], others[seat]) for seat in ones)


def added(hand: Hand) -> dict[int, int]:
    """What each seat added before the hand."""
    return {top_up["seat"]: top_up["points"] for top_up in hand.get("top_ups") or []}


def is_same_board(one: Hand, other: Hand) -> bool:
    """The cards of each row; discards and streets count where both sides know them."""
    if one.get("fantasyland", 0) != other.get("fantasyland", 0):
        return False
    if any(set(one[row]) != set(other[row]) for row in ROWS):
        return False
    discards = [player.get("discards") for player in (one, other)]
    if None not in discards and set(discards[0]) != set(discards[1]):
        return False
    streets = [player.get("streets") for player in (one, other)]
    return None in streets or streets[0] == streets[1]
