"""The pages of players and scorekeepers in a second engine, WebKit, which iPhones have."""

from collections.abc import Iterator

import httpx2
import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from tests.support.browser.linked_table import THIRD, LinkedTable
from tests.support.browser.scorekeeper_page import list_cards
from tests.support.browser.webkit import WebKitPage, open_webkit
from tests.support.client.proxy import Proxy, Way, proxied
from tests.support.server_process import Running

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def webkit() -> Iterator[WebDriver]:
    try:
        with open_webkit() as driver:
            yield driver
    except OSError as error:
        pytest.skip(str(error))


@pytest.fixture
def page(webkit: WebDriver) -> WebKitPage:
    return WebKitPage(webkit)


@pytest.fixture
def proxy(service: Running) -> Iterator[Proxy]:
    """A service that a phone can lose. Each has an address of its own, so the phone knows nothing of earlier tests."""
    with proxied(service.url) as proxy:
        yield proxy


def open_table(page: WebKitPage, proxy: Proxy, table: LinkedTable) -> None:
    """Open the link of a scorekeeper to a table."""
    secret = str(table.link("scorekeeper")["url"]).rpartition("#")[2]
    page.open(f"{proxy.url}/scorekeeper/#{secret}")
    page.expect_text(table.name, "h1")


def enter_cards(page: WebKitPage) -> None:
    """Enter the first hand of a round of three, with the button at the third seat."""
    page.press("Enter hand 1")
    page.expect_text("Hand 1", "h1")
    page.tap(".tab:nth-of-type(3)")
    page.tap('[data-seat="3"] .dealer')
    page.tap_cards(list_cards(THIRD))


def count_hands(table: LinkedTable) -> int:
    return int(table.get(f"/v1/rounds/{table.round}")["hands"])


def test_a_link_opens_its_table_and_leaves_no_secret(page: WebKitPage, proxy: Proxy, api: httpx2.Client) -> None:
    open_table(page, proxy, LinkedTable(api))
    assert page.driver.current_url == f"{proxy.url}/scorekeeper/"
    page.driver.refresh()
    page.expect_text("Enter hand 1")


def test_a_hand_is_entered_by_taps(page: WebKitPage, proxy: Proxy, api: httpx2.Client) -> None:
    table = LinkedTable(api)
    open_table(page, proxy, table)
    enter_cards(page)
    page.expect("document.querySelectorAll('[data-score]').length === 3")
    page.press("Save")
    page.expect_text("Hand 2", "h1")
    page.expect_no_text("waiting")
    assert count_hands(table) == 1


def test_a_hand_saved_offline_is_sent_once_when_the_network_is_back(
    page: WebKitPage, proxy: Proxy, api: httpx2.Client
) -> None:
    table = LinkedTable(api)
    open_table(page, proxy, table)
    page.expect_text("Enter hand 1")
    page.expect("navigator.serviceWorker.controller !== null")
    proxy.way = Way.AWAY
    page.driver.refresh()
    page.expect_text(table.name, "h1")
    enter_cards(page)
    page.press("Save")
    page.expect_text("1 waiting")
    assert count_hands(table) == 0
    proxy.way = Way.THROUGH
    page.driver.refresh()
    page.expect_text("Hand 2", "h1")
    page.expect_no_text("waiting")
    assert count_hands(table) == 1


def test_a_payment_is_ticked_when_the_evening_is_settled_up(
    page: WebKitPage, proxy: Proxy, api: httpx2.Client, key: str
) -> None:
    table = LinkedTable(api, name="friday")
    table.complete()
    # With a key, the service finds the payments; with a link, the rules, which WebKitGTK takes minutes to start.
    page.open(f"{proxy.url}/scorekeeper/#{key}")
    page.press(table.name)
    page.press("Settle up")
    page.tap(".settle-line button")
    page.expect_text("has paid", ".settle-line")
    page.expect_no_text("waits")
    [payment] = table.get("/v1/ledger?kind=payment")["lines"]
    page.expect_text(f"{payment['payer']} has paid {payment['payee']}", ".settle-line")


def test_a_player_disputes_a_hand(page: WebKitPage, table: LinkedTable) -> None:
    page.open(table.link("player", player="ben")["url"])
    page.tap(".rounds a")
    page.press("Something is wrong")
    page.fill("#claim", "my top row was queens")
    page.press("Dispute")
    page.expect_text("You dispute")
    [dispute] = table.get(f"/v1/disputes?round={table.round}")["disputes"]
    assert dispute["by"] == "ben"
