"""A new version of the scorekeeper's page asks before it replaces the one that runs, and not in mid-hand."""

import pytest
from playwright.sync_api import BrowserContext, Route, expect

from tests.web.pages.conftest import OpenKeeper

pytestmark = pytest.mark.thorough


def test_a_new_version_asks_before_it_reloads(open_keeper: OpenKeeper, context: BrowserContext) -> None:
    keeper = open_keeper()
    page = keeper.page
    keeper.add_round()
    page.wait_for_function("navigator.serviceWorker.controller !== null")

    def change_version(route: Route) -> None:
        script = route.fetch()
        changed = script.text() + "\n// another version\n"
        route.fulfill(status=200, content_type="text/javascript", body=changed)

    context.route("**/keeper/sw.js", change_version)
    keeper.enter_hand()
    page.evaluate("window.isSamePage = true")
    page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
    page.wait_for_function("async () => (await navigator.serviceWorker.getRegistration()).waiting !== null")
    keeper.tap_cards(["As", "Ks"])
    expect(page.get_by_text("A new version")).to_have_count(0)
    page.get_by_role("button", name="Back to the round").click()
    expect(page.get_by_text("A new version of this page is ready.")).to_be_visible()
    assert page.evaluate("window.isSamePage") is True
    with page.expect_navigation():
        page.get_by_role("button", name="Load it").click()
    page.get_by_role("button", name="Continue hand 1").click()
    expect(page.locator(".place.filled")).to_have_count(2)
    assert page.evaluate("window.isSamePage === undefined")
