"""
Measure how many three-player hands are scored per second on one core.

Scored are rows, fouls, royalties, exchanges and Fantasyland. Cards are already read; boards are new each time, so that
none remembers its strengths from the run before.
"""

import gc
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from typing import Final

from scoring.board import Board, ByRow
from scoring.cards import DECK, Card
from scoring.exchange import score_board
from scoring.hand import PlayerHand
from scoring.presets import PRESETS
from scoring.ruleset import BOARD_SIZE, Ruleset
from scoring.score import score_hand

PLAYERS: Final = 3
HANDS: Final = 5_000
RUNS: Final = 7
TARGET: Final = 20_000
RULESETS: Final = ("pineapple", "progressive", "deuce-to-seven")

Rows = ByRow[tuple[Card, ...]]
Setter = Callable[[Sequence[Card], Ruleset], Rows]


def set_at_random(cards: Sequence[Card], ruleset: Ruleset) -> Rows:
    """Set the cards as they came."""
    return ByRow(tuple(cards[:3]), tuple(cards[3:8]), tuple(cards[8:]))


def set_well(cards: Sequence[Card], ruleset: Ruleset) -> Rows:
    """Place groups or a flush low and single cards high; for a low the lowest card of each rank goes to the middle."""
    groups, suits = Counter(card.rank for card in cards), Counter(card.suit for card in cards)
    down = sorted(cards, key=lambda card: (groups[card.rank], card.rank), reverse=True)
    lowest = {card.rank: card for card in down}
    if ruleset.low_middle and len(lowest) >= 5:
        middle = [lowest[rank] for rank in sorted(lowest)[:5]]
        down = [card for card in down if card not in middle]
        return ByRow(tuple(down[5:]), tuple(middle), tuple(down[:5]))
    flush = [card for card in down if suits[card.suit] >= 5][:5]
    down = flush + [card for card in down if card not in flush]
    return ByRow(tuple(down[10:]), tuple(down[5:10]), tuple(down[:5]))


def deal(setter: Setter, ruleset: Ruleset, rng: Random) -> list[Rows]:
    """Deal every player thirteen cards, and set them."""
    deck = rng.sample(DECK, len(DECK))
    return [setter(deck[place * BOARD_SIZE : (place + 1) * BOARD_SIZE], ruleset) for place in range(PLAYERS)]


def hands_per_second(dealt: Sequence[Sequence[Rows]], ruleset: Ruleset) -> float:
    """Time one run over all hands."""
    started = time.process_time()
    for hand in dealt:
        score_hand([PlayerHand(seat, Board(rows)) for seat, rows in enumerate(hand, start=1)], ruleset, button=3)
    return len(dealt) / (time.process_time() - started)


def measure(name: str, setter: Setter) -> tuple[float, float]:
    """Return the median speed, and the share of boards that do not foul."""
    rng, ruleset = Random(name), PRESETS[name]
    dealt = [deal(setter, ruleset, rng) for _ in range(HANDS)]
    good = [score_board(1, Board(rows), None, ruleset).foul is None for hand in dealt for rows in hand]
    gc.collect()
    gc.freeze()
    return median(hands_per_second(dealt, ruleset) for _ in range(RUNS)), sum(good) / len(good)


def main() -> int:
    """Print a line for each ruleset and mix; exit code 1 if one is slower than the target."""
    print(f"{'ruleset':<16}{'boards':<12}{'good':>6}{'hands/s':>10}")
    slowest = TARGET + 0.0
    for name in RULESETS:
        for kind, setter in (("plausible", set_well), ("random", set_at_random)):
            speed, good = measure(name, setter)
            slowest = min(slowest, speed)
            print(f"{name:<16}{kind:<12}{good:>6.0%}{speed:>10,.0f}")
    print(f"target: {TARGET:,} hands of {PLAYERS} players per second on one core, median of {RUNS} runs of {HANDS:,}")
    return 0 if slowest >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
