"""The API reference in a browser: closed tags, a search, one open operation at a time, and links to operations."""

import httpx2
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.check_page import check_width
from tests.web.pages.conftest import OpenPage

HANDS = "/v1/rounds/{round_id}/hands"


def find_operation(page: Page, name: str) -> Locator:
    """Return an operation by its tag and operationId, for example `hands-record_hand`."""
    return page.locator(f"#operations-{name}")


def search(page: Page, phrase: str) -> None:
    page.get_by_role("searchbox", name="Search operations").fill(phrase)


def test_the_tags_are_closed_until_one_is_opened(open_page: OpenPage) -> None:
    page = open_page("/docs")
    expect(page.locator(".opblock-tag")).not_to_have_count(0)
    expect(page.get_by_text(HANDS, exact=True)).to_have_count(0)
    page.get_by_role("button", name="Expand operation").and_(page.locator("#operations-tag-hands button")).click()
    expect(page.get_by_text(HANDS, exact=True)).to_have_count(2)
    check_width(page)


def test_a_search_shows_the_operations_that_it_finds(open_page: OpenPage) -> None:
    page = open_page("/docs")
    search(page, "record the next hand in_force")
    operations = page.locator(".opblock-tag-section .opblock")
    expect(operations).to_have_count(1)
    expect(operations).to_contain_text(HANDS)
    search(page, "blackjack")
    expect(page.get_by_role("status")).to_have_text("No operation matches the search.")
    search(page, "")
    expect(page.locator(".opblock-tag")).not_to_have_count(0)
    expect(operations).to_have_count(0)


def test_one_operation_is_open_at_a_time(open_page: OpenPage) -> None:
    page = open_page("/docs#/hands/record_hand")
    record, listed = find_operation(page, "hands-record_hand"), find_operation(page, "hands-list_hands")
    expect(record.locator(".responses-wrapper").first).to_be_visible()
    listed.locator(".opblock-summary-control").click()
    expect(listed.locator(".responses-wrapper").first).to_be_visible()
    expect(record.locator(".responses-wrapper")).to_have_count(0)
    assert page.locator(".opblock.is-open").count() == 1
    check_width(page)


def test_an_operation_shows_its_parameters_its_schema_and_an_example(open_page: OpenPage, api: httpx2.Client) -> None:
    page = open_page("/docs#/hands/record_hand")
    record = find_operation(page, "hands-record_hand")
    parameters = record.locator("tr[data-param-name]")
    expect(parameters).to_have_count(3)
    names = {str(each.get_attribute("data-param-name")) for each in parameters.all()}
    # The path has the first parameter, the operation the others.
    assert names == {"round_id", "Idempotency-Key", "dry_run"}
    expect(record.locator(".example-request")).to_contain_text(f"curl -X 'POST' \\\n  '{api.base_url}")
    expect(record).to_contain_text("Requires a key with the scope 'write'.")
    record.get_by_text("Schema", exact=True).first.click()
    # The component, and not a reference to it.
    expect(record.get_by_text("players", exact=True).first).to_be_visible()
    expect(record.get_by_text("#/components", exact=False)).to_have_count(0)
