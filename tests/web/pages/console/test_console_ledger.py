"""Tables, statements, the ledger and players of the console in a browser: filters, pages, files, print and keyboard."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browser.check_page import check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import collect_violations
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES

SCREENS = [(320, 700), (390, 844), (768, 1024), (820, 1180), (1280, 800)]
ONE_LINE = 60
"""The height of the header in pixels, if it is one line."""
ROUNDS = 6
"""Rounds of three hands with three payments each: more lines than a page of the ledger has."""


@pytest.fixture(scope="module")
def table(api: httpx2.Client) -> LinkedTable:
    table = LinkedTable(api, name="console", reference="round 1")
    for number in range(1, ROUNDS + 1):
        table.complete()
        table.open_round(reference=f"round {number + 1}")
    return table


@pytest.fixture
def plain(browser: Browser, service: Running, key: str) -> Iterator[BrowserContext]:
    """A browser in which no script runs, signed in to the console."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, java_script_enabled=False)
    yield from sign_in(context, service, key)


@pytest.fixture
def scripted(browser: Browser, service: Running, key: str) -> Iterator[BrowserContext]:
    """A browser that is signed in to the console."""
    yield from sign_in(browser.new_context(viewport={"width": 1280, "height": 800}), service, key)


def sign_in(context: BrowserContext, service: Running, key: str) -> Iterator[BrowserContext]:
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.goto(f"{service.url}/console/")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="Money")).to_be_visible()
    page.close()
    yield context
    context.close()


def expect_rows(page: Page, label: str, count: int) -> None:
    expect(page.get_by_role("group", name=label, exact=True).locator("tbody tr")).to_have_count(count)


def test_the_ledger_is_filtered_paged_and_downloaded_without_scripts(
    table: LinkedTable, plain: BrowserContext, service: Running, tmp_path: Path
) -> None:
    page = plain.new_page()
    page.goto(f"{service.url}/console/ledger")
    page.get_by_label("Table").fill(table.name)
    page.get_by_role("button", name="Filter").click()
    expect_rows(page, "Entries", 50)
    page.get_by_role("link", name="Next page").click()
    expect_rows(page, "Entries", 9 * ROUNDS - 50)
    expect(page.get_by_label("Table")).to_have_value(table.name)
    page.get_by_label("Player").fill("ben")
    page.get_by_role("button", name="Filter").click()
    expect_rows(page, "Entries", 6 * ROUNDS)
    lines = []
    for form in ("CSV", "JSON"):
        with page.expect_download() as downloading:
            page.get_by_role("link", name=form, exact=True).click()
        saved = tmp_path / downloading.value.suggested_filename
        downloading.value.save_as(saved)
        text = saved.read_text(encoding="utf-8")
        lines.append(len(json.loads(text)) if form == "JSON" else len(list(csv.DictReader(text.splitlines()))))
    dated = r"ledger-\d{4}-\d\d-\d\d\."
    assert sorted(re.sub(dated, "", path.name) for path in tmp_path.iterdir()) == ["csv", "json"]
    assert lines == [6 * ROUNDS] * 2
    page.get_by_label("Player").fill("nobody")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("There is no player “nobody”.")).to_be_visible()


def test_a_statement_is_printed(table: LinkedTable, plain: BrowserContext, service: Running) -> None:
    page = plain.new_page()
    page.goto(f"{service.url}/console/tables")
    page.get_by_role("link", name=table.name, exact=True).click()
    page.get_by_role("link", name="Print page").click()
    expect(page.get_by_role("heading", name=f"Statement of {table.name}")).to_be_visible()
    expect(page.get_by_role("navigation")).to_have_count(0)
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name="Back")).to_be_hidden()
    expect(page.get_by_role("group", name="Results")).to_be_visible()
    page.emulate_media(media="screen")
    page.get_by_role("link", name="Back").click()
    page.emulate_media(media="print")
    for hidden in ("Console", "Period"):
        expect(page.get_by_role("navigation", name=hidden)).to_be_hidden()


def test_everything_is_reached_by_keyboard(table: LinkedTable, scripted: BrowserContext, service: Running) -> None:
    page = scripted.new_page()
    page.goto(f"{service.url}/console/")
    assert tab_to(page, "Club") == "SUMMARY"
    page.keyboard.press("Enter")
    assert tab_to(page, "Rulesets") == "A"
    page.keyboard.press("Escape")
    expect(page.locator(".menu > summary")).to_be_focused()
    expect(page.get_by_role("link", name="Rulesets")).to_be_hidden()
    tab_to(page, "Search the club")
    page.keyboard.type("be")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Search")
    page.goto(f"{service.url}/console/players?name=be")
    assert tab_to(page, "ben") == "A"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="ben", exact=True)).to_be_visible()
    assert tab_to(page, "Head-to-head") == "DIV", "a wide table can be scrolled by keyboard"
    tab_to(page, "Name")
    page.keyboard.type("Ben Example")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ben Example")).to_be_visible()
    tab_to(page, "Erase the name and texts")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="ben", exact=True)).to_be_visible()


def tab_to(page: Page, name: str) -> str:
    """Press the tab key until something with a name has a visible focus, and return its tag."""
    for _ in range(80):
        page.keyboard.press("Tab")
        tag, named, outline = page.evaluate(
            """() => {
                const active = document.activeElement;
                const named = active.labels?.[0]?.innerText ?? active.getAttribute("aria-label") ?? active.innerText;
                return [active.tagName, named, getComputedStyle(active).outlineStyle];
            }"""
        )
        if str(named).strip() == name:
            assert outline != "none"
            return str(tag)
    raise AssertionError(f"the tab key does not reach {name}")


@IN_BOTH_SCHEMES
def test_every_page_passes_axe_and_fits_every_screen(
    table: LinkedTable, scripted: BrowserContext, service: Running, scheme: Any
) -> None:
    violations: list[Any] = []
    page = scripted.new_page()
    collect_violations(page, violations)
    page.emulate_media(color_scheme=scheme)
    for path in (
        "tables",
        f"tables/{table.id}",
        f"tables/{table.id}?format=print",
        "statement",
        "statement?format=print",
        "ledger",
        "ledger?player=nobody",
        "ledger?from=yesterday",
        "money",
        "players",
        "players/ann",
        "rounds?player=e",
        "search?q=b",
    ):
        page.goto(f"{service.url}/console/{path}")
        check_with_axe(page)
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            check_width(page)
            header = page.locator(".console-bar").bounding_box() if "format=print" not in path else None
            assert header is None or header["height"] < ONE_LINE, (path, width)
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".menu > summary").click()
        expect(page.get_by_role("link", name="Audit trail")).to_be_in_viewport()
        check_with_axe(page)
        check_width(page)
        page.mouse.click(5, height - 5)
        expect(page.get_by_role("link", name="Audit trail")).to_be_hidden()
    assert violations == []
