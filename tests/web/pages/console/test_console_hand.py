"""A hand on one screen in a browser: boards, points, payments, and one reason at a time."""

from itertools import product
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.check_page import check_targets, check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES, OpenPage

SIZES = PHONE, TABLET, DESKTOP = (390, 844), (768, 1024), (1280, 800)
MOST_STOPS = 80
"""How often Tab is pressed to reach something on a page."""
OF_FOUR = {
    1: ("Ks Qd 2c", "5s 5d 9h 8h 3c", "Ah Jh 7h 6h 2h"),
    2: ("Ac 8d 2s", "Ts Tc 5h 5c 6s", "7s 7d 7c Jd Js"),
    3: ("Kh Qc 3s", "9s 9d 8s 8c 4h", "As Ad Qh Jc 2d"),
    4: ("Kd Qs 3d", "4s 4d 6c 6d 3h", "Kc Td Th 9c 4c"),
}
"""Boards of four players: all cards of a deck."""
VISIBLE = ".why:visible"
TAPPED = ", ".join(
    f"{each}:visible"
    for each in (".hand-rows a", ".matrix a", ".board-note summary", ".hand-payments summary", ".why a")
)
"""What shows a reason, or closes it."""


def play(api: httpx2.Client, players: int) -> LinkedTable:
    """Record a hand of three or of four players."""
    names = ("ann", "ben", "cyd", "dan")[:players]
    table = LinkedTable(api, names, ruleset="pineapple" if players == 3 else "classic")
    table.play(1, {seat: boards for seat, boards in OF_FOUR.items() if seat <= players})
    return table


@pytest.fixture(scope="module")
def of_three(api: httpx2.Client) -> LinkedTable:
    return play(api, 3)


@pytest.fixture(scope="module")
def of_four(api: httpx2.Client) -> LinkedTable:
    return play(api, 4)


@pytest.fixture
def page(open_page: OpenPage, key: str) -> Page:
    page = open_page("/console/")
    page.get_by_label("API key").fill(key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    return page


def show(page: Page, service: Running, table: LinkedTable, size: tuple[int, int]) -> None:
    """Show the first hand of a table on a screen of a size."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{service.url}/console/rounds/{table.round}/hands/1")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Hand 1 of 1 at {table.name}")


def tops_of(boards: Locator) -> list[int]:
    return [round(each) for each in boards.evaluate_all("each => each.map(of => of.getBoundingClientRect().top)")]


def bottom_of(element: Locator) -> float:
    """Return where something ends on the first screen."""
    bottom: float = element.evaluate("of => of.getBoundingClientRect().bottom + scrollY")
    return bottom


def test_all_boards_are_beside_each_other_on_one_screen(
    page: Page, service: Running, of_three: LinkedTable, of_four: LinkedTable
) -> None:
    for size, (table, beside) in product(SIZES, ((of_three, 3), (of_four, 4))):
        show(page, service, table, size)
        boards = page.locator(".seat")
        expect(boards).to_have_count(len(table.names))
        rows = tops_of(boards)
        assert rows.count(rows[0]) == (2 if size == PHONE else beside)
        assert len(set(rows)) == (2 if size == PHONE else 1)
        assert [bottom_of(board) <= size[1] for board in boards.all()] == [True] * len(table.names), size
        for part in () if size == PHONE else ("#matrix", "#payments"):
            assert bottom_of(page.locator(f"section:has(> {part})")) <= size[1], part


@IN_BOTH_SCHEMES
def test_the_page_passes_axe_with_and_without_a_reason(
    page: Page, service: Running, of_three: LinkedTable, of_four: LinkedTable, scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme)
    for table in (of_three, of_four):
        for size in SIZES:
            show(page, service, table, size)
            for opened in ("#why", "#why-1-2", "#why-2-bottom"):
                page.evaluate("hash => { location.hash = hash; }", opened)
                check_with_axe(page)
                check_width(page)
            check_targets(page, TAPPED)


def test_a_tap_shows_one_reason_on_the_same_screen(page: Page, service: Running, of_three: LinkedTable) -> None:
    for size in SIZES:
        show(page, service, of_three, size)
        shown = page.locator(VISIBLE)
        expect(shown).to_have_count(0)
        row = page.get_by_role("region", name="Seat 2").locator(".hand-rows a").last
        row.tap()
        expect(shown).to_have_count(1)
        expect(shown).to_contain_text("ben: bottom")
        expect(shown).to_contain_text("against ann")
        expect(shown).to_be_in_viewport(ratio=0.5)
        expect(row).to_be_in_viewport()
        shown.get_by_role("link", name="Close").tap()
        expect(shown).to_have_count(0)
        page.get_by_role("link", name="of ann against cyd: why").tap()
        expect(shown).to_have_count(1)
        expect(shown).to_contain_text("ann against cyd")
        expect(shown).to_be_in_viewport(ratio=0.5)
        payment = page.locator(".hand-payments details").first
        payment.locator("summary").evaluate("of => of.click()")
        expect(payment.locator("p")).to_be_visible()


def test_reasons_are_opened_and_closed_with_keys_only(page: Page, service: Running, of_three: LinkedTable) -> None:
    show(page, service, of_three, DESKTOP)
    for name, heading in (("of ben against cyd: why", "ben against cyd"), ("Top:", "ann: top")):
        target = page.get_by_role("link", name=name).first
        for _ in range(MOST_STOPS):
            page.keyboard.press("Tab")
            if target.evaluate("element => element === document.activeElement"):
                break
        assert target.evaluate("element => getComputedStyle(element).outlineStyle") != "none"
        page.keyboard.press("Enter")
        expect(page.locator(VISIBLE)).to_have_count(1)
        expect(page.locator(VISIBLE)).to_contain_text(heading)
        page.keyboard.press("Tab")
        expect(page.locator(VISIBLE).get_by_role("link", name="Close")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(VISIBLE)).to_have_count(0)
