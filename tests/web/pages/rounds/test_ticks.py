"""Settle up without a network: ticks wait on the phone like hands, and each payment is recorded once."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, wait_for_promise
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.test_joining import fragment_of
from tests.web.pages.test_offline_rounds import SYNC, expect_sent
from tests.web.pages.test_rules_on_device import wait_for_rules, wait_until_rules_are_cached

pytestmark = pytest.mark.with_rules

HAS_BALANCES = """async (table) => {
  const request = indexedDB.open("tablestakes-scorekeeper");
  const database = await new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const found = database.transaction("tables").objectStore("tables").get(table);
  await new Promise((resolve) => (found.onsuccess = resolve));
  database.close();
  return found.result?.account?.counted[0]?.status !== "open";
}"""

OpenTable = Callable[..., ScorekeeperPage]


@pytest.fixture
def open_table(table: LinkedTable, open_scorekeeper: OpenScorekeeper) -> ScorekeeperPage:
    """The page of a scorekeeper at a table whose round has ended, with all that it needs without a network."""
    scorekeeper = open_scorekeeper(f"/scorekeeper/{fragment_of(table.link('scorekeeper'))}")
    wait_for_rules(scorekeeper)
    wait_until_rules_are_cached(scorekeeper)
    wait_for_promise(scorekeeper.page, HAS_BALANCES, table.id)
    return scorekeeper


def settle_up(page: Page) -> Locator:
    """Open the panel, and return its lines."""
    page.get_by_role("button", name="Settle up").tap()
    lines = page.locator(".settle-line")
    expect(lines.first).to_be_visible()
    return lines


def payments_of(table: LinkedTable) -> list[tuple[Any, ...]]:
    """Return the payments that count, by payer and payee."""
    listed = table.get(f"/v1/ledger?table={table.id}&kind=payment&limit=100")["lines"]
    taken_back = {each["reverses"] for each in table.get(f"/v1/ledger?table={table.id}&kind=reversal&limit=100")["lines"]}
    return sorted((each["payer"], each["payee"], each["amount"]) for each in listed if each["id"] not in taken_back)


def owed_at(table: LinkedTable) -> dict[str, int]:
    """Return what is owed at the table."""
    [unit] = table.get(f"/v1/balances?table={table.id}")["units"]
    return {each["player"]: each["balance"] for each in unit["players"]}


def test_ticks_without_a_network_are_recorded_once(
    table: LinkedTable, open_table: ScorekeeperPage, open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    page = open_table.page
    context.set_offline(True)
    lines = settle_up(page)
    proposed = lines.all_inner_texts()
    print(proposed, owed_at(table))
    page.screenshot(path="/tmp/so/1.png", full_page=True)
    lines.first.get_by_role("button", name="Paid").dblclick()
    expect(lines.first).to_contain_text("waits")
    page.screenshot(path="/tmp/so/2.png", full_page=True)
