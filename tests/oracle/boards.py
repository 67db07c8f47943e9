"""Random boards that look played: dealt with some luck, then set with some preference."""

from itertools import pairwise
from random import Random
from typing import Any

from tests.oracle.fantasyland import earned
from tests.oracle.fouls import foul_reason
from tests.oracle.points import royalties
from tests.oracle.rows import RANKS, SIZES, SUITS, strength5

Board = dict[str, list[str]]
WINDOWS = ["A2345"] + [RANKS[lowest : lowest + 5] for lowest in range(9)]
ATTEMPTS = 14


# --- the deal ---


def lucky_cards(rng: Random) -> list[str]:
    """Cards that make a rare row, so that rare rows are not rare here."""
    suit, rank = rng.choice(SUITS), rng.choice(RANKS)
    window = rng.choice([*WINDOWS, WINDOWS[-1]])
    return rng.choice(
        [
            [rank + s for s in SUITS],
            [rank + s for s in SUITS],
            [rank + s for s in SUITS[:3]] + [rng.choice("QKA") + s for s in SUITS[:2]],
            [rng.choice("QKA") + s for s in rng.sample(SUITS, 3)],
            [rank + s for s in SUITS],
            [r + suit for r in window],
            [r + rng.choice(SUITS) for r in window],
            [r + suit for r in rng.sample(RANKS, 5)],
            [r + rng.choice(SUITS) for r in "75432"],
            [r + rng.choice(SUITS) for r in "87652"],
        ]
    )


def deal(rng: Random, deck: list[str], number: int, luck: float) -> list[str]:
    """Take so many cards off the deck, a few of them lucky ones."""
    picks: list[str] = []
    for _ in range(2):
        if rng.random() < luck:
            picks += lucky_cards(rng)
    if rng.random() < luck:
        picks += [rng.choice("QQKKA") + suit for suit in rng.sample(SUITS, 2)]
    cards = [card for card in dict.fromkeys(picks) if card in deck][:number]
    cards += rng.sample([card for card in deck if card not in cards], number - len(cards))
    for card in cards:
        deck.remove(card)
    return cards


def mirrored(rng: Random, board: Board, deck: list[str]) -> Board:
    """Another player's board in other suits as far as the deck has them, which makes rows tie."""
    copy: Board = {row: [] for row in SIZES}
    for row in SIZES:
        for card in board[row]:
            twins = [twin for twin in deck if twin[0] == card[0]]
            twin = rng.choice(twins or deck)
            deck.remove(twin)
            copy[row].append(twin)
    return copy


# --- setting the cards ---


def of_rank(cards: list[str], least: int) -> list[list[str]]:
    """The groups of at least so many cards of one rank, highest rank first."""
    groups = [[card for card in cards if card[0] == rank] for rank in reversed(RANKS)]
    return [group for group in groups if len(group) >= least]


def filled(rng: Random, combination: list[str], cards: list[str], size: int) -> list[str]:
    """The made cards, and any others up to the size of the row."""
    return combination + rng.sample([card for card in cards if card not in combination], size - len(combination))


def made_fives(rng: Random, cards: list[str]) -> list[list[str]]:
    """Some five-card rows that these cards make, and one that chance makes."""
    fives = [rng.sample(cards, 5)]
    suited = [[card for card in cards if card[1] == suit] for suit in SUITS]
    fives += [rng.sample(flush, 5) for flush in suited if len(flush) >= 5]
    for pool in [cards, *suited]:
        for window in WINDOWS:
            straight = [[card for card in pool if card[0] == rank] for rank in window]
            if all(straight):
                fives.append([rng.choice(ranked) for ranked in straight])
    pairs, trips, quads = of_rank(cards, 2), of_rank(cards, 3), of_rank(cards, 4)
    fives += [filled(rng, four[:4], cards, 5) for four in quads]
    for three in trips:
        fives += [three[:3] + two[:2] for two in pairs if two[0][0] != three[0][0]]
        fives.append(filled(rng, three[:3], cards, 5))
    fives += [filled(rng, high[:2] + low[:2], cards, 5) for high, low in pairwise(pairs)]
    return fives + [filled(rng, two[:2], cards, 5) for two in pairs]


def five_of(rng: Random, cards: list[str]) -> list[str]:
    fives = made_fives(rng, cards)
    return max(rng.sample(fives, min(len(fives), rng.choice([1, 3, 12]))), key=strength5)


def low_of(rng: Random, cards: list[str]) -> list[str]:
    """Five low cards of different ranks where there are any."""
    ranks = [rank for rank in RANKS if any(card[0] == rank for card in cards)]
    lows = ranks[: 5 if rng.random() < 0.6 else 6]
    chosen = rng.sample(lows, min(5, len(lows)))
    picked = [rng.choice([card for card in cards if card[0] == rank]) for rank in chosen]
    return filled(rng, picked, cards, 5)


def top_of(rng: Random, cards: list[str]) -> list[str]:
    """A group of equal ranks on top, a high one rather than a low one, or anything."""
    pairs, trips = of_rank(cards, 2), of_rank(cards, 3)
    if trips and rng.random() < 0.3:
        return rng.choice(trips)[:3]
    if pairs and rng.random() < 0.8:
        return filled(rng, rng.choice([pairs[0], rng.choice(pairs)])[:2], cards, 3)
    return rng.sample(cards, 3)


def without(cards: list[str], row: list[str]) -> list[str]:
    return [card for card in cards if card not in row]


def arrangement(rng: Random, cards: list[str], low_middle: bool) -> Board:
    """One way to set the cards; it may well be foul."""
    if rng.random() < 0.05:
        by_chance = rng.sample(cards, 13)
        return {"top": by_chance[:3], "middle": by_chance[3:8], "bottom": by_chance[8:]}
    top = top_of(rng, cards) if rng.random() < 0.6 else []
    rest = without(cards, top)
    middle = low_of(rng, rest) if low_middle else []
    rest = without(rest, middle)
    bottom = five_of(rng, rest)
    rest = without(rest, bottom)
    if not middle:
        middle = five_of(rng, rest)
        rest = without(rest, middle)
        if strength5(middle) > strength5(bottom):
            middle, bottom = bottom, middle
    return {"top": top or rng.sample(rest, 3), "middle": middle, "bottom": bottom}


def board_of(rng: Random, cards: list[str], ruleset: dict[str, Any], fantasyland: int, stays: int) -> Board:
    """Of several arrangements the one that this player, this time, likes best."""
    wish = rng.choices(["royalties", "earned", "good", "any", "foul"], [5, 5, 3, 1, 1])[0]
    best: Board | None = None
    most = -1
    for _ in range(ATTEMPTS):
        board = arrangement(rng, cards, ruleset["low_middle"])
        if wish == "any":
            return board
        is_foul = foul_reason(board, ruleset) is not None
        if is_foul == (wish == "foul") and wish in ("good", "foul"):
            return board
        worth = 0
        if not is_foul:
            worth = 1 + sum(royalties(board, ruleset).values())
            if wish == "earned" and earned({**board, "fantasyland": fantasyland, "stays": stays}, ruleset):
                worth += 1000
        if worth > most:
            best, most = board, worth
    assert best is not None
    return best
