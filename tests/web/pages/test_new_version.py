"""A new version of the scorekeeper's page asks before it replaces the one that runs, and not in mid-hand."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Route, expect

from tests.support.browser.scorekeeper_page import wait_for_promise, wait_for_worker
from tests.web.conftest import chromium_or_skip
from tests.web.pages.conftest import OpenScorekeeper

HAS_WAITING = "() => navigator.serviceWorker.getRegistration().then((found) => found.waiting !== null)"


@pytest.fixture(scope="module")
def browser(pytestconfig: pytest.Config) -> Iterator[Browser]:
    """A browser in which routes also apply to service workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PW_EXPERIMENTAL_SERVICE_WORKER_NETWORK_EVENTS", "1")
        with chromium_or_skip(pytestconfig) as browser:
            yield browser


def test_a_new_version_asks_before_it_reloads(open_scorekeeper: OpenScorekeeper, context: BrowserContext) -> None:
    changed: list[str] = []

    def change_version(route: Route) -> None:
        body = route.fetch().text() + "\n// an older version\n"
        changed.append(body)
        route.fulfill(status=200, content_type="text/javascript", body=body)

    context.route("**/scorekeeper/sw.js", change_version)
    scorekeeper = open_scorekeeper()
    page = scorekeeper.page
    scorekeeper.add_round()
    wait_for_worker(page)
    assert changed
    context.unroute("**/scorekeeper/sw.js")
    scorekeeper.enter_hand()
    page.evaluate("window.isSamePage = true")
    page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
    wait_for_promise(page, HAS_WAITING)
    scorekeeper.tap_cards(["As", "Ks"])
    expect(page.get_by_text("A new version")).to_have_count(0)
    page.get_by_role("button", name="Back to the round").click()
    expect(page.get_by_text("A new version of this page is ready.")).to_be_visible()
    assert page.evaluate("window.isSamePage") is True
    with page.expect_navigation():
        page.get_by_role("button", name="Load it").click()
    page.get_by_role("button", name="Continue hand 1").click()
    expect(page.locator(".place.filled")).to_have_count(2)
    assert page.evaluate("window.isSamePage === undefined")
