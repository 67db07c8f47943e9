"""
Measure the time from the commit of a hand to the response of a long poll, and to the event of a stream.

A real `ofc-server up` runs with one web process and one worker. One client waits for events; another records a hand,
and notes when its response arrives, which is right after the commit. Hands come one by one, with pauses, so that the
waiting client has sent its next request; then the same while others are recorded at a steady rate.

Example: python -m benchmarks.event_latency --hands 200
"""

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from random import Random
from statistics import median, quantiles
from typing import Any, Final
from urllib.parse import urlsplit

from benchmarks.post_hands import RULESET, SEATS, STACK, make_hands

_PAUSE: Final = 0.15
_BESIDE: Final = 50
"""Hands a second that others record meanwhile."""


class Caller:
    """A connection to the service with its key."""

    def __init__(self, url: str, key: str) -> None:
        self._connection = http.client.HTTPConnection(str(urlsplit(url).hostname), urlsplit(url).port, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: bytes | None = None, **headers: str) -> http.client.HTTPResponse:
        """Send a request, and insist on success."""
        self._connection.request(method, path, body, {**self._headers, **headers})
        response = self._connection.getresponse()
        if response.status >= 300:
            raise SystemExit(f"{path} responded {response.status}: {response.read().decode()}")
        return response

    def post(self, path: str, document: Any) -> Any:
        """Post a document."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return json.loads(self.call("POST", path, body).read())


class Recorder:
    """Records hands at a table of its own, in one round after the other."""

    def __init__(self, url: str, key: str, name: str) -> None:
        self._caller = Caller(url, key)
        self._table = self._caller.post("/v1/tables", {"name": name, "ruleset": RULESET})["id"]
        self._deals = make_hands(200, Random(name))
        self._rounds = 0
        self._waiting: list[bytes] = []

    def record(self) -> str:
        """Record a hand, and return its ID."""
        if not self._waiting:
            sitting = [{"seat": seat, "player": f"player {seat}", "stack": STACK} for seat in SEATS]
            opened = self._caller.post(f"/v1/tables/{self._table}/rounds", {"seats": sitting})
            self._round, self._waiting = opened["id"], list(self._deals[self._rounds % len(self._deals)])
            self._rounds += 1
        return str(self._caller.post(f"/v1/rounds/{self._round}/hands", self._waiting.pop(0))["id"])


def poll(url: str, key: str, after: int, arrived: "Queue[tuple[str, float]]") -> None:
    """Wait for hands with long polls, and note when each arrives."""
    caller = Caller(url, key)
    while True:
        try:
            response = caller.call("GET", f"/v1/events?kind=hand.recorded&wait=30&limit=1000&after={after}")
        except OSError:  # the service has stopped
            return
        lines, now = response.read().splitlines(), time.monotonic()
        for line in lines:
            event = json.loads(line)
            after = event["position"]
            arrived.put((event["content"]["id"], now))


def stream(url: str, key: str, after: int, arrived: "Queue[tuple[str, float]]") -> None:
    """Wait for hands with a stream, and note when each arrives."""
    response = Caller(url, key).call("GET", f"/v1/events?kind=hand.recorded&after={after}", Accept="text/event-stream")
    for line in response:
        if line.startswith(b"data: "):
            arrived.put((json.loads(line.removeprefix(b"data: "))["content"]["id"], time.monotonic()))


@contextmanager
def serve(directory: Path) -> Iterator[tuple[str, str]]:
    """Run `ofc-server up`, and return its URL and a key."""
    environment = {**os.environ, "OFC_WORKERS": "1", "OFC_CONCURRENCY": "1", "OFC_RATE_LIMIT": "0"}
    command = [sys.executable, "-m", "service", "up", "--port", "0", "--data", str(directory)]
    with (directory.parent / "log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        lines = iter(process.stdout.readline, "")
        url = next(part for line in lines for part in line.split() if part.startswith("http://"))
        threading.Thread(target=process.stdout.read, daemon=True).start()
        key_file = directory / "api-key"
        while not (key_file.exists() and "worker_ready" in (directory.parent / "log").read_text()):
            time.sleep(0.1)
        yield url, key_file.read_text().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def measure(
    url: str, key: str, wait: Callable[[str, str, int, "Queue[tuple[str, float]]"], None], hands: int, name: str
) -> list[float]:
    """Return the seconds from each commit to the arrival of its event."""
    after = find_last(url, key)
    recorder, arrived = Recorder(url, key, name), Queue[tuple[str, float]]()
    threading.Thread(target=wait, args=(url, key, after, arrived), daemon=True).start()
    waits, seen = [], dict[str, float]()
    for _ in range(hands):
        time.sleep(_PAUSE)
        hand_id, committed = recorder.record(), time.monotonic()
        while hand_id not in seen:
            event_hand, moment = arrived.get(timeout=30)
            seen[event_hand] = moment
        waits.append(seen[hand_id] - committed)
    return waits


def find_last(url: str, key: str) -> int:
    """Return the position of the last event, once everything has joined."""
    time.sleep(3)  # longer than the pause between two sweeps
    caller, after = Caller(url, key), 0
    while lines := caller.call("GET", f"/v1/events?limit=1000&after={after}").read().splitlines():
        after = json.loads(lines[-1])["position"]
    return after


def record_beside(url: str, key: str, is_over: threading.Event) -> None:
    """Record hands at a steady rate."""
    recorder = Recorder(url, key, "beside")
    next_at = time.monotonic()
    while not is_over.is_set():
        recorder.record()
        next_at += 1 / _BESIDE
        time.sleep(max(0.0, next_at - time.monotonic()))


def show(name: str, waits: Sequence[float]) -> None:
    """Print the median and the 95th percentile in milliseconds."""
    percentile = quantiles(waits, n=20)[-1]
    print(
        f"{name}: median {median(waits) * 1000:.0f} ms, p95 {percentile * 1000:.0f} ms, {len(waits)} hands", flush=True
    )


def main() -> None:
    """Measure, and print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=100, help="how many hands are measured in each case")
    hands = parser.parse_args().hands
    with tempfile.TemporaryDirectory() as directory, serve(Path(directory) / "data") as (url, key):
        show("long poll", measure(url, key, poll, hands, "polled"))
        show("stream", measure(url, key, stream, hands, "streamed"))
        is_over = threading.Event()
        beside = threading.Thread(target=record_beside, args=(url, key, is_over))
        beside.start()
        show(f"long poll, beside {_BESIDE} hands/s", measure(url, key, poll, hands, "busy"))
        is_over.set()
        beside.join()


if __name__ == "__main__":
    main()
