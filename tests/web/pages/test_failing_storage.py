"""A device that cannot store anything says so, and the page goes on in memory."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, wait_for_promise
from tests.web.pages.conftest import OpenScorekeeper

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
    scorekeeper: ScorekeeperPage, context: BrowserContext, failure: str, tmp_path: Path
) -> None:
    round_ = scorekeeper.add_round()
    page = scorekeeper.page
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    cards = list_cards()
    scorekeeper.tap_cards(cards[:20])
    expect(page.locator(".place.filled")).to_have_count(20)
    page.evaluate(failure)
    scorekeeper.tap_card(cards[20])
    expect(page.get_by_text(FAILED)).to_be_visible()
    scorekeeper.tap_cards(cards[21:])
    expect(page.locator("[data-score]")).to_have_count(3)
    context.set_offline(True)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
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
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


def test_a_browser_without_storage_opens_the_page(open_scorekeeper: OpenScorekeeper, context: BrowserContext) -> None:
    context.add_init_script(CLOSED)
    scorekeeper = open_scorekeeper()
    round_ = scorekeeper.add_round()
    expect(scorekeeper.page.get_by_text(FAILED)).to_be_visible()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


DELETE = """() => new Promise((done) => {
    const deleting = indexedDB.deleteDatabase("tablestakes-scorekeeper");
    deleting.onsuccess = () => done(true);
})"""
HAS_STORED_IT = """() => new Promise((done) => {
    const opening = indexedDB.open("tablestakes-scorekeeper");
    opening.onsuccess = () => {
        const reading = opening.result.transaction("outbox").objectStore("outbox").getAll();
        reading.onsuccess = () => {
            opening.result.close();
            done(reading.result.length === 1);
        };
    };
})"""


def test_a_hand_that_waits_is_stored_again_when_the_database_is_deleted(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    context.set_offline(True)
    scorekeeper.save()
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    assert scorekeeper.page.evaluate(DELETE)
    wait_for_promise(scorekeeper.page, HAS_STORED_IT)
    scorekeeper.tap_card("As")
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    context.set_offline(False)
    expect(scorekeeper.page.get_by_text("waiting")).to_have_count(0, timeout=60_000)
    [hand] = scorekeeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    assert hand["button"] == 3
    expect(scorekeeper.page.get_by_text(FAILED)).to_have_count(0)
