"""
Takes the pictures of the docs: an evening on the scorekeeper's page, the pages for players, and those of the console.

`make screenshots` runs it, as `python -m tests.support.browser.screenshots [FOLDER]`.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx2
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.support.browser.chromium import open_chromium
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import SECOND, ScorekeeperPage, list_cards
from tests.support.server_process import Running, running

FOLDER: Final = Path(__file__).parents[3] / "docs" / "pictures"
PHONE: Final = {"width": 390, "height": 844}
TV: Final = {"width": 1280, "height": 720}
DESKTOP: Final = {"width": 1280, "height": 800}
EXAMPLES: Final = FOLDER.parents[1] / "examples"
FIRST_EVENING: Final = datetime(2026, 9, 4, 19, 30, tzinfo=UTC)
RULES: Final = 180_000
"""Milliseconds in which the rules are loaded, on a busy machine."""


class Album:
    """Takes pictures into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def take(self, page: Page, name: str, *, full: bool = False) -> None:
        """Take a picture of what is visible, or of the full page."""
        page.screenshot(path=self.folder / f"{name}.png", full_page=full, animations="disabled", caret="initial")


@contextmanager
def opened(browser: Browser, size: dict[str, int], scale: float) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport={"width": size["width"], "height": size["height"]},
        device_scale_factor=scale,
        has_touch=True,
        reduced_motion="reduce",
        timezone_id="Europe/Berlin",
    )
    context.set_default_timeout(30_000)
    try:
        yield context
    finally:
        context.close()


def secret_of(link: dict[str, Any]) -> str:
    return str(link["url"]).rpartition("/")[2].lstrip("#")


def show_from(shown: Locator) -> None:
    """Scroll until something is at the top of the page."""
    shown.evaluate("element => element.scrollIntoView({ behavior: 'instant' })")


def record_evening(album: Album, browser: Browser, service: Running, table: LinkedTable) -> None:
    """Enter the second hand of a round with the rules on the device, and correct the first."""
    with opened(browser, PHONE, 1.5) as context:
        scorekeeper = ScorekeeperPage(context.new_page(), service.url, table.api, [])
        page = scorekeeper.page
        scorekeeper.open(f"/scorekeeper/#{secret_of(table.link('scorekeeper'))}")
        expect(page.get_by_text("Rules on this device")).to_be_visible(timeout=RULES)
        album.take(page, "round")
        scorekeeper.enter_hand(2)
        cards = list_cards(SECOND)
        scorekeeper.tap_cards(cards[:11])
        expect(page.locator('[data-seat="1"] .row-note').nth(1)).not_to_be_empty()
        album.take(page, "entry")
        scorekeeper.tap_cards(cards[11:])
        expect(page.locator("[data-score]")).to_have_count(3)
        album.take(page, "result")
        context.set_offline(True)
        scorekeeper.save()
        expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
        page.get_by_role("button", name="Back to the round").tap()
        album.take(page, "offline")
        context.set_offline(False)
        expect(page.get_by_text("waiting")).to_have_count(0, timeout=30_000)
        page.locator('details[data-hand="1"] summary').tap()
        show_from(page.locator('details[data-hand="1"]'))
        album.take(page, "hand")


def settle_evening(album: Album, browser: Browser, service: Running, api: httpx2.Client) -> None:
    """Tick a payment of an evening that has ended, without a network."""
    table = LinkedTable(api, name="monday")
    table.complete()
    with opened(browser, PHONE, 1.5) as context:
        page = context.new_page()
        page.goto(f"{service.url}/scorekeeper/#{secret_of(table.link('scorekeeper'))}")
        expect(page.get_by_text("Rules on this device")).to_be_visible(timeout=RULES)
        page.get_by_role("button", name="Settle up").tap()
        expect(page.locator(".settle-line")).to_have_count(2)
        context.set_offline(True)
        page.locator(".settle-line").last.get_by_role("button", name="Paid").tap()
        expect(page.locator(".settle-line").last).to_contain_text("waits")
        show_from(page.get_by_role("heading", name="Settle up"))
        album.take(page, "settle-up")


