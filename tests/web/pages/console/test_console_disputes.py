"""Disputes on the console in a browser, from the player's link to the payments: by taps, keys and without scripts."""

from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browser.check_page import check_targets, check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES, OpenPage

SCREENS = [(390, 844), (768, 1024), (1280, 800)]
CLAIM = "ann had the king of diamonds at the bottom, not the ace of hearts"
REASON = "the video shows the king"


def sign_in(page: Page, api: httpx2.Client, url: str) -> None:
    page.goto(f"{url}/console/")
    page.get_by_label("API key").fill(api.headers["Authorization"].removeprefix("Bearer "))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def dispute(page: Page, table: LinkedTable) -> None:
    """Dispute hand 2 on the page of ben's personal link."""
    page.goto(table.link("player", player="ben")["url"])
    page.locator(".rounds a").click()
    page.get_by_text("Something is wrong").click()
    page.get_by_label("Where").select_option("Hand 2")
    page.get_by_label("What is wrong").fill(CLAIM)
    page.get_by_role("button", name="Dispute").click()
    expect(page.get_by_text("You dispute hand 2")).to_be_visible()


def confirm(page: Page, table: LinkedTable) -> None:
    """Confirm the results on the pages of all players, which makes them final."""
    for player in table.names:
        page.goto(table.link("player", player=player)["url"])
        page.locator(".rounds a").click()
        page.get_by_role("button", name="Confirm these results").click()
        expect(page.get_by_text("You have confirmed these results.")).to_be_visible()


def open_case(page: Page, table: LinkedTable) -> None:
    """Open the dispute of a table from the home page, and take it into review."""
    page.get_by_role("link", name="Disputes", exact=True).click()
    expect(page.get_by_role("heading", name="Disputes", level=1)).to_be_visible()
    # On a phone the filter is folded.
    fold = page.locator(".filter-fold > summary")
    if fold.is_visible():
        fold.click()
    page.get_by_label("Table").fill(table.name)
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name=f"{table.name}: Hand 2").click()
    page.get_by_role("button", name="Take into review").click()
    expect(page.get_by_role("button", name="Uphold")).to_be_visible()


def change_by_taps(page: Page) -> None:
    """Correct ann's ace of hearts to the king of diamonds."""
    page.get_by_role("group", name="ann, bottom").get_by_role("button", name="ace of hearts").click()
    expect(page.get_by_role("heading", name="Which card was it? ann, bottom")).to_be_visible()
    page.locator('[data-choose="Kd"]').click()
    expect(page.locator("#what-if .board-shown")).to_have_count(2)


def expected_adjustment(table: LinkedTable) -> list[str]:
    """Return the payments that the API has for the correction."""
    settlement = table.get(f"/v1/rounds/{table.round}/settlement")
    assert settlement["revision"] == 2
    assert settlement["reason"] == REASON
    return [
        f"{each['payer']} pays {each['payee']} €{each['money'] / 100:.2f}"
        for each in settlement["adjustment"]["transfers"]
    ]


def check_result(page: Page, table: LinkedTable) -> None:
    """Check the adjustment payments on the page of the case against the API."""
    expect(page.get_by_role("heading", name="Adjustment payments")).to_be_visible()
    payments = expected_adjustment(table)
    assert payments
    for payment in payments:
        expect(page.locator("#result")).to_contain_text(payment)


def test_a_whole_dispute(table: LinkedTable, api: httpx2.Client, service: Running, open_page: OpenPage) -> None:
    page = open_page("/console/sign-in")
    confirm(page, table)
    dispute(page, table)
    players_page = page.url
    sign_in(page, api, service.url)
    open_case(page, table)
    expect(page.locator("blockquote")).to_contain_text(CLAIM)
    change_by_taps(page)
    expect(page.locator("#what-if")).to_contain_text("Foul.")
    expect(page.locator("#what-if")).to_contain_text("Adjustment payments")
    assert table.get(f"/v1/rounds/{table.round}/settlement")["revision"] == 1, "a preview stores nothing"
    page.get_by_label("Reason").fill(REASON)
    page.get_by_role("button", name="Uphold").click()
    check_result(page, table)
    page.goto(players_page)
    expect(page.locator("#revisions")).to_contain_text(REASON)
    [record] = table.get(f"/v1/disputes?round={table.round}")["disputes"]
    assert record["state"] == "upheld"


