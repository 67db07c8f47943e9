"""Random streets for a finished board: what was dealt when, and what the clock set."""

from random import Random
from typing import Any

from tests.oracle.deal import LOWEST_FIRST, check_auto, lay_by_clock, streets_of
from tests.oracle.refused import Refused
from tests.oracle.rows import SIZES

Street = dict[str, list[str]]


def streets_for(rng: Random, board: dict[str, Any], discards: list[str], table: list[tuple[int, int]]) -> list[Street]:
    """Deal the cards of a board and its discards in some order that ends at this board."""
    laid = [(card, row) for row in SIZES for card in board[row]]
    thrown = list(discards)
    rng.shuffle(laid)
    rng.shuffle(thrown)
    streets = []
    for dealt, placed in table:
        set_down, laid = laid[:placed], laid[placed:]
        away, thrown = thrown[: dealt - placed], thrown[dealt - placed :]
        cards = [card for card, _ in set_down] + away
        rng.shuffle(cards)
        rows = {row: [card for card, where in set_down if where == row] for row in SIZES}
        streets.append({"dealt": cards, **rows, "discards": away, "auto": []})
    return streets


def rooms(streets: list[Street], number: int) -> dict[str, int]:
    """The room in each row before the street of this number."""
    return {row: SIZES[row] - sum(len(street[row]) for street in streets[:number]) for row in SIZES}


def mark_auto(rng: Random, streets: list[Street], number: int, placed: int) -> None:
    """Mark a part of this street as set by the clock, where the clock would have set it so."""
    street = streets[number]
    by_clock = [card for row in LOWEST_FIRST for card in street[row] if rng.random() < 0.6]
    in_order = by_clock + street["discards"]
    by_hand = [card for card in street["dealt"] if card not in in_order]
    dealt = in_order
    for card in by_hand:
        dealt = list(dealt)
        dealt.insert(rng.randint(0, len(dealt)), card)
    marked = by_clock + [card for card in street["discards"] if rng.random() < 0.7]
    rng.shuffle(marked)
    tried = {**street, "dealt": dealt, "auto": marked}
    try:
        check_auto(tried, rooms(streets, number), placed)
    except Refused:
        return
    streets[number] = tried


def disconnect(streets: list[Street], first: int, table: list[tuple[int, int]]) -> None:
    """From this street on the clock sets everything, so the board becomes what the clock makes of it."""
    for number in range(first, len(streets)):
        dealt, placed = streets[number]["dealt"], table[number][1]
        rows = lay_by_clock(dealt[:placed], rooms(streets, number))
        streets[number] = {"dealt": dealt, **rows, "discards": dealt[placed:], "auto": list(dealt)}


def random_streets(
    rng: Random, board: dict[str, Any], discards: list[str], variant: str, fantasyland: int
) -> tuple[list[Street], dict[str, list[str]], list[str]]:
    """Streets, and the board and discards that result: a player who disconnects does not reach the planned board."""
    table = streets_of(variant, fantasyland)
    streets = streets_for(rng, board, discards, table)
    if rng.random() < 0.2:
        disconnect(streets, rng.randrange(len(streets)), table)
    else:
        for number in range(len(streets)):
            if rng.random() < 0.4:
                mark_auto(rng, streets, number, table[number][1])
    rows = {row: [card for street in streets for card in street[row]] for row in SIZES}
    discards = [card for street in streets for card in street["discards"]]
    for street in streets:
        if not street["auto"] and rng.random() < 0.5:
            del street["auto"]
    return streets, rows, discards
