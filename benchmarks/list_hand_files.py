"""
List the project's files that run when a hand is posted, in the order in which the first function of each is called.

One hand is posted to the application in this process, on a new embedded PostgreSQL, under `sys.setprofile`. Generated
code and libraries are left out. docs/architecture.md explains what the files do.

Example: python -m benchmarks.list_hand_files
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Final

from benchmarks.hand_in_process import open_app, post, prepare
from benchmarks.post_hands import RULESET, SEATS, STACK, make_hands

ROOT: Final = Path(__file__).parents[1]
LAYERS: Final = ("service", "schemas", "evidence", "scoring")


def count_calls(function: Callable[[], Any]) -> Counter[str]:
    """Call a function, and count the calls of the functions of each project file."""
    calls = Counter[str]()

    def record(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            calls[frame.f_code.co_filename] += 1

    sys.setprofile(record)
    try:
        function()
    finally:
        sys.setprofile(None)
    folders = [f"{ROOT / layer}/" for layer in LAYERS]
    return Counter({name.removeprefix(f"{ROOT}/"): calls[name] for name in calls if any(map(name.startswith, folders))})


def main() -> int:
    """Post a round's first hand to fill the caches, then its second, and print the files of the second."""
    with open_app() as (app, key, _owner):
        [hands] = make_hands(1, Random(1))
        table = post(app, prepare(key, "/v1/tables", json.dumps({"name": "friday", "ruleset": RULESET}).encode()))
        seats = [{"seat": seat, "player": f"player {seat}", "stack": STACK} for seat in SEATS]
        opened = post(app, prepare(key, f"/v1/tables/{table['id']}/rounds", json.dumps({"seats": seats}).encode()))
        first, second = (prepare(key, f"/v1/rounds/{opened['id']}/hands", hand) for hand in hands[:2])
        post(app, first)
        calls = count_calls(lambda: post(app, second))
    print("calls  file")
    for name, number in calls.items():
        print(f"{number:5}  {name}")
    print(f"{calls.total():5}  calls of functions in {len(calls)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
