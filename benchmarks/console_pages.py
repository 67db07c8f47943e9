"""
Measure how long each page of the console takes in a club of 100 tables, 2,000 players and 300,000 hands.

The club is made by import. A third of its tables play for euros, a third for dollars; a twentieth of the rounds are
provisional, some are open, disputed or corrected. Every page that links lead to from the home page is then requested
several times in this process, and so is the second page of its list; then pages with other filters, pages that forms
lead to, sums over the API, and long files. Other pages are named.
Processor time, which depends less on other programs than the clock, is that of this process and of PostgreSQL.

Example: python -m benchmarks.console_pages --hands 300000
"""

import argparse
import gc
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Final, Self

import psutil
import psycopg
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from benchmarks.console_club import OTHER_RULESET, ChangedRounds, ClubSize, change_rounds, make_club
from benchmarks.import_rounds import Bench, bench
from benchmarks.read_statistics import ANN
from schemas.statistics.plots import PlotName
from service.app import create_app
from service.clubs.actions import create_key, find_club
from service.config import Config
from service.db import Database
from service.http.services import services_of
from tests.support.browser.console_visitor import discover_pages, list_endpoints, parse

TARGET_MS: Final = 500
_OTHER_ADDRESSES: Final = (
    f"/console/players/{ANN}",
    "/console/players?sort=hands",
    "/console/players?name=player+1",
    f"/console/ledger?player={ANN}",
    "/console/ledger?player=player+7",
    "/console/ledger?table=table+7&from=2025-06-01&to=2025-06-30",
    "/console/money?player=player+7",
    "/console/money?unit=EUR",
    "/console/statement?evening=2025-06-06",
    f"/console/statement?player={ANN}&period=all",
    "/console/statement?from=2025-06-01&to=2025-06-30",
    "/console/statement?period=all",
    "/console/statement?period=all&format=print",
    *(f"/console/plots?plot={plot}&from=2000-01-01" for plot in PlotName),
    *(f"/console/plots?plot={plot}&player={ANN}" for plot in PlotName),
    "/console/rounds?unusual=true",
    "/console/rounds?state=disputed",
    "/console/rounds?state=provisional",
    "/console/rounds?status=open",
    f"/console/rounds?ruleset={OTHER_RULESET}",
    f"/console/rounds?player={ANN}",
    "/console/disputes?sort=points",
    "/console/disputes?player=player+7",
)
"""Pages with other filters, which links do not lead to."""
_FORMS: Final = {
    "console.compare_rulesets": f"/console/rulesets/compare?from=pineapple&to={OTHER_RULESET}",
    "console.show_what_if": "/console/rulesets/what-if?ruleset=pineapple-qq&table=table+7",
    "console.show_new_recomputation": "/console/jobs/recomputation",
}
"""Pages that forms and menus lead to."""
_FILES: Final = (
    "/console/statement?period=all&format=csv",
    "/console/statement?period=all&format=json",
    "/console/rounds?from=2025-06-01&to=2025-06-30&format=csv",
    "/console/players?format=csv",
)
"""Files of long lists. They have no target: it is the time of the last byte."""


_RESPONSES: Final = (
    "/v1/balances",
    "/v1/balances?player=player+7",
    "/v1/balances?unit=EUR",
    "/v1/statement?from=2025-06-01T00:00:00Z&to=2025-07-01T00:00:00Z",
)
"""Sums of the whole club over the API."""


def open_console(database: Bench) -> tuple[Flask, FlaskClient, str]:
    """Return the application, a browser that has signed in to the console with all scopes, and its key."""
    owner = Database(database.superuser, role=None, pool_size=1)
    secret = create_key(owner, find_club(owner, "bench"), name="bench").secret
    owner.close()
    app = create_app(Config(database.service_url, database.superuser, rate_limit=1_000_000))
    browser = app.test_client()
    response = browser.post("/console/sign-in", data={"key": secret})
    if response.status_code != 303:
        raise SystemExit(f"signing in failed: {response.status_code}")
    return app, browser, secret


