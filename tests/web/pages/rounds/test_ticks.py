"""Settle up on the phone: ticks wait like hands without a network, and each payment is recorded once."""

import itertools
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.support.browser.check_page import check_targets
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, wait_for_promise
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.test_accessibility import check
from tests.web.pages.test_joining import fragment_of
from tests.web.pages.test_offline_rounds import SYNC
from tests.web.pages.test_rules_on_device import wait_for_rules, wait_until_rules_are_cached

pytestmark = pytest.mark.with_rules
OpenTable = Callable[[LinkedTable], ScorekeeperPage]
PAYMENTS = "**/v1/payments"
_NUMBERS = itertools.count(1)

READ_BALANCES = """async (table) => {
  const request = indexedDB.open("tablestakes-scorekeeper");
  const database = await new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const found = database.transaction("tables").objectStore("tables").get(table);
  await new Promise((resolve) => (found.onsuccess = resolve));
  database.close();
  return (found.result?.account?.counted ?? []).length > 0;
}"""


def add_table(api: httpx2.Client) -> LinkedTable:
    """Add a table of players of its own: an equal payment in the club is asked about."""
    number = next(_NUMBERS)
    return LinkedTable(api, names=(f"ann {number}", f"ben {number}", f"cyd {number}"))


@pytest.fixture
def table(api: httpx2.Client) -> LinkedTable:
    table = add_table(api)
    table.complete()
    return table


def proposed_at(table: LinkedTable, *amounts: str) -> list[str]:
    """Return the lines of proposals, to the first player of the table and to the second."""
    *payees, payer = table.names
    return [
        f"{payer} pays {payee} {amount}" for payee, amount in zip(payees, amounts or ("€1.20", "€12.00"), strict=True)
    ]


def paid_at(table: LinkedTable, *amounts: int) -> list[tuple[str, str, int]]:
    """Return the payments that these proposals become; those of 0 are left out."""
    *payees, payer = table.names
    return [(payer, payee, amount) for payee, amount in zip(payees, amounts, strict=True) if amount]


@pytest.fixture
def open_table(open_scorekeeper: OpenScorekeeper) -> OpenTable:
    """Open a table with a scorekeeper's link, and wait until the device has all that it needs without a network."""

    def open_linked(table: LinkedTable) -> ScorekeeperPage:
        scorekeeper = open_scorekeeper(f"/scorekeeper/{fragment_of(table.link('scorekeeper'))}")
        wait_for_rules(scorekeeper)
        wait_until_rules_are_cached(scorekeeper)
        wait_for_promise(scorekeeper.page, READ_BALANCES, table.id)
        return scorekeeper

    return open_linked


def settle_up(page: Page) -> Locator:
    """Open the panel, and return its lines."""
    page.get_by_role("button", name="Settle up").tap()
    return page.locator(".settle-line")


def line_of(page: Page, payee: str) -> Locator:
    return page.locator(".settle-line", has_text=payee)


def tick(page: Page, payee: str) -> None:
    line_of(page, payee).get_by_role("button", name="Paid").tap()


def untick(page: Page, payee: str) -> None:
    line_of(page, payee).get_by_role("button", name="Undo").tap()


def ledger_of(table: LinkedTable, kind: str) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = table.get(f"/v1/ledger?kind={kind}&unit=EUR&limit=500")["lines"]
    return [line for line in lines if line["table"] == table.id and line["revision"] is None]


def payments_of(table: LinkedTable) -> list[tuple[Any, ...]]:
    """Return the payments at a table that count, by payer and payee."""
    taken_back = {each["reverses"] for each in ledger_of(table, "reversal")}
    counted = [each for each in ledger_of(table, "payment") if each["id"] not in taken_back]
    return sorted((each["payer"], each["payee"], each["amount"]) for each in counted)


def owed_at(table: LinkedTable) -> dict[str, int]:
    [unit] = table.get(f"/v1/balances?table={table.id}")["units"]
    return {each["player"]: each["balance"] for each in unit["players"]}


@pytest.mark.smoke
def test_ticks_without_a_network_are_recorded_once(
    table: LinkedTable, open_table: OpenTable, context: BrowserContext
) -> None:
    page = open_table(table).page
    context.set_offline(True)
    lines, (to_ann, to_ben) = settle_up(page), proposed_at(table)
    ann_paid, ben_paid = (line.replace("pays", "has paid") for line in (to_ann, to_ben))
    expect(lines).to_have_text([f"{to_ann}Paid", f"{to_ben}Paid"])
    line_of(page, "ann").get_by_role("button", name="Paid").dblclick()
    expect(lines).to_contain_text([f"{ann_paid} waits", to_ben])
    tick(page, "ben")
    expect(page.get_by_text("offline, 2 waiting")).to_be_visible()
    untick(page, "ben")
    expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
    tick(page, "ben")
    expect(page.get_by_text("offline, 2 waiting")).to_be_visible()
    page.reload()
    settle_up(page)
    expect(lines).to_contain_text([f"{ann_paid} waits", f"{ben_paid} waits"])
    assert payments_of(table) == []

    context.set_offline(False)
    expect(lines).to_contain_text(["recorded", "recorded"], timeout=SYNC)
    assert payments_of(table) == paid_at(table, 120, 1200)
    assert set(owed_at(table).values()) == {0}
    untick(page, "ben")
    expect(lines).to_contain_text([f"{ann_paid} recorded", to_ben])
    expect(page.locator("header").get_by_text("waiting")).to_have_count(0, timeout=SYNC)
    assert payments_of(table) == paid_at(table, 120, 0)
    assert [owed_at(table)[name] for name in table.names] == [0, 1200, -1200]