def test_a_card_elsewhere_in_the_hand_changes_places(
    table: LinkedTable, api: httpx2.Client, service: Running, open_page: OpenPage
) -> None:
    page = open_page("/console/sign-in")
    dispute(page, table)
    sign_in(page, api, service.url)
    open_case(page, table)
    page.get_by_role("group", name="ann, top").get_by_role("button", name="king of spades").click()
    expect(page.locator('[data-choose="Ks"]')).to_be_disabled()
    page.get_by_role("button", name="ace of clubs, exchange with ben, top").click()
    expect(page.locator('input[name="cards.2.1.top"]')).to_have_value("Ac Qd 2c")
    expect(page.locator('input[name="cards.2.2.top"]')).to_have_value("Ks 8d 2s")
    expect(page.locator("#what-if .board-shown")).to_have_count(4)
    page.get_by_role("group", name="ann, top").get_by_role("button", name="ace of clubs").click()
    expect(page.locator("dialog[open]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.get_by_role("group", name="ann, top").get_by_role("button").first).to_be_focused()


def test_the_keyboard_is_enough(table: LinkedTable, api: httpx2.Client, service: Running, open_page: OpenPage) -> None:
    page = open_page("/console/sign-in")
    confirm(page, table)
    dispute(page, table)
    sign_in(page, api, service.url)
    open_case(page, table)
    page.get_by_role("group", name="ann, bottom").get_by_role("button", name="ace of hearts").focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_be_visible()
    press_until_focused(page, '[data-choose="Kd"]')
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="king of diamonds, changed").first).to_be_focused()
    expect(page.locator("#what-if .board-shown")).to_have_count(2)
    press_until_focused(page, "#reason")
    page.keyboard.type(REASON)
    press_until_focused(page, 'button[value="uphold"]')
    page.keyboard.press("Enter")
    check_result(page, table)


def press_until_focused(page: Page, selector: str) -> None:
    """Press the tabulator key until an element has the focus."""
    for _ in range(120):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{selector} cannot be reached by the keyboard")


def test_without_scripts_cards_are_typed(
    table: LinkedTable, api: httpx2.Client, service: Running, plain: BrowserContext
) -> None:
    page = plain.new_page()
    confirm(page, table)
    dispute(page, table)
    sign_in(page, api, service.url)
    open_case(page, table)
    bottom = page.get_by_label("ann, Bottom")
    bottom.fill("Kd jh 7h 6h")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#what-if")).to_contain_text("Hand 2, ann, bottom row: has 4 cards; expected 5")
    bottom.fill("Kd jh 7h 6h 2h")
    page.get_by_role("button", name="Hand 3").click()
    page.get_by_role("button", name="Hand 2").click()
    expect(bottom).to_have_value("Kd jh 7h 6h 2h")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#what-if .board-shown")).to_have_count(2)
    page.get_by_label("Reason").fill(REASON)
    page.get_by_role("button", name="Uphold").click()
    check_result(page, table)


def check_enter(page: Page, table: LinkedTable) -> None:
    """Press Enter in a field of the decision, and check that the page shows what would change and stores nothing."""
    page.get_by_label("Reason").fill(REASON)
    with page.expect_navigation():
        page.get_by_label("Reason").press("Enter")
    expect(page.locator("#hand-title")).to_have_text("Hand 2")
    expect(page.locator("#what-if .board-shown")).to_have_count(2)
    expect(page.get_by_label("Reason")).to_have_value(REASON)
    [record] = table.get(f"/v1/disputes?round={table.round}")["disputes"]
    assert record["state"] == "under_review"


def test_enter_previews(table: LinkedTable, api: httpx2.Client, service: Running, open_page: OpenPage) -> None:
    page = open_page("/console/sign-in")
    dispute(page, table)
    sign_in(page, api, service.url)
    open_case(page, table)
    change_by_taps(page)
    check_enter(page, table)


def test_enter_previews_without_scripts(
    table: LinkedTable, api: httpx2.Client, service: Running, plain: BrowserContext
) -> None:
    page = plain.new_page()
    dispute(page, table)
    sign_in(page, api, service.url)
    open_case(page, table)
    bottom = page.get_by_label("ann, Bottom")
    bottom.fill("Kd jh 7h 6h 2h")
    with page.expect_navigation():
        bottom.press("Enter")
    expect(page.locator("#hand-title")).to_have_text("Hand 2")
    expect(page.locator("#what-if .board-shown")).to_have_count(2)
    check_enter(page, table)


def test_an_auditor_asks_and_rejects(
    table: LinkedTable, api: httpx2.Client, service: Running, open_page: OpenPage
) -> None:
    page = open_page("/console/sign-in")
    dispute(page, table)
    sign_in(page, api, service.url)
    open_case(page, table)
    page.get_by_label("Ask or comment").fill("Which camera?")
    page.get_by_role("button", name="Add comment").click()
    expect(page.locator("#history")).to_contain_text("Which camera?")
    page.get_by_label("Reason").fill("the video shows the ace")
    page.get_by_role("button", name="Reject").click()
    expect(page.locator("#result")).to_contain_text("Rejected")
    expect(page.locator("#result")).to_contain_text("Nothing was corrected.")
    page.get_by_role("link", name="Disputes", exact=True).click()
    page.get_by_role("link", name="Decided").click()
    expect(page.get_by_role("row", name=table.name)).to_contain_text("Rejected")