@dataclass(frozen=True, slots=True)
class Console:
    """The console in this process, a browser that has signed in and its key, and the main process of PostgreSQL."""

    app: Flask
    browser: FlaskClient
    key: str
    postgres: psutil.Process

    @classmethod
    def of(cls, database: Bench, app: Flask, browser: FlaskClient, key: str) -> Self:
        """Find the main process of the database."""
        with psycopg.connect(database.superuser) as connection:
            return cls(app, browser, key, psutil.Process(psutil.Process(connection.info.backend_pid).ppid()))

    def get(self, address: str) -> TestResponse:
        """Request a page of the console with its session, or an address of the API with the key."""
        headers = {"Authorization": f"Bearer {self.key}"} if address.startswith("/v1/") else {}
        return self.browser.get(address, headers=headers, buffered=True)

    @property
    def processor_seconds(self) -> float:
        """The processor time of this process and of all processes of PostgreSQL, those that have ended included."""
        total = time.process_time() + sum(self.postgres.cpu_times()[:4])
        for child in self.postgres.children():
            with suppress(psutil.NoSuchProcess):  # it has just ended
                total += sum(child.cpu_times()[:2])
        return total


def measure(console: Console, address: str, runs: int) -> str | None:
    """Print the times of a page, and return the address of the next page of its list."""
    times = []
    # The first time compiles templates and statements.
    response = console.get(address)
    gc.collect()
    gc.freeze()  # as a process of the server does
    processor = console.processor_seconds
    for _ in range(runs):
        begun = time.perf_counter()
        response = console.get(address)
        times.append(1000 * (time.perf_counter() - begun))
    processor = 1000 * (console.processor_seconds - processor) / runs
    if response.status_code != 200:
        print(f"{address}: status {response.status_code}", flush=True)
        return None
    late = "" if median(times) <= TARGET_MS else f", more than {TARGET_MS} ms"
    clock = f"median {median(times):.0f} ms, longest {max(times):.0f} ms"
    size = len(response.data)
    print(f"{address}: {clock}, processor {processor:.0f} ms{late}, {size:,} bytes", flush=True)
    if response.mimetype != "text/html":
        return None
    following = [link.attrib["href"] for link in parse(response).iter("a") if link.attrib.get("rel") == "next"]
    return following[0] if following else None


def measure_pages(console: Console, changed: ChangedRounds, runs: int) -> None:
    """Print the times of all pages, and the pages that were not measured."""
    pages = discover_pages(console.app, console.browser) | _FORMS
    of_rounds = [
        f"/console/{page}"
        for round_id in (changed.disputed, changed.corrected)
        for page in (f"rounds/{round_id}", f"audit?round={round_id}")
    ]
    of_table = [f"/console/plots?plot=stacks&table={changed.table}", f"/console/tables/{changed.table}"]
    for address in (*sorted(pages.values()), *_OTHER_ADDRESSES, *of_rounds, *of_table, *_RESPONSES):
        following = measure(console, address, runs)
        if following is not None:
            measure(console, following, runs)
    for address in _FILES:
        measure(console, address, min(runs, 3))
    missing = sorted(list_endpoints(console.app) - pages.keys())
    print(f"not measured, because no link and no form leads there: {', '.join(missing) or 'none'}")


def main() -> int:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=300_000, help="hands of the club (default 300,000)")
    parser.add_argument("--tables", type=int, default=100, help="tables of the club (default 100)")
    parser.add_argument("--players", type=int, default=2000, help="players of the club (default 2,000)")
    parser.add_argument("--runs", type=int, default=10, help="requests of each page (default 10)")
    chosen = parser.parse_args()
    with bench() as database:
        begun = time.perf_counter()
        make_club(database, ClubSize(chosen.hands, chosen.tables, chosen.players))
        app, browser, key = open_console(database)
        changed = change_rounds(app, key)
        database.analyze()
        print(f"made a club of {chosen.hands} hands in {time.perf_counter() - begun:.0f} s", flush=True)
        measure_pages(Console.of(database, app, browser, key), changed, chosen.runs)
        services_of(app).database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
