"""What people have written is text on every screen of the scorekeeper's page, whatever it looks like."""

from typing import Any
from uuid import uuid4

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.test_joining import fragment_of

pytestmark = pytest.mark.thorough
NAMES = ("<img src=x onerror=globalThis.isRun=1>", "</p><script>globalThis.isRun=1</script>", "'\"><marquee>cyd")
MARKUP = "<img src=x onerror=globalThis.isRun=1><marquee>"


def expect_text(page: Page, *texts: str) -> None:
    """Check that texts are shown as they were written, and that nothing of them is an element or has run."""
    for text in texts:
        expect(page.locator("#page")).to_contain_text(text)
    assert page.locator("#page").locator("script, marquee, img:not(.mark)").count() == 0
    assert page.evaluate("globalThis.isRun === undefined")


@pytest.fixture
def table(api: httpx2.Client, request: pytest.FixtureRequest) -> LinkedTable:
    name = f"{MARKUP} {request.node.name[:20]}"
    named = LinkedTable(api, names=NAMES, name=name, reference=f"{MARKUP} round")
    named.play(1)
    return named


def test_names_references_and_reasons_are_text(table: LinkedTable, open_scorekeeper: OpenScorekeeper) -> None:
    link = table.link("scorekeeper", label=f"{MARKUP} phone")
    shown = table.api.put(
        f"/v1/tables/{table.id}/scorekeepers/{uuid4()}",
        json={"hand": 2},
        headers={"Authorization": f"Bearer {fragment_of(link).removeprefix('#')}"},
    )
    assert shown.status_code == 204, shown.text
    scorekeeper = open_scorekeeper(f"/scorekeeper/{fragment_of(table.link('scorekeeper'))}")
    page = scorekeeper.page
    expect(page.get_by_role("heading", level=1)).to_have_text(table.name)
    expect_text(page, *NAMES, f"{MARKUP} phone is entering hand 2")
    page.locator("summary").tap()
    expect(page.locator(".hand-details")).to_be_visible()
    expect_text(page, *NAMES)
    page.get_by_role("button", name="Settle up").tap()
    page.get_by_role("button", name="Tonight").tap()
    expect(page.locator(".settle-lines li").first).to_be_visible()
    expect_text(page, *NAMES)
    enter_hand(scorekeeper)
    close_with_reason(table)
    page.get_by_role("button", name="Back to the round").click()
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    expect_text(page)
    assert page.get_by_label("Player in seat 2").input_value() == NAMES[1]


def enter_hand(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.enter_hand(2)
    scorekeeper.tap_cards(list_cards()[:5])
    expect_text(scorekeeper.page, *NAMES)


def close_with_reason(table: LinkedTable) -> dict[str, Any]:
    closed = table.api.post(f"/v1/rounds/{table.round}/close", json={"reason": f"{MARKUP} reason"})
    assert closed.status_code == 200, closed.text
    document: dict[str, Any] = closed.json()
    return document


def test_a_list_of_tables_and_a_refusal_are_text(table: LinkedTable, open_scorekeeper: OpenScorekeeper) -> None:
    scorekeeper = open_scorekeeper()
    scorekeeper.join()
    page = scorekeeper.page
    expect_text(page, table.name)
    close_with_reason(table)
    page.get_by_role("button", name=table.name).click()
    page.get_by_label("Player in seat 1").fill(MARKUP)
    page.get_by_label("Stack of seat 1").fill("10")
    page.get_by_label("Player in seat 2").fill(MARKUP)
    page.get_by_label("Stack of seat 2").fill("10")
    page.get_by_role("button", name="Open the round").click()
    expect(page.locator(".notice.error")).to_contain_text(MARKUP)
    expect_text(page)
    page.get_by_role("button", name="Earlier rounds").click()
    expect(page.get_by_role("region", name="Earlier rounds")).to_contain_text("The table has no earlier rounds.")
    expect_text(page)