def test_a_page_that_was_open_during_another_decision_does_not_undo_it(
    table: LinkedTable, api: httpx2.Client, service: Running, open_page: OpenPage
) -> None:
    first = open_page("/console/sign-in")
    dispute(first, table)
    claim = {"round": table.round, "hand": 2, "seat": 2, "claim": "ben had the three of diamonds", "by": "ben"}
    opened = api.post("/v1/disputes", json=claim).json()["id"]
    sign_in(first, api, service.url)
    second = first.context.new_page()
    second.goto(f"{service.url}/console/disputes/{opened}")
    expect(second.locator("#others")).to_contain_text(CLAIM)
    second.get_by_role("button", name="Take into review").click()
    expect(second.get_by_role("button", name="Uphold")).to_be_visible()
    open_case(first, table)
    change_by_taps(first)
    first.get_by_label("Reason").fill(REASON)
    first.get_by_role("button", name="Uphold").click()
    expect(first.locator("#result")).to_contain_text("Revision 2 of the settlement corrects the round.")

    second.get_by_role("group", name="ben, top").get_by_role("button", name="two of spades").click()
    second.locator('[data-choose="3d"]').click()
    expect(second.locator("#what-if")).to_contain_text("Your changes are compared with revision 2")
    expect(second.locator("#what-if .board-shown")).to_have_count(2)
    second.get_by_label("Reason").fill("ben is right")
    second.get_by_role("button", name="Uphold").click()
    expect(second.locator("#new")).to_contain_text(REASON)
    bottom = second.get_by_role("group", name="ann, bottom")
    expect(bottom.get_by_role("button", name="king of diamonds", exact=True)).to_be_visible()
    top = second.get_by_role("group", name="ben, top")
    expect(top.get_by_role("button", name="three of diamonds, changed")).to_be_visible()
    assert table.get(f"/v1/rounds/{table.round}/settlement")["revision"] == 2, "the decision is looked at again"
    second.get_by_role("button", name="Uphold").click()
    expect(second.locator("#result")).to_contain_text("Revision 3 of the settlement corrects the round.")
    players = table.get(f"/v1/rounds/{table.round}/document")["hands"][1]["players"]
    assert "Kd" in players[0]["bottom"]
    assert "3d" in players[1]["top"]


def test_a_hand_is_corrected_without_a_dispute(
    table: LinkedTable, api: httpx2.Client, service: Running, open_page: OpenPage
) -> None:
    page = open_page("/console/sign-in")
    sign_in(page, api, service.url)
    page.goto(f"{service.url}/console/rounds/{table.round}/hands/2")
    page.get_by_role("link", name="Correct this hand").click()
    expect(page.locator("#hand-title")).to_have_text("Hand 2")
    change_by_taps(page)
    expect(page.locator("#what-if")).to_contain_text("Foul.")
    assert table.get(f"/v1/rounds/{table.round}/settlement")["revision"] == 1, "a preview stores nothing"
    page.get_by_label("Reason").fill(REASON)
    page.get_by_role("button", name="Correct the round").click()
    expect(page).to_have_url(f"{service.url}/console/rounds/{table.round}/revisions?from=1&to=2")
    expect(page.locator("main")).to_contain_text(REASON)
    settlement = table.get(f"/v1/rounds/{table.round}/settlement")
    assert (settlement["revision"], settlement["reason"]) == (2, REASON)


def check(page: Page) -> None:
    """Check what the page shows with axe, and that nothing is wider than the screen or too small for a finger."""
    check_with_axe(page)
    check_width(page)
    check_targets(page)


@IN_BOTH_SCHEMES
def test_every_page_passes_axe(
    table: LinkedTable, api: httpx2.Client, service: Running, browser: Browser, scheme: Any
) -> None:
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    context.set_default_timeout(10_000)
    page = context.new_page()
    dispute(page, table)
    sign_in(page, api, service.url)
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        for path in ("/console/", "/console/disputes", "/console/disputes?table=none"):
            page.goto(service.url + path)
            check(page)
    open_case(page, table)
    case = page.url
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(case)
        check(page)
        change_by_taps(page)
        check(page)
        page.get_by_role("button", name="king of diamonds, changed").click()
        check(page)
        page.keyboard.press("Escape")
    page.get_by_label("Reason").fill(REASON)
    page.get_by_role("button", name="Uphold").click()
    expect(page.locator("#result")).to_be_visible()
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        check(page)
    page.goto(f"{case}?format=print")
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        check_with_axe(page)
        check_width(page)
    context.close()
