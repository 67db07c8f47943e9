"""Findings of the last verification in a browser: the bar, the marks, the list, and acknowledging them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from service.server.embedded import OWNER, Cluster
from tests.support.browser.check_page import check_targets, check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import collect_violations
from tests.support.database.recomputed_rounds import tamper
from tests.support.server_process import Running, command, running
from tests.web.pages.conftest import IN_BOTH_SCHEMES

SIZES = ((390, 844), (768, 1024), (1280, 800))
MOST_STOPS = 60
"""How often Tab is pressed to reach something on a page."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Running]:
    """A service of its own, because the whole database is verified."""
    with running(tmp_path / "ofc") as up:
        yield up


@pytest.fixture
def table(service: Running) -> Iterator[LinkedTable]:
    headers = {"Authorization": f"Bearer {(service.directory / 'api-key').read_text().strip()}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False) as client:
        played = LinkedTable(client, name="quick")
        played.complete()
        yield played


@pytest.fixture
def page(browser: Browser, service: Running) -> Iterator[Page]:
    """A page of the console that an auditor has signed in to."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
    context.set_default_timeout(20_000)
    violations: list[Any] = []
    page = context.new_page()
    collect_violations(page, violations)
    link = command("console-link", "--url", service.url, "--data", str(service.directory))
    page.goto(link.stdout.strip())
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/console/")
    yield page
    context.close()
    assert violations == []


def verify(service: Running) -> None:
    """Verify the database, and store the result for the console."""
    result = command("verify", "--store-result", "--data", str(service.directory))
    assert result.returncode in (0, 1, 3), result.stderr


def change_points(service: Running, round_id: str, sign: str = "+") -> None:
    """Change the points of the first two players in the second hand of a round, or change them back."""
    other = "-" if sign == "+" else "+"
    statement = (
        f"UPDATE hand_scores SET points = ARRAY[points[1] {sign} 1, points[2] {other} 1] || points[3:]"
        " WHERE round_id = %s AND number = 2"
    )
    cluster = Cluster(service.directory)
    cluster.join(only_reads=True)
    tamper(cluster.url(OWNER), statement, round_id)
    cluster.stop()


def press(page: Page, name: str) -> None:
    """Reach a link or a button with the Tab key, and press Enter."""
    target = page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first
    expect(target).to_be_visible()
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            assert target.evaluate("element => getComputedStyle(element).outlineStyle") != "none"
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"Tab does not reach {name}")


def test_a_finding_has_a_bar_and_a_mark_until_it_is_acknowledged_or_repaired(
    page: Page, service: Running, table: LinkedTable
) -> None:
    bar = page.get_by_role("complementary", name="Verification")
    verify(service)
    page.goto(f"{service.url}/console/")
    expect(bar).to_have_count(0)
    change_points(service, table.round)
    verify(service)
    for path in ("/", "/rounds", "/players", "/audit", f"/rounds/{table.round}/hands/2"):
        page.goto(f"{service.url}/console{path}")
        expect(bar).to_contain_text("of the last verification: the database is not as the service has written it.")
    page.goto(f"{service.url}/console/rounds")
    expect(page.locator("tbody tr", has_text="quick")).to_contain_text("finding")
    page.goto(f"{service.url}/console/rounds/{table.round}")
    expect(page.get_by_role("region", name="The last verification has")).to_contain_text("ann's points of hand 2")
    press(page, "Show")
    expect(page.get_by_role("heading", level=1)).to_have_text("Findings of the last verification")
    row = page.locator("tbody tr", has_text="ann's points of hand 2 of a round at quick")
    expect(row).to_contain_text("the cards say")
    expect(row).to_contain_text("figure-differs: hand_scores")
    press(page, "Acknowledge all findings")
    expect(bar).to_have_count(0)
    expect(row).to_contain_text("by first")
    expect(row).not_to_contain_text("not acknowledged")
    verify(service)
    page.reload()
    expect(bar).to_have_count(0)
    change_points(service, table.round, "-")
    verify(service)
    page.goto(f"{service.url}/console/findings")
    expect(page.get_by_text("The last verification found nothing.")).to_be_visible()
    page.goto(f"{service.url}/console/rounds/{table.round}")
    expect(page.get_by_text("The last verification has")).to_have_count(0)


@IN_BOTH_SCHEMES
def test_pages_with_findings_pass_axe_at_every_size(
    page: Page, service: Running, table: LinkedTable, scheme: Any
) -> None:
    change_points(service, table.round)
    verify(service)
    page.emulate_media(color_scheme=scheme)
    paths = ("/", "/rounds", f"/rounds/{table.round}", "/findings", "/findings?state=new", "/audit")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for path in paths:
            page.goto(f"{service.url}/console{path}")
            expect(page.get_by_role("complementary", name="Verification")).to_be_visible()
            check_with_axe(page)
            check_width(page)
        page.goto(f"{service.url}/console/findings")
        assert check_targets(page, "main button:visible") > 0