def show_players(album: Album, browser: Browser, service: Running, table: LinkedTable) -> None:
    with opened(browser, PHONE, 1.5) as context:
        page = context.new_page()
        page.goto(str(table.link("player", player="ben")["url"]))
        page.locator("#rounds a").first.click()
        album.take(page, "players-page")
    with opened(browser, TV, 1) as context:
        page = context.new_page()
        page.goto(f"{service.url}/board/#{secret_of(table.link())}")
        expect(page.get_by_role("heading", level=1)).to_have_text(table.name)
        expect(page.get_by_role("region", name="ann")).to_be_visible()
        album.take(page, "board")


def play_season(api: httpx2.Client) -> None:
    """Record the rounds of the examples at one table, one round a week."""
    played = sorted(path for path in EXAMPLES.glob("*.json") if path.name != "score.json")
    for week, path in enumerate(played):
        document = json.loads(path.read_text(encoding="utf-8"))
        opened_at = FIRST_EVENING + timedelta(weeks=week % 12, hours=week // 12)
        document |= {"table": "saturday", "point_value": 20, "unit": "EUR", "opened_at": opened_at.isoformat()}
        response = api.post("/v1/documents", json=document)
        assert response.status_code == 201, response.text


def dispute_round(api: httpx2.Client) -> None:
    """Record a round of a third table, and dispute a card of its second hand."""
    table = LinkedTable(api, name="sunday")
    table.complete()
    claim = "ann had the king of diamonds, not the ace of hearts"
    disputed = {"round": table.round, "hand": 2, "seat": 1, "row": "bottom"}
    response = api.post("/v1/disputes", json={**disputed, "claim": claim, "by": "ben"})
    assert response.status_code == 201, response.text


def show_console(album: Album, browser: Browser, service: Running, api: httpx2.Client) -> None:
    """Sign in to the console, and show a club after a season."""
    play_season(api)
    dispute_round(api)
    with opened(browser, DESKTOP, 1) as context:
        page = context.new_page()
        page.goto(f"{service.url}/console/")
        page.get_by_label("API key").fill(api.headers["Authorization"].removeprefix("Bearer "))
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Home")
        album.take(page, "console-home")
        page.get_by_role("link", name="Disputes", exact=True).click()
        page.get_by_role("link", name="sunday: Hand 2").click()
        page.get_by_role("button", name="Take into review").click()
        page.get_by_role("group", name="ann, bottom").get_by_role("button", name="ace of hearts").click()
        page.locator('[data-choose="Kd"]').click()
        expect(page.locator("#what-if .board-shown")).to_have_count(2)
        page.get_by_role("group", name="ann, bottom").scroll_into_view_if_needed()
        album.take(page, "console-dispute")
        page.goto(f"{service.url}/console/rounds?table=saturday")
        page.locator("tbody a").first.click()
        page.get_by_role("link", name="Replay from hand 1").click()
        album.take(page, "console-hand")
        page.goto(f"{service.url}/console/players/ann")
        album.take(page, "console-player")
        page.goto(f"{service.url}/console/tables")
        page.get_by_role("link", name="saturday").click()
        album.take(page, "console-table")
        page.goto(f"{service.url}/console/plots?plot=net&from=2026-09-01&to=2026-12-31")
        album.take(page, "console-plot")


def take_all(folder: Path, browser: Browser) -> None:
    """Take every picture into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    album = Album(folder)
    with TemporaryDirectory() as directory, running(Path(directory) / "ofc") as service:
        key = (service.directory / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False) as api:
            table = LinkedTable(api, name="friday")
            table.play(1)
            record_evening(album, browser, service, table)
            show_players(album, browser, service, table)
            show_console(album, browser, service, api)
            settle_evening(album, browser, service, api)


if __name__ == "__main__":
    with open_chromium() as browser:
        take_all(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, browser)
