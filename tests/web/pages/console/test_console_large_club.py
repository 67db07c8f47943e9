"""Every page of the console in a browser, with a club of many tables, players and hands that were imported."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.scorekeeper_page import collect_violations
from tests.support.sample_rounds import COMPLETE, document_of
from tests.support.server_process import Running, running, wait_until
from tests.web.pages.console.test_console_ledger import sign_in

LISTS = ["Rounds", "Tables", "Players", "Ledger", "Audit trail"]
OTHERS = ["Home", "Disputes", "Money", "Plots", "Statement", "Rulesets", "Jobs", "Links", "Webhooks", "Keys"]
SUBJECTS = {"Ledger": "Money", "Statement": "Money", "Plots": "Players"}
"""The subject of each page that is one of several tabs."""
IN_CLUB = {"Tables", "Audit trail", "Rulesets", "Jobs", "Links", "Webhooks", "Keys"}
"""The pages that the menu of the club has."""


class Size(NamedTuple):
    """The size of a club. A round has three hands."""

    rounds: int
    tables: int
    players: int


class Club(NamedTuple):
    """A service with a club of some size."""

    service: Running
    key: str
    size: Size


def make_lines(size: Size) -> Iterator[bytes]:
    """Yield round documents, a line each; `ann` plays every third round."""
    rng = Random("large club")
    for number in range(size.rounds):
        seated = rng.sample([f"player {other}" for other in range(size.players)], 3)
        if number % 3 == 0:
            seated[0] = "ann"
        sitting = {seat: f"{player.replace(' ', '-')} 1000" for seat, player in enumerate(seated, 1)}
        document = document_of(
            sitting=sitting, hands=COMPLETE, reference=f"{number}", table=f"table {number % size.tables}"
        )
        opened_at = f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}T20:00:00Z"
        yield json.dumps({**document, "opened_at": opened_at}).encode() + b"\n"


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(Size(200, 60, 70), id="small"),
        pytest.param(Size(100_000, 100, 2000), id="large", marks=pytest.mark.verify),
    ],
)
def club(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    size: Size = request.param
    with running(tmp_path_factory.mktemp("large") / "ofc", OFC_CONCURRENCY="1") as service:
        key = (service.directory / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}
        with httpx2.Client(base_url=service.url, headers=headers, trust_env=False, timeout=600) as api:
            started = api.post("/v1/imports", content=make_lines(size))
            assert started.status_code == 202, started.text
            job = started.headers["Location"]

            def read_state() -> Any:
                return api.get(job).json()["state"]

            assert wait_until(lambda: read_state() not in ("queued", "running"), seconds=1200), read_state()
            assert api.get(job).json()["summary"]["rounds"] == size.rounds
        yield Club(service, key, size)


@pytest.fixture
def page(browser: Browser, club: Club) -> Iterator[Page]:
    violations: list[Any] = []
    for context in sign_in(browser.new_context(viewport={"width": 1280, "height": 800}), club.service, club.key):
        context.set_default_timeout(60_000)
        opened = context.new_page()
        collect_violations(opened, violations)
        yield opened
    assert violations == []


def open_from_menu(page: Page, name: str) -> None:
    menu, subject = page.get_by_role("navigation", name="Console"), SUBJECTS.get(name)
    if name in IN_CLUB:
        page.locator(".menu > summary").click()
    if subject is not None:
        menu.get_by_role("link", name=subject, exact=True).click()
        menu = page.get_by_role("navigation", name=subject)
    menu.get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_every_page_opens_and_lists_have_pages(page: Page, club: Club) -> None:
    page.goto(f"{club.service.url}/console/")
    for name in OTHERS:
        open_from_menu(page, name)
    for name in LISTS:
        open_from_menu(page, name)
        page.wait_for_load_state()
        shown = page.locator("tbody tr").all_inner_texts()
        assert len(shown) >= 50, name
        page.get_by_role("link", name="Next page").click()
        expect(page.get_by_role("link", name="First page")).to_be_visible()
        page.wait_for_load_state()
        following = page.locator("tbody tr").all_inner_texts()
        assert following, name
        assert following != shown, name


def test_rounds_hands_players_and_files_are_reached_from_the_lists(page: Page, club: Club, tmp_path: Path) -> None:
    page.goto(f"{club.service.url}/console/rounds?player=ann")
    page.locator("tbody a").first.click()
    page.get_by_role("link", name="Replay from hand 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Hand 1 of 3 at table")
    page.goto(f"{club.service.url}/console/players?name=ann")
    page.get_by_role("link", name="ann", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ann")
    page.goto(f"{club.service.url}/console/ledger?player=ann&table=table+0")
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="CSV").click()
    downloaded.value.save_as(tmp_path / "ledger.csv")
    lines = (tmp_path / "ledger.csv").read_bytes().decode().splitlines()
    rounds = sum(number % 3 == 0 for number in range(0, club.size.rounds, club.size.tables))
    assert len(lines) > rounds > 0
    assert all("ann" in line for line in lines[1:])
