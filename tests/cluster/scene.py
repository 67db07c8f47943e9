"""One fault under load: what it does, and what is checked afterwards."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import httpx2

from tests.cluster.network import enter_thread, run_at
from tests.cluster.recorder import Recorder, longest_gap
from tests.cluster.report import Result, build_result, write_results
from tests.cluster.rig import URL, Rig, wait_for
from tests.cluster.settle import check_plays
from tests.oracle import PRESETS, random_document

CLIENTS: Final = 6
ANSWERED_SECONDS: Final = 20.0
"""After each fault, changes are acknowledged for so long before the load ends."""
_MOST_PAUSE: Final = 3.0
_LONGEST_SECONDS: Final = 90.0


class Scene:
    """A rig with a club, its checkpoints, and the results of faults."""

    def __init__(self, rig: Rig, access: str) -> None:
        self.rig, self.access = rig, access
        rig.run_service("club", "create", "home")
        self.key = rig.run_service("key", "create", "--club", "home").strip()
        self.notes: list[Path] = []
        self.documents = [random_document(Random(f"{name} cluster"), ruleset) for name, ruleset in PRESETS.items()]

    def run(
        self, fault: str, break_it: Callable[[], None], mend: Callable[[], None], *, lasts: float | None = None
    ) -> Result:
        """
        Cause a fault under load, and check what is stored afterwards.

        Args:
            fault: its name in the report.
            break_it: causes it.
            mend: ends it.
            lasts: seconds after which it ends; None: once changes are acknowledged again.
        """
        self.rig.wait_until_whole()
        self.store_checkpoint()
        recorder = Recorder(URL, self.key, self.documents, CLIENTS, time.time_ns() % 1_000_000)
        with recorder.playing(partial(enter_thread, "client")):
            time.sleep(5)
            begun = time.monotonic()
            is_over = partial(_is_answered, recorder, begun) if lasts is None else partial(_has_passed, begun + lasts)
            try:
                break_it()
                wait_for(is_over, _LONGEST_SECONDS, fault)
            finally:
                mend()
            wait_for(partial(_is_answered, recorder, begun + (lasts or 0)), _LONGEST_SECONDS, fault)
            ended = time.monotonic()
        self.rig.wait_until_whole()
        requests = recorder.requests
        result = build_result(fault, self.access, requests, longest_gap(requests, begun, ended))
        findings = run_at("client", partial(check_plays, recorder, recorder.plays))
        result = replace(result, lost=len(findings))
        print(result, Counter(request.status for request in requests))
        write_results([result])
        assert findings == []
        self.store_checkpoint()
        self.verify()
        return result

    def store_checkpoint(self) -> None:
        """Store a checkpoint as a client does who verifies later."""

        def get() -> str:
            with httpx2.Client(base_url=URL, headers={"Authorization": f"Bearer {self.key}"}, trust_env=False) as http:
                response = http.post("/v1/checkpoints", timeout=60)
                assert response.status_code == 201, response.text
                return http.get(response.headers["Location"]).text

        note = self.rig.folder / f"checkpoint-{len(self.notes)}"
        note.write_text(run_at("client", get))
        self.notes.append(note)

    def verify(self) -> None:
        """Verify every record, and the tree with every checkpoint that was ever received."""
        options = [option for note in self.notes for option in ("--checkpoint", str(note))]
        self.rig.run_service("verify", "--jobs", "1", *options)


def _has_passed(moment: float) -> bool:
    return time.monotonic() >= moment


def _is_answered(recorder: Recorder, begun: float) -> bool:
    """Return whether changes were acknowledged for 20 seconds, since the fault began."""
    time.sleep(0.5)
    now = time.monotonic()
    window = now - ANSWERED_SECONDS
    return window >= begun and longest_gap(recorder.requests, window, now) < _MOST_PAUSE
