"""
Play a round to a real service, and keep its evidence.

`python -m tests.evidence.releases.make 0.1.0` is run once for each release. The files then stay as they are.
"""

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from client.api import Client
from tests.evidence.releases import FOLDER
from tests.support.sample_rounds import HIGH, LOW, MID, THREE, hand, seats
from tests.support.server_process import running

SITTING = {1: "ann 100", 2: "bob 100", 3: "cyd 30"}
DEADLINE = 180


def make(release: str) -> None:
    """Play, undo, correct, leave and close, and keep what the service signed of it, with a checkpoint from before."""
    with (
        TemporaryDirectory() as directory,
        running(Path(directory), OFC_CONCURRENCY="1") as service,
        Client(service.url, (Path(directory) / "api-key").read_text().strip()) as client,
    ):
        round_id = play(client)
        older = signed_evidence(client, round_id)
        correct(client, round_id)
        newer = signed_evidence(client, round_id, since=size_of(older))
    (FOLDER / f"{release}.json").write_text(json.dumps(newer, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (FOLDER / f"{release}.key").write_text(newer["keys"][-1] + "\n", encoding="utf-8")
    (FOLDER / f"{release}.checkpoint").write_text(older["checkpoint"], encoding="utf-8")


def play(client: Client) -> str:
    """Three hands, the third of which was the second first."""
    table = {"name": "kitchen", "ruleset": "pineapple-qq", "point_value": 10, "unit": "EUR"}
    opened = client.open_round(client.add_table(table)["id"], {"seats": seats(SITTING), "reference": "friday"})
    round_id = str(opened["id"])
    client.record_hand(round_id, hand(1, 1, THREE, played_at="2026-11-20T20:15:00Z"))
    added = [{"seat": 3, "points": 40}]
    exchanged = client.record_hand(round_id, hand(2, 2, {1: LOW, 2: MID, 3: HIGH}, top_ups=added))
    why = "the boards of ann and cyd were exchanged"
    client.undo_hand(round_id, {"number": 2, "hand": exchanged["id"], "reason": why})
    client.record_hand(round_id, hand(2, 2, THREE, top_ups=added, dealt_again=True))
    client.record_departure(round_id, {"seat": 2, "reason": "a train"})
    return round_id


def correct(client: Client, round_id: str) -> None:
    """It was the other way round, and the room closes."""
    patch = [{"op": "replace", "path": "/hands/0", "value": hand(1, 1, {1: MID, 2: HIGH, 3: LOW})}]
    version = client.get_round(round_id)["version"]
    client.correct_round(round_id, {"reason": "misread", "version": version, "patch": patch})
    client.close_round(round_id, {"reason": "the room closes"})


def signed_evidence(client: Client, round_id: str, since: int | None = None) -> Any:
    """Fetch the evidence once all of it is signed, which is a minute after the signature before."""
    gives_up_at = time.monotonic() + DEADLINE
    while True:
        evidence = client.get_evidence(round_id, since=since)
        if all(each["position"] is not None for each in (*evidence["events"], *evidence["related"])):
            return evidence
        assert time.monotonic() < gives_up_at, "nothing is signed"
        time.sleep(1)


def size_of(evidence: Any) -> int:
    """Read how many events the checkpoint stands for."""
    return int(evidence["checkpoint"].splitlines()[1])


if __name__ == "__main__":
    make(*sys.argv[1:])
