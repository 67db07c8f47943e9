"""
Measure the scorekeeper's page in Chromium: how large it is, and how long the scorekeeper waits.

It measures the first paint, how soon a link is usable, taps, the start of the rules, and the first minute.

A real `ofc-server up` serves the page. A phone is emulated by a processor that is four times slower, and slow 4G by the
figures of Lighthouse. The time of a tap is from the event to the frame that shows its card. The first minute is from
`ofc-server up --lan` on fresh data to the first recorded hand.

Example: python -m benchmarks.scorekeeper_page --runs 5
"""

import argparse
import gzip
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

import httpx2
from playwright.sync_api import BrowserContext, Page, Playwright, expect, sync_playwright

from tests.support.browser.chromium import launch_options
from tests.support.browser.first_minute import NAMES, NewPhone, find_address
from tests.support.browser.scorekeeper_page import SECOND, ScorekeeperPage, list_cards
from tests.support.server_process import Running, running

PAGES: Final = Path(__file__).parents[1] / "service" / "pages" / "static" / "web"
RULES: Final = PAGES.parent / "rules"
PHONE: Final = {"width": 390, "height": 844}
SLOWER: Final = 4
"""How many times slower the processor is made."""
SLOW_4G: Final = {
    "offline": False,
    "latency": 562.5,
    "downloadThroughput": 1_474_560 / 8,
    "uploadThroughput": 675_000 / 8,
}
TIME_TAPS: Final = """
window.taps = [];
addEventListener("click", ({ timeStamp }) => requestAnimationFrame(() => {
  // A message is received after the frame was drawn.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => window.taps.push(performance.now() - timeStamp);
  port2.postMessage(null);
}), true);
"""
FIRST_PAINT: Final = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
READY: Final = "() => document.body.innerText.includes('Rules on this device') && performance.now()"
LOADING: Final = 180_000


@contextmanager
def open_context(playwright: Playwright, directory: Path) -> Iterator[BrowserContext]:
    """Open a browser that keeps what it stores in a directory, as the one of a phone does."""
    context = playwright.chromium.launch_persistent_context(
        directory, **launch_options(), viewport=PHONE, has_touch=True
    )
    try:
        yield context
    finally:
        context.close()


def slow_down(page: Page, *, network: bool) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    if network:
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW_4G)


def report_size() -> None:
    """Print the size of the page without icons and rules."""
    built = json.loads((PAGES / "files.json").read_text())
    names = [name for name in built if name.startswith("scorekeeper")]
    files = [PAGES / "assets" / name for name in names] + [PAGES / "scorekeeper" / "index.html"]
    total = sum(len(gzip.compress(path.read_bytes())) for path in files)
    print(f"page with scripts and style: {total / 1000:.1f} kB with gzip")
    rules = json.loads((RULES / "manifest.json").read_text())["files"]
    print(f"rules: {sum(file['gzip'] for file in rules.values()) / 1e6:.2f} MB with gzip")


def measure_first_paint(playwright: Playwright, url: str) -> float:
    """Return the milliseconds until the page first shows something, on a slow phone in a slow network."""
    with TemporaryDirectory() as directory, open_context(playwright, Path(directory)) as context:
        page = context.new_page()
        slow_down(page, network=True)
        page.goto(f"{url}/scorekeeper/", timeout=LOADING)
        painted: float = page.wait_for_function(FIRST_PAINT, timeout=LOADING).json_value()
        return painted


def measure_usable(playwright: Playwright, link: str) -> float:
    """Return the milliseconds from opening a link to the button for its hand, on a slow phone in a slow network."""
    with TemporaryDirectory() as directory, open_context(playwright, Path(directory)) as context:
        page = context.new_page()
        slow_down(page, network=True)
        page.goto(link, timeout=LOADING, wait_until="commit")
        page.get_by_role("button", name="Enter hand 1").wait_for(timeout=LOADING)
        usable: float = page.evaluate("performance.now()")
        return usable


def make_link(service: Running, api: httpx2.Client) -> str:
    """Return a link to a table with an open round."""
    table = api.post("/v1/tables", json={"name": "linked", "ruleset": "pineapple"}).json()["id"]
    seats = [{"seat": seat, "player": name, "stack": 200} for seat, name in enumerate(("ann", "ben", "cyd"), 1)]
    api.post(f"/v1/tables/{table}/rounds", json={"seats": seats})
    secret = str(api.post("/v1/links", json={"table": table, "kind": "scorekeeper"}).json()["url"]).partition("#")[2]
    return f"{service.url}/scorekeeper/#{secret}"


