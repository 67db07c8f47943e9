"""The scorekeeper's page opens with a key or a link, and stores a key only if asked to."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.keeper_page import KeeperPage
from tests.web.pages.conftest import OpenKeeper

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("text", ["", "two words here", "https://example.com/keeper/", "short"])
def test_a_text_without_a_secret_is_refused_at_once(keeper: KeeperPage, text: str) -> None:
    keeper.page.get_by_label("Link or API key").fill(text)
    keeper.page.get_by_role("button", name="Join").click()
    expect(keeper.page.get_by_text("neither a link with a secret nor an API key")).to_be_visible()


def test_an_unknown_key_is_refused_by_the_service(keeper: KeeperPage) -> None:
    keeper.page.get_by_label("Link or API key").fill("ofc_" + "x" * 40)
    keeper.page.get_by_role("button", name="Join").click()
    expect(keeper.page.get_by_role("alert")).to_contain_text("not valid")


def test_a_key_is_stored_only_on_demand(keeper: KeeperPage) -> None:
    keeper.join(remember=False)
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    keeper.page.reload()
    expect(keeper.page.get_by_label("Link or API key")).to_be_visible()
    keeper.join()
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    keeper.page.reload()
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    keeper.page.get_by_role("button", name="Sign out on this device").click()
    expect(keeper.page.get_by_label("Link or API key")).to_be_visible()
    keeper.page.reload()
    expect(keeper.page.get_by_label("Link or API key")).to_be_visible()


def test_the_secret_of_an_address_is_used_and_erased(open_keeper: OpenKeeper, context: BrowserContext) -> None:
    key = open_keeper().key
    assert key.startswith("ofc_")
    keeper = open_keeper(f"/keeper/#{key}")
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    assert keeper.page.url.endswith("/keeper/")
    assert key not in str(keeper.page.evaluate("JSON.stringify([location.href, history.state, document.title])"))
    keeper.page.reload()
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
