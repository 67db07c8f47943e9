"""The pages of viewers' and players' links in a browser, also without scripts."""

from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browser.check_page import check_targets, check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES, OpenPage

pytestmark = pytest.mark.thorough
SCREENS = [(390, 844), (768, 1024), (1280, 800)]


def path_of(link: dict[str, Any], service: Running) -> str:
    return str(link["url"]).removeprefix(service.url)


def find_evening(table: LinkedTable) -> str:
    """Return the evening of the round of a table, in the time zone of new clubs."""
    opened_at = datetime.fromisoformat(table.get(f"/v1/rounds/{table.round}")["opened_at"])
    return (opened_at - timedelta(hours=6)).date().isoformat()


def test_a_player_confirms_and_disputes_without_scripts(table: LinkedTable, plain: BrowserContext) -> None:
    page = plain.new_page()
    page.goto(table.link("player", player="ben")["url"])
    page.locator(".rounds a").click()
    expect(page.locator("#standings")).to_contain_text("You")
    page.get_by_role("button", name="Confirm these results").click()
    expect(page.get_by_text("You have confirmed these results.")).to_be_visible()
    assert table.get(f"/v1/rounds/{table.round}/settlement")["confirmed"] == [2]
    page.reload()
    expect(page.get_by_text("You have confirmed these results.")).to_be_visible()
    page.get_by_text("Something is wrong").click()
    page.get_by_label("Where").select_option("Hand 2")
    page.get_by_label("What is wrong").fill("my top row was queens")
    page.get_by_role("button", name="Dispute").click()
    expect(page.get_by_text("You dispute hand 2")).to_be_visible()
    [dispute] = table.get(f"/v1/disputes?round={table.round}")["disputes"]
    assert (dispute["by"], dispute["hand"]) == ("ben", 2)
    page.go_back()
    page.go_forward()
    expect(page.get_by_text("You dispute hand 2")).to_be_visible()
    assert len(table.get(f"/v1/disputes?round={table.round}")["disputes"]) == 1


def test_a_player_replies_to_a_dispute_and_withdraws_it_without_scripts(
    table: LinkedTable, plain: BrowserContext
) -> None:
    page = plain.new_page()
    page.goto(table.link("player", player="ben")["url"])
    page.locator(".rounds a").click()
    page.get_by_text("Something is wrong").click()
    page.get_by_label("What is wrong").fill("the points do not add up")
    page.get_by_role("button", name="Dispute").click()
    own = page.locator(".own-dispute")
    own.get_by_label("Reply").fill("I have a photo")
    own.get_by_role("button", name="Send the reply").click()
    expect(own.locator(".entries")).to_contain_text("I have a photo")
    own.get_by_text("Withdraw the dispute").click()
    own.get_by_label("Why, if you want to say it").fill("I added up the wrong row")
    own.get_by_role("button", name="Withdraw", exact=True).click()
    expect(own.locator(".decision")).to_contain_text("I added up the wrong row")
    expect(own.get_by_role("button")).to_have_count(0)
    [dispute] = table.get(f"/v1/disputes?round={table.round}")["disputes"]
    assert dispute["state"] == "withdrawn"


def test_an_evening_is_opened_read_and_shared_without_scripts(table: LinkedTable, plain: BrowserContext) -> None:
    page = plain.new_page()
    page.goto(table.link()["url"])
    page.locator("#evening h2 a").click()
    address = page.url
    assert address.endswith(f"/evenings/{find_evening(table)}")
    expect(page.locator("#evening tbody tr")).to_have_count(3)
    page.get_by_text("Share as text").click()
    text = page.get_by_label("Text to copy").input_value()
    assert text.endswith(address)
    assert "€" in text
    page.get_by_role("link", name="Round 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Round 1, ")
    page.get_by_role("link", name="All rounds of the evening").click()
    assert page.url == address


def test_the_page_of_a_table_leads_to_the_scoreboard_and_to_every_hand(
    table: LinkedTable, service: Running, open_page: OpenPage
) -> None:
    page = open_page(path_of(table.link(), service))
    page.get_by_role("link", name="Scoreboard").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(table.name)
    expect(page.locator(".last")).to_have_count(3)
    page.go_back()
    page.locator(".rounds a").click()
    page.get_by_role("link", name="Why each point of hand 1").click()
    page.get_by_role("link", name="Hand 2").click()
    page.get_by_role("link", name="Hand 3").click()
    page.get_by_role("link", name="The round").click()
    page.get_by_role("link", name="All rounds of the table").click()
    expect(page.get_by_role("heading", level=2, name="Rounds")).to_be_visible()


def check(page: Page) -> None:
    """Check what the page shows with axe, and that nothing is wider than the screen or too small for a finger."""
    check_with_axe(page)
    check_width(page)
    check_targets(page)


@IN_BOTH_SCHEMES
def test_every_page_of_a_link_passes_axe(table: LinkedTable, service: Running, browser: Browser, scheme: Any) -> None:
    # axe runs in the page, which allows no scripts.
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    context.set_default_timeout(20_000)
    page = context.new_page()
    personal = table.link("player", player="ben")
    addresses = [str(personal["url"]), f"{personal['url']}/rounds/{table.round}"]
    addresses += [
        f"{personal['url']}/evenings/{find_evening(table)}",
        f"{personal['url']}/rounds/{table.round}/hands/1",
        f"{service.url}/links/unknown",
        f"{service.url}/board/",
    ]
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        for address in addresses:
            page.goto(address)
            for summary in ("Something is wrong", "Share as text"):
                if page.get_by_text(summary).count():
                    page.get_by_text(summary).click()
            check(page)
    page.goto(table.link()["board_url"])
    expect(page.locator(".last")).to_have_count(3)
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        check(page)
    context.close()


@pytest.mark.parametrize("how", ["revoked", "forged"])
def test_a_link_that_does_not_work_is_explained(
    table: LinkedTable, service: Running, open_page: OpenPage, how: str
) -> None:
    link = table.link()
    if how == "revoked":
        table.revoke(link)
    page = open_page(path_of(link, service) + ("" if how == "revoked" else "x"))
    ended = {"revoked": "This link has ended", "forged": "This link does not work"}[how]
    expect(page.get_by_role("heading", level=1)).to_have_text(ended)


def test_names_and_texts_of_people_run_nowhere(api: httpx2.Client, service: Running, open_page: OpenPage) -> None:
    names = ("<img src=x onerror=document.title='run'>", "<script>document.title='run'</script>", "'\"><b>")
    table = LinkedTable(
        api, names=names, name=f"<script>document.title='run'</script> {len(names)}", reference="<b>r</b>"
    )
    table.complete()
    link = table.link("player", player=names[0])
    for end in ("", f"/rounds/{table.round}", f"/rounds/{table.round}/hands/1"):
        page = open_page(path_of(link, service) + end)
        assert page.title() != "run"
        assert page.locator("img, script, b").count() == 0
        expect(page.locator("body")).to_contain_text(names[0])


def test_the_policy_forbids_what_a_page_does_not_need(table: LinkedTable, service: Running) -> None:
    link = table.link("player", player="ben")
    with httpx2.Client(timeout=60, trust_env=False) as client:
        for end in ("", f"/rounds/{table.round}/hands/1"):
            policy = client.get(f"{link['url']}{end}").headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'; style-src 'self';")
            assert policy.endswith("base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
