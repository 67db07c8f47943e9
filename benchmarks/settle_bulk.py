"""
Measure how many hands of whole rounds are settled per second on one core: many rounds at once, and one by one.

Both check that every hand follows, score it, cap and move the points, and see what comes next.
"""

import time
from collections.abc import Callable
from random import Random
from statistics import median
from typing import Final

import numpy as np

from benchmarks.score_hands import deal, set_well
from scoring.board import Board
from scoring.bulk.rounds import BulkRounds
from scoring.bulk.settle import settle_rounds
from scoring.hand import Hand, PlayerHand
from scoring.history import History, replay
from scoring.presets import PRESETS
from scoring.round import open_round, play_hand
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset

ROUNDS: Final = 300
COPIES: Final = 30
RUNS: Final = 7
STACK: Final = 60
RULESETS: Final = ("pineapple", "pineapple-qq", "progressive-round", "deuce-to-seven")


def play_round(ruleset: Ruleset, rng: Random) -> History:
    """Play a round of three to its end with plausible boards."""
    seats = tuple(RoundSeat(seat, f"player-{seat}", rng.randint(STACK // 3, STACK)) for seat in (1, 2, 3))
    round_, hands = open_round(ruleset, seats), []
    while (following := round_.next_hand) is not None:
        owed = {seat: fantasyland.cards for seat, fantasyland in following.fantasyland.items()}
        boards = zip(following.seats, deal(set_well, ruleset, rng), strict=False)
        players = tuple(PlayerHand(seat, Board(rows), owed.get(seat, 0)) for seat, rows in boards)
        hands.append(Hand(following.number, following.button or rng.choice(following.seats), players))
        round_ = play_hand(round_, hands[-1]).round
    return History(ruleset, seats, tuple(hands))


def copied(rounds: BulkRounds, copies: int) -> BulkRounds:
    """The same rounds so many times over."""
    return BulkRounds(**{name: np.concatenate([getattr(rounds, name)] * copies) for name in BulkRounds.__slots__})


def time_once(work: Callable[[], object], hands: int) -> float:
    """Return the hands per second of one run."""
    started = time.process_time()
    work()
    return hands / (time.process_time() - started)


def measure(name: str) -> tuple[float, float, float]:
    """Return the medians in bulk and one by one, and the speed in bulk with empty tables."""
    rng, ruleset = Random(name), PRESETS[name]
    histories = [play_round(ruleset, rng) for _ in range(ROUNDS)]
    laid = BulkRounds.of(histories)
    hands, many = len(laid.buttons), copied(laid, COPIES)
    first = time_once(lambda: settle_rounds(ruleset, laid), hands)
    bulk, plain = [], []
    for _ in range(RUNS):
        bulk.append(time_once(lambda: settle_rounds(ruleset, many), hands * COPIES))
        plain.append(time_once(lambda: [replay(history) for history in histories], hands))
    return median(bulk), median(plain), first


def main() -> None:
    """Print a line for each ruleset."""
    print(f"{'ruleset':<20}{'hands/s in bulk':>18}{'one by one':>14}{'ratio':>8}{'first time':>14}")
    for name in RULESETS:
        bulk, plain, first = measure(name)
        print(f"{name:<20}{bulk:>18,.0f}{plain:>14,.0f}{bulk / plain:>8.0f}{first:>14,.0f}")
    print(f"medians of {RUNS} runs; in bulk, {ROUNDS} rounds {COPIES} times over; first time: once, nothing known yet")


if __name__ == "__main__":
    main()
