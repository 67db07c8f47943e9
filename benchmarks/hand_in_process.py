"""
Measure what a hand costs the service: processor time in Python and in PostgreSQL, without web server and clients.

The application is called as a web server calls it, in this process, by one client. Each hand is measured by itself,
and beside the median stands what the cheapest tenth cost at most: what else the machine does can only add to it. So
it shows small changes that are lost in the noise of `benchmarks.post_hands`.

Example: python -m benchmarks.hand_in_process --runs 20
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any
from wsgiref.types import WSGIEnvironment

import psycopg
from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from benchmarks.database import open_cluster
from benchmarks.post_hands import RULESET, SEATS, STACK, make_hands
from service.app import create_app
from service.clubs.actions import create_club_with_key
from service.config import Config
from service.http.services import services_of
from service.logs import start_logging
from service.server.embedded import OWNER


def prepare(key: str, path: str, body: bytes) -> WSGIEnvironment:
    """Convert a request to the environment that a web server passes on."""
    headers = {"Authorization": f"Bearer {key}"}
    sent = EnvironBuilder(path, method="POST", data=body, headers=headers, content_type="application/json")
    return sent.get_environ()


def post(app: Flask, request: WSGIEnvironment) -> Any:
    """Send a request, and insist that it is taken."""
    content, status, _ = run_wsgi_app(app, request)
    body = b"".join(content)
    if not status.startswith("201"):
        raise SystemExit(f"{request['PATH_INFO']} responded with {status}: {body.decode()}")
    return json.loads(body)


def main() -> int:
    """Print what a hand costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="runs (default 20)")
    parser.add_argument("--rounds", type=int, default=40, help="rounds of three hands a run (default 40)")
    chosen = parser.parse_args()
    with open_app() as (app, key, owner):
        measure(app, key, owner, chosen)
    return 0


@contextmanager
def open_app() -> Iterator[tuple[Flask, str, str]]:
    """Yield the application on a new embedded PostgreSQL, a key of its only club, and the URL of the owner's login."""
    with ExitStack() as stack:
        home, cluster = stack.enter_context(open_cluster())
        log = stack.enter_context((home / "log").open("w"))
        stack.enter_context(redirect_stderr(log))
        start_logging({"OFC_LOG": "json"})
        owner = cluster.url(OWNER)
        environment = {"OFC_DATABASE_URL": cluster.url("ofc_service"), "OFC_RATE_LIMIT": "0"}
        app = create_app(Config.from_environment({**os.environ, **environment}))
        stack.callback(services_of(app).database.close)
        yield app, create_club_with_key(owner, "bench"), owner


def measure(app: Flask, key: str, owner: str, chosen: argparse.Namespace) -> None:
    """Run, and print the figures."""
    rng = Random(1)
    costs: list[tuple[float, float]] = []
    named = [json.dumps({"name": f"table {number}", "ruleset": RULESET}).encode() for number in range(chosen.rounds)]
    tables = [post(app, prepare(key, "/v1/tables", table))["id"] for table in named]
    seats = json.dumps(
        {"seats": [{"seat": seat, "player": f"player {seat}", "stack": STACK} for seat in SEATS]}
    ).encode()
    for run in range(chosen.runs + 1):
        rounds = [post(app, prepare(key, f"/v1/tables/{table}/rounds", seats))["id"] for table in tables]
        dealt = zip(rounds, make_hands(chosen.rounds, rng), strict=True)
        requests = [prepare(key, f"/v1/rounds/{round_id}/hands", hand) for round_id, hands in dealt for hand in hands]
        postgresql = session_of(owner)
        hands = [cost_of(app, request, postgresql) for request in requests]
        if run:  # the first warms up
            costs += hands
    for name, seconds in zip(("Python", "PostgreSQL"), zip(*costs, strict=True), strict=True):
        print(
            f"a hand in {name}: median {1000 * median(seconds):.2f} ms, the cheapest tenth below "
            f"{1000 * quantiles(seconds, n=10)[0]:.2f} ms"
        )


def session_of(owner: str) -> Path:
    """Find where the system counts the time of the one session that works for the application, in nanoseconds."""
    others = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    with psycopg.connect(owner) as connection:
        counts = [Path(f"/proc/{pid}/schedstat") for (pid,) in connection.execute(others)]
    return max(counts, key=nanoseconds)


def nanoseconds(count: Path) -> int:
    """Read how long a process has had a processor."""
    return int(count.read_text().split()[0])


def cost_of(app: Flask, request: WSGIEnvironment, postgresql: Path) -> tuple[float, float]:
    """Post a hand, and give the seconds of a processor that it took in Python and in PostgreSQL."""
    before, started = nanoseconds(postgresql), time.process_time()
    post(app, request)
    python = time.process_time() - started
    time.sleep(0.0003)  # PostgreSQL responds before it is done
    return python, (nanoseconds(postgresql) - before) / 1e9


if __name__ == "__main__":
    sys.exit(main())
