"""
Measure the rules for browsers in Node.js: how long they take to start, and to score hands, complete and not.

The floor is the same adapter in the Python of the service, with the same hands in the same run. Scoring a hand includes
JSON on both sides. The first hand of a round replays the hands before it; the others find the round replayed.
"""

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.oracle import PRESETS, random_document
from tests.web.browser_rules import BrowserRules, Document, build_rules, running_rules
from web.rules.build import MANIFEST, RULES

ROUNDS: Final = 40
STARTS: Final = 5
ROWS: Final = ("top", "middle", "bottom")


def list_hands() -> list[tuple[str, list[str], str]]:
    """Return rounds before a hand of three players, that hand while it is set, street by street, and complete."""
    hands: list[tuple[str, list[str], str]] = []
    seed = 0
    while len(hands) < ROUNDS:
        seed += 1
        document = random_document(Random(seed), PRESETS["pineapple"], small_stacks=False)
        if len(document["hands"]) < 4 or len(document["hands"][3]["players"]) < 3 or document["departures"]:
            continue
        round_ = {
            "document": {**document, "hands": document["hands"][:3], "closed": None},
            "ruleset": PRESETS["pineapple"],
        }
        hand = document["hands"][3]
        partial = [json.dumps(cut_off(hand, placed)) for placed in (5, 7, 9, 11)]
        hands.append((json.dumps(round_), partial, json.dumps(hand)))
    return hands


def cut_off(hand: Document, placed: int) -> Document:
    """Return a hand whose players have placed so many cards, the bottom first."""
    players = []
    for player in hand["players"]:
        cut, left = {"seat": player["seat"], "fantasyland": player.get("fantasyland", 0)}, placed
        for row in reversed(ROWS):
            cut[row] = player[row][:left]
            left -= len(cut[row])
        players.append(cut)
    return {**hand, "players": players}


def load_adapter() -> Any:
    """Import the adapter in this process, with the libraries of the service."""
    spec = importlib.util.spec_from_file_location("rules_adapter", RULES / "adapter.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["rules_adapter"] = module
    spec.loader.exec_module(module)
    return module


def measure(score: Callable[[str, str], float]) -> dict[str, float]:
    """Return the median milliseconds of processor time of each kind of hand."""
    taken: dict[str, list[float]] = {"first of a round": [], "complete": [], "partial": []}
    for round_text, partial, complete in list_hands():
        taken["first of a round"].append(score(round_text, complete))
        taken["complete"] += [score(round_text, complete) for _ in range(3)]
        taken["partial"] += [score(round_text, each) for each in partial]
    return {kind: median(times) for kind, times in taken.items()}


def time_native(score: Callable[[str, str], str]) -> Callable[[str, str], float]:
    def timed(round_text: str, hand: str) -> float:
        started = time.process_time()
        score(round_text, hand)
        return 1000 * (time.process_time() - started)

    return timed


def time_browser(rules: BrowserRules) -> Callable[[str, str], float]:
    def timed(round_text: str, hand: str) -> float:
        rules.score_text(round_text, hand)
        return rules.milliseconds[-1]["processor"]

    return timed


def report_sizes(built: Path) -> None:
    manifest = json.loads((built / MANIFEST).read_text())
    files = {**manifest["files"], **manifest["scripts"]}
    for name, file in files.items():
        print(f"{name}: {file['bytes'] / 1e6:.2f} MB, {file['gzip'] / 1e6:.2f} MB with gzip")
    total = [sum(file[size] for file in files.values()) / 1e6 for size in ("bytes", "gzip")]
    print(f"all: {total[0]:.1f} MB, {total[1]:.1f} MB with gzip")


def main() -> None:
    with TemporaryDirectory() as directory:
        report(build_rules(Path(directory)))


def report(built: Path) -> None:
    report_sizes(built)
    starts = []
    for _ in range(STARTS):
        with running_rules(built) as rules:
            starts.append(rules.description["milliseconds"])
    for part in ("python", "rules"):
        figures = [f"{median(each[part][kind] for each in starts):.0f} ms {kind}" for kind in ("clock", "processor")]
        print(f"start of {part}: {', '.join(figures)}")
    floor = measure(time_native(load_adapter().score))
    with running_rules(built) as rules:
        browser = measure(time_browser(rules))
    for kind, milliseconds in browser.items():
        ratio = milliseconds / floor[kind]
        print(f"{kind}: {milliseconds:.1f} ms, in the service's Python {floor[kind]:.2f} ms, {ratio:.1f} times")


if __name__ == "__main__":
    main()