@pytest.mark.thorough
@pytest.mark.parametrize("is_taken_back", [False, True])
def test_a_payment_whose_response_is_lost_is_recorded_once(
    table: LinkedTable, open_table: OpenTable, context: BrowserContext, is_taken_back: bool
) -> None:
    """The service has recorded it: sent again it is the same payment, and taken back it needs a reversal."""
    page = open_table(table).page

    def lose(route: Route) -> None:
        if route.request.method == "POST":
            route.fetch()
        route.abort()

    context.route(PAYMENTS, lose)
    lines, proposed = settle_up(page), proposed_at(table)
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/payments")):
        tick(page, "ben")
    assert payments_of(table) == paid_at(table, 0, 1200)
    expect(lines).to_contain_text([proposed[0], "waits"])
    if is_taken_back:
        untick(page, "ben")
        expect(lines).to_contain_text(proposed)
    context.unroute_all(behavior="ignoreErrors")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("header").get_by_text("waiting")).to_have_count(0, timeout=SYNC)
    assert payments_of(table) == ([] if is_taken_back else paid_at(table, 0, 1200))
    assert len(ledger_of(table, "payment")) == 1
    expect(lines).to_contain_text(proposed if is_taken_back else [proposed[0], "recorded"])


@pytest.mark.parametrize("is_another", [False, True])
def test_a_payment_that_another_device_has_recorded_waits_for_a_decision(
    table: LinkedTable, open_table: OpenTable, context: BrowserContext, api: httpx2.Client, is_another: bool
) -> None:
    """A manager records it for the whole club, which a link does not see."""
    page = open_table(table).page
    context.set_offline(True)
    settle_up(page)
    tick(page, "ben")
    expect(line_of(page, "ben")).to_contain_text("waits")
    _, payee, payer = table.names
    paid = {"payer": payer, "payee": payee, "unit": "EUR", "amount": 1200, "reference": f"manager {table.id}"}
    assert api.post("/v1/payments", json=paid).status_code == 201
    context.set_offline(False)
    question = page.get_by_role("alert", name=f"Payment of {payer} to {payee}, €12.00")
    expect(question).to_contain_text("is it another one?", timeout=SYNC)
    expect(question).to_contain_text("The same payment or charge was recorded before.")
    check(ScorekeeperPage(page, "", api, []))
    check_targets(page)
    assert payments_of(table) == []
    question.get_by_role("button", name="Record it too" if is_another else "It is recorded already").tap()
    expect(question).to_have_count(0)
    expect(page.locator("header").get_by_text("waiting")).to_have_count(0, timeout=SYNC)
    assert payments_of(table) == (paid_at(table, 0, 1200) if is_another else [])
    expect(line_of(page, "ben")).to_contain_text("recorded" if is_another else "recorded elsewhere")
    untick(page, "ben")
    expect(line_of(page, "ben").get_by_role("button", name="Paid")).to_be_visible()


@pytest.mark.thorough
def test_a_payment_is_ticked_in_one_of_two_tabs(
    table: LinkedTable, open_table: OpenTable, open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    pages = [open_table(table).page, open_scorekeeper().page]
    for page in pages:
        settle_up(page)
        expect(line_of(page, "ben")).to_be_visible()
    context.set_offline(True)
    buttons = [line_of(page, "ben").get_by_role("button", name="Paid") for page in pages]
    for button in buttons:
        button.tap()
    for page in pages:
        expect(line_of(page, "ben")).to_contain_text("waits")
    context.set_offline(False)
    for page in pages:
        expect(line_of(page, "ben")).to_contain_text("recorded", timeout=SYNC)
    assert payments_of(table) == paid_at(table, 0, 1200)
    assert len(ledger_of(table, "payment")) == 1


@pytest.mark.thorough
def test_a_round_is_closed_and_paid_without_a_network(
    api: httpx2.Client, open_table: OpenTable, context: BrowserContext
) -> None:
    """The payment waits for the round, without which nobody owes anything."""
    table = add_table(api)
    table.play_again(1)
    to_ann, to_ben = proposed_at(table, "€0.40", "€4.00")
    page = open_table(table).page
    context.set_offline(True)
    lines = settle_up(page)
    expect(page.get_by_text("The open round counts nothing until it is closed.")).to_be_visible()
    panel = page.get_by_role("region", name="Settle up")
    panel.get_by_role("button", name="Close the round").tap()
    assert panel.get_by_label("Reason").input_value() == "Settled up"
    panel.get_by_role("button", name="Close the round").tap()
    expect(lines).to_contain_text([to_ann, to_ben])
    tick(page, "ben")
    expect(page.get_by_text("offline, 2 waiting")).to_be_visible()
    context.set_offline(False)
    expect(lines).to_contain_text([to_ann, "recorded"], timeout=SYNC)
    assert payments_of(table) == paid_at(table, 0, 400)
    assert [owed_at(table)[name] for name in table.names] == [40, 0, -40]


@pytest.mark.thorough
def test_a_viewer_sees_who_pays_whom_without_buttons(table: LinkedTable, open_scorekeeper: OpenScorekeeper) -> None:
    secret = table.link()["url"].rpartition("/")[2]
    page = open_scorekeeper(f"/scorekeeper/#{secret}").page
    lines = settle_up(page)
    expect(lines).to_have_text(proposed_at(table), timeout=60_000)  # the rules are loaded first
    expect(lines.get_by_role("button")).to_have_count(0)