def measure_start(page: Page) -> float:
    """Return the milliseconds from the start of the page until the rules are ready."""
    ready: float = page.wait_for_function(READY, timeout=LOADING).json_value()
    return ready


def measure_starts(playwright: Playwright, service: Running, api: httpx2.Client, runs: int) -> list[float]:
    """Return the milliseconds until the rules are ready: the first time, then from the device."""
    with TemporaryDirectory() as directory:
        starts = []
        with open_context(playwright, Path(directory)) as context:
            scorekeeper = ScorekeeperPage(context.new_page(), service.url, api, [])
            scorekeeper.open()
            scorekeeper.add_round()
            starts.append(measure_start(scorekeeper.page))
            scorekeeper.page.wait_for_function("() => navigator.serviceWorker.controller !== null")
            # The service worker stores what is loaded from now on.
            scorekeeper.page.reload()
            measure_start(scorekeeper.page)
        for _ in range(runs):
            with open_context(playwright, Path(directory)) as context:
                page = context.new_page()
                page.goto(f"{service.url}/scorekeeper/")
                starts.append(measure_start(page))
        return starts


def measure_taps(playwright: Playwright, service: Running, api: httpx2.Client) -> tuple[list[float], int]:
    """Enter two hands, and return the milliseconds of the taps and the number of taps of the second."""
    with TemporaryDirectory() as directory, open_context(playwright, Path(directory)) as context:
        scorekeeper = ScorekeeperPage(context.new_page(), service.url, api, [])
        scorekeeper.page.add_init_script(TIME_TAPS)
        scorekeeper.open()
        scorekeeper.add_round()
        measure_start(scorekeeper.page)
        slow_down(scorekeeper.page, network=False)
        scorekeeper.enter_hand()
        scorekeeper.choose_button(3)
        scorekeeper.page.evaluate("window.taps = []")
        scorekeeper.tap_cards(list_cards())
        scorekeeper.save()
        scorekeeper.expect_hand(2)
        scorekeeper.taps = 0
        scorekeeper.tap_cards(list_cards(SECOND))
        scorekeeper.save()
        expect(scorekeeper.page.get_by_role("heading", level=1)).to_have_text("Hand 3", timeout=LOADING)
        taps: list[float] = scorekeeper.page.evaluate("window.taps")
        return taps, scorekeeper.taps


def measure_first_minute(playwright: Playwright) -> tuple[float, int]:
    """Return the seconds from the start of the service on fresh data to the first hand, and taps before its cards."""
    with TemporaryDirectory() as directory, open_context(playwright, Path(directory) / "browser") as context:
        began = time.monotonic()
        service = Running(Path(directory) / "ofc", options=["--lan"])
        try:
            phone = NewPhone(context.new_page())
            taps = phone.place_first_card(find_address(service.output))
            phone.save_hand()
            return time.monotonic() - began, taps
        finally:
            service.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="How often first paint and start are measured.")
    runs = parser.parse_args().runs
    report_size()
    with (
        TemporaryDirectory() as directory,
        running(Path(directory) / "ofc") as service,
        sync_playwright() as playwright,
    ):
        key = (service.directory / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=service.url, headers=headers, trust_env=False) as api:
            # With one table only, the page opens it without asking.
            api.post("/v1/tables", json={"name": "another table", "ruleset": "pineapple"})
            report(playwright, service, api, runs)


def report(playwright: Playwright, service: Running, api: httpx2.Client, runs: int) -> None:
    paints = [measure_first_paint(playwright, service.url) for _ in range(runs)]
    print(f"first paint on slow 4G: median {median(paints):.0f} ms, longest {max(paints):.0f} ms of {runs}")
    link = make_link(service, api)
    usable = [measure_usable(playwright, link) for _ in range(runs)]
    print(f"link to the next hand on slow 4G: median {median(usable):.0f} ms, longest {max(usable):.0f} ms of {runs}")
    milliseconds, taps = measure_taps(playwright, service, api)
    print(f"taps of a hand whose button is known: {taps}")
    p95 = quantiles(milliseconds, n=20)[-1]
    print(f"tap to paint: median {median(milliseconds):.0f} ms, p95 {p95:.0f} ms of {len(milliseconds)}")
    first, *others = measure_starts(playwright, service, api, runs)
    print(
        f"rules ready: {first:.0f} ms the first time, then median {median(others):.0f} ms, longest {max(others):.0f} ms"
    )
    seconds, taps = measure_first_minute(playwright)
    print(f"from `up --lan` to the first hand: {seconds:.1f} s, {taps} taps and {len(NAMES)} names to the first card")


if __name__ == "__main__":
    main()
