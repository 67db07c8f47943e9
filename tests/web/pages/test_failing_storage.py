"""A device that cannot store anything says so, and the page goes on in memory."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.keeper_page import KeeperPage, list_cards, wait_for_promise
from tests.web.pages.conftest import OpenKeeper

pytestmark = pytest.mark.thorough
FAILED = "This device cannot store cards."
FULL = """(() => {
    IDBObjectStore.prototype.put = function () { throw new DOMException("full", "QuotaExceededError"); };
})()"""
FULL_LATER = """(() => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...values) {
        const request = put.apply(this, values);
        this.transaction.abort();
        return request;
    };
})()"""
CLOSED = "indexedDB.open = () => { throw new DOMException('private window', 'SecurityError'); }"


@pytest.mark.parametrize("failure", [FULL, FULL_LATER], ids=["at once", "later"])
def test_a_full_device_shows_a_notice_and_records_hands(
    keeper: KeeperPage, context: BrowserContext, failure: str, tmp_path: Path
) -> None:
    round_ = keeper.add_round()
    page = keeper.page
    keeper.enter_hand()
    keeper.choose_button(3)
    cards = list_cards()
    keeper.tap_cards(cards[:20])
    expect(page.locator(".place.filled")).to_have_count(20)
    page.evaluate(failure)
    keeper.tap_card(cards[20])
    expect(page.get_by_text(FAILED)).to_be_visible()
    keeper.tap_cards(cards[21:])
    expect(page.locator("[data-score]")).to_have_count(3)
    context.set_offline(True)
    keeper.save()
    keeper.expect_hand(2)
    expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("alert").filter(has_text=FAILED).get_by_role("button", name="Export").click()
    download.value.save_as(tmp_path / "queue.ndjson")
    page.get_by_role("button", name="Back to the round").tap()
    expect(page.get_by_text("is on this open page only")).to_be_visible()
    expect(page.get_by_text("saved on this device")).to_have_count(0)
    [line] = map(json.loads, (tmp_path / "queue.ndjson").read_text().splitlines())
    assert line["round"] == round_["id"]
    context.set_offline(False)
    expect(page.get_by_text("waiting")).to_have_count(0, timeout=60_000)
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


def test_a_browser_without_storage_opens_the_page(open_keeper: OpenKeeper, context: BrowserContext) -> None:
    context.add_init_script(CLOSED)
    keeper = open_keeper()
    round_ = keeper.add_round()
    expect(keeper.page.get_by_text(FAILED)).to_be_visible()
    keeper.enter_hand()
    keeper.choose_button(3)
    keeper.tap_cards(list_cards())
    keeper.save()
    keeper.expect_hand(2)
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


DELETE = """() => new Promise((done) => {
    const deleting = indexedDB.deleteDatabase("tablestakes-keeper");
    deleting.onsuccess = () => done(true);
})"""
HAS_STORED_IT = """() => new Promise((done) => {
    const opening = indexedDB.open("tablestakes-keeper");
    opening.onsuccess = () => {
        const reading = opening.result.transaction("outbox").objectStore("outbox").getAll();
        reading.onsuccess = () => {
            opening.result.close();
            done(reading.result.length === 1);
        };
    };
})"""


def test_a_hand_that_waits_is_stored_again_when_the_database_is_deleted(
    keeper: KeeperPage, context: BrowserContext
) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    keeper.choose_button(3)
    keeper.tap_cards(list_cards())
    expect(keeper.page.locator("[data-score]")).to_have_count(3)
    context.set_offline(True)
    keeper.save()
    expect(keeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    assert keeper.page.evaluate(DELETE)
    wait_for_promise(keeper.page, HAS_STORED_IT)
    keeper.tap_card("As")
    expect(keeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    context.set_offline(False)
    expect(keeper.page.get_by_text("waiting")).to_have_count(0, timeout=60_000)
    [hand] = keeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    assert hand["button"] == 3
    expect(keeper.page.get_by_text(FAILED)).to_have_count(0)
