"""Hands for the bulk rules, dealt with some luck and set in many ways: quickly, for there are a million of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schemas.rulesets import load_ruleset
from scoring.board import Board
from scoring.cards import DECK, SUITS, Card
from scoring.hand import PlayerHand
from scoring.presets import PRESETS
from scoring.ruleset import BOARD_SIZE, DECK_SIZE, Ruleset
from tests.oracle.rulesets import random_ruleset

BY_RANK: Final = tuple(DECK[start : start + len(SUITS)] for start in range(0, DECK_SIZE, len(SUITS)))
BY_SUIT: Final = tuple(DECK[suit :: len(SUITS)] for suit in range(len(SUITS)))
WINDOWS: Final = (*([*range(lowest, lowest + 5)] for lowest in range(9)), [12, 0, 1, 2, 3])
LUCKY: Final = (
    *BY_RANK,
    *([*trips[:3], *pair[2:]] for trips in BY_RANK for pair in BY_RANK if pair != trips),
    *([suited[rank] for rank in window] for suited in BY_SUIT for window in (*WINDOWS, *[WINDOWS[8]] * 9)),
    *([BY_SUIT[at % 3][rank] for at, rank in enumerate(window)] for window in WINDOWS * 3),
    *(suited[start : start + 9 : 2] for suited in BY_SUIT for start in range(5)),
    *([BY_SUIT[at % 4][rank] for at, rank in enumerate(low)] for low in combinations(range(9), 5)),
    *([BY_SUIT[at % 4][rank] for at, rank in enumerate((0, 1, 2, 3, 5))] for _ in range(40)),
)
"""Cards that make a rare row, so that rare rows are not rare here."""


def any_ruleset(rng: Random) -> Ruleset:
    """A preset, or a ruleset that nobody plays."""
    if rng.random() < 0.5:
        return rng.choice(list(PRESETS.values()))
    return load_ruleset(random_ruleset(rng))


def any_board(rng: Random, deck: list[Card]) -> list[Card]:
    """Take thirteen cards off a shuffled deck, and set them well, or somehow."""
    lucky = _take(rng.choice(LUCKY), deck) if rng.random() < 0.6 else []
    others = _take([*BY_RANK[12][:2], *BY_RANK[rng.randrange(12)][1:3]], deck) if rng.random() < 0.2 else []
    others += [deck.pop() for _ in range(BOARD_SIZE - len(lucky) - len(others))]
    kind = rng.randrange(8)
    if kind == 0:
        return lucky + others
    groups = Counter(card // 4 for card in others)
    others.sort(key=lambda card: (groups[card // 4], card), reverse=True)
    down = lucky + others
    if kind < 2:
        return [*others[:3], *lucky, *others[3:]]
    if kind < 4:
        return [*others[2:5], *lucky, *others[:2], *others[5:]]
    if kind < 6:
        return [*down[10:], *down[:10]]
    return [*down[10:], *down[5:10], *down[:5]]


def _take(cards: Iterable[Card], deck: list[Card]) -> list[Card]:
    """Take what the deck has of some cards."""
    taken = [card for card in cards if card in deck]
    for card in taken:
        deck.remove(card)
    return taken


def any_hands(rng: Random, players: int, number: int) -> list[list[Board]]:
    """
    Hands of so many players, most of them dealt from one deck.

    In a few, a player has rows of the neighbour's ranks, so that they tie; scoring accepts equal cards.
    """
    return [_any_hand(rng, players) for _ in range(number)]


def _any_hand(rng: Random, players: int) -> list[Board]:
    deck = rng.sample(DECK, DECK_SIZE)
    hand = [any_board(rng, deck) for _ in range(players)]
    if rng.random() < 0.1:
        same = {at for row in (range(3), range(3, 8), range(8, 13)) if rng.random() < 0.7 for at in row}
        hand[1] = [BY_RANK[hand[0][at] // 4][3 - hand[0][at] % 4] if at in same else hand[1][at] for at in range(13)]
    return [Board.laid(cards) for cards in hand]


def packed(hands: Sequence[Sequence[Board]]) -> NDArray[np.uint8]:
    """Return the hands as they are stored: thirteen bytes a board."""
    joined = b"".join(board.packed for hand in hands for board in hand)
    return np.frombuffer(joined, np.uint8).reshape(len(hands), -1, BOARD_SIZE)


def seated(hand: Sequence[Board], fantasyland: Sequence[int]) -> list[PlayerHand]:
    """The hand's players in seats from 1."""
    return [PlayerHand(seat, *played) for seat, played in enumerate(zip(hand, fantasyland, strict=True), start=1)]
