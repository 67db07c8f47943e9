"""
Measure how many three-player hands are scored per second on one core, from boards packed as they are stored.

Beside it, in the same run, floors: what comes before any rule. `np.take` of nine row strengths a hand from a table of
all rows, with the numbers of the rows known already, which stored hands lack; and the strengths of nine rows
from the packed cards, as scoring itself begins.
"""

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from math import comb
from random import Random
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.score_hands import PLAYERS, deal, set_at_random, set_well
from scoring.board import Board
from scoring.bulk.rows import are_one_deck, place_rows, row_places
from scoring.bulk.score import SLICE, score_hands
from scoring.bulk.tables import ruleset_tables
from scoring.presets import PRESETS
from scoring.ruleset import BOARD_SIZE, DECK_SIZE

HANDS: Final = 400_000
DEALT: Final = 20_000
RUNS: Final = 9
TARGET: Final = 25_000_000
RULESETS: Final = ("pineapple", "progressive", "deuce-to-seven")
THREES: Final = comb(DECK_SIZE, 3)
FIVES: Final = comb(DECK_SIZE, 5)

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.intp]


def pack(name: str, kind: str) -> Bytes:
    """Deal hands and pack them; each comes several times, far from itself."""
    rng, setter = Random(name), set_well if kind == "plausible" else set_at_random
    dealt = [deal(setter, PRESETS[name], rng) for _ in range(DEALT)]
    joined = b"".join(Board(rows).packed for hand in dealt for rows in hand)
    return np.resize(np.frombuffer(joined, np.uint8).reshape(DEALT, PLAYERS, BOARD_SIZE), (HANDS, PLAYERS, BOARD_SIZE))


def number_rows(boards: Bytes) -> tuple[Numbers, Numbers]:
    """Number each row among all of its size, from its cards in rising order: [3, hands] and [6, hands]."""
    boards = boards.reshape(-1, BOARD_SIZE)
    rows = [np.sort(boards[:, start:end]).astype(np.intp) for start, end in ((0, 3), (3, 8), (8, 13))]
    top, middle, bottom = (
        sum(choose(cards[:, at], at + 1) for at in range(cards.shape[1])).reshape(-1, PLAYERS).T for cards in rows
    )
    return np.ascontiguousarray(top), np.concatenate([middle, bottom])


def choose(cards: Numbers, number: int) -> Numbers:
    """Count the ways to choose so many of the cards below each."""
    return np.array([comb(card, number) for card in range(DECK_SIZE)])[cards]


def time_once(work: Callable[[slice], object]) -> float:
    """Return the hands per second of one run over all hands, slice by slice."""
    started = time.process_time()
    for start in range(0, HANDS, SLICE):
        work(slice(start, start + SLICE))
    return HANDS / (time.process_time() - started)


def measure(name: str, kind: str) -> tuple[float, float, float, float]:
    """Return the medians of scoring, of the check of the deck, and of both floors."""
    boards, ruleset = pack(name, kind), PRESETS[name]
    threes, fives = number_rows(boards)
    rng = np.random.default_rng(1)
    three_strengths = rng.integers(0, 455, THREES, dtype=np.uint16)
    five_strengths = rng.integers(0, 7_462, FIVES, dtype=np.uint16)

    def look_up(stretch: slice) -> None:
        np.take(three_strengths, threes[:, stretch])
        np.take(five_strengths, fives[:, stretch])

    works: tuple[Callable[[slice], object], ...] = (
        lambda stretch: score_hands(ruleset, boards[stretch]),
        lambda stretch: are_one_deck(boards[stretch]),
        look_up,
        lambda stretch: place_rows(boards[stretch]),
    )
    runs = [[time_once(work) for work in works] for _ in range(RUNS)]
    scored, checked, known, from_cards = (median(speeds) for speeds in zip(*runs, strict=True))
    return scored, checked, known, from_cards


def tables_cost() -> str:
    """Print how long the tables take to fill, and how large they are."""
    row_places.cache_clear()
    ruleset_tables.cache_clear()
    started = time.process_time()
    places = row_places()
    rows = time.process_time() - started
    tracemalloc.start()
    ruleset_tables(PRESETS["pineapple"])
    gc.collect()  # what Python keeps for the next tuple is no table's
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    ruleset_tables.cache_clear()
    started = time.process_time()
    ruleset_tables(PRESETS["pineapple"])
    one = time.process_time() - started
    arrays = sum(table.nbytes for table in places[1:])
    return (
        f"tables: rows {rows * 1e3:.0f} ms and {arrays / 1e3:.0f} kB, once; "
        f"each ruleset {one * 1e3:.0f} ms and {size / 1e3:.0f} kB"
    )


def main() -> int:
    """Print a line for each ruleset and mix; exit code 1 if one is slower than the target."""
    print(tables_cost())
    heads = ("one deck", "look-ups", "ratio", "from cards", "ratio")
    print(f"{'ruleset':<16}{'boards':<12}{'hands/s':>12}" + "".join(f"{head:>13}" for head in heads))
    slowest = TARGET + 0.0
    for name in RULESETS:
        for kind in ("plausible", "random"):
            scored, checked, known, from_cards = measure(name, kind)
            slowest = min(slowest, scored)
            floors = f"{known:>13,.0f}{scored / known:>13.2f}{from_cards:>13,.0f}{scored / from_cards:>13.2f}"
            print(f"{name:<16}{kind:<12}{scored:>12,.0f}{checked:>13,.0f}{floors}")
    print(f"target: {TARGET:,} hands of {PLAYERS} players per second on one core, median of {RUNS} runs of {HANDS:,}")
    return 0 if slowest >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
