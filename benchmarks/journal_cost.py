"""
Measure what the journal costs: the processor time of a whole round with its entry, beside that of one without.

Rounds of three hands are opened and posted in this process by one client, as by `benchmarks.hand_in_process`; every
second one adds nothing to the journal. The time is that of Python and PostgreSQL together. Other programs can only
add to the time of a round, so the mean of the cheapest half of the rounds is compared, beside the median of all.

Example: python -m benchmarks.journal_cost --rounds 400
"""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any, Final

from flask import Flask

from benchmarks.hand_in_process import cost_of, open_app, post, prepare, session_of
from benchmarks.post_hands import RULESET, SEATS, STACK, make_hands
from service.rounds.queries import writer

_WARM_UP: Final = 20
"""The number of rounds that are not counted."""


@contextmanager
def no_entries() -> Iterator[None]:
    """Record rounds that add nothing to the journal."""
    post_round = writer.post_round
    writer.post_round = lambda *_: None
    try:
        yield
    finally:
        writer.post_round = post_round


def measure_round(app: Flask, key: str, postgresql: Path, round_id: str, hands: list[bytes]) -> float:
    """Post the hands of a round, and return the processor time that they took, in milliseconds."""
    requests = [prepare(key, f"/v1/rounds/{round_id}/hands", hand) for hand in hands]
    return 1000 * sum(sum(cost_of(app, request, postgresql)) for request in requests)


def show(name: str, times: list[float]) -> float:
    """Print the times of rounds, and return the mean of the cheapest half."""
    cheapest = mean(sorted(times)[: len(times) // 2])
    print(f"a round {name}: {cheapest:.2f} ms of processor time, median {median(times):.2f} ms, {len(times)} rounds")
    return cheapest


def main() -> int:
    """Print the time of a round with the journal and without it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=400, help="rounds of three hands (default 400)")
    chosen = parser.parse_args()
    with_journal: list[float] = []
    without: list[float] = []
    seats = json.dumps({"seats": [{"seat": seat, "player": f"player {seat}", "stack": STACK} for seat in SEATS]})
    with open_app() as (app, key, owner):
        table = post(app, prepare(key, "/v1/tables", json.dumps({"name": "table", "ruleset": RULESET}).encode()))["id"]
        for number, hands in enumerate(make_hands(_WARM_UP + chosen.rounds, Random(1))):
            round_id = post(app, prepare(key, f"/v1/tables/{table}/rounds", seats.encode()))["id"]
            arguments: Any = (app, key, session_of(owner), round_id, hands)
            if number % 2:
                taken, times = measure_round(*arguments), with_journal
            else:
                with no_entries():
                    taken, times = measure_round(*arguments), without
            if number >= _WARM_UP:
                times.append(taken)
    whole, bare = show("with the journal", with_journal), show("without it", without)
    print(f"the journal costs {whole / bare - 1:.1%} of a round; target: at most 10 %")
    return 0 if whole <= 1.1 * bare else 1


if __name__ == "__main__":
    sys.exit(main())
