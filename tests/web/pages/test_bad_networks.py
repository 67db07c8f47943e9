"""Networks that respond wrongly, late or never, and addresses without HTTPS: the page goes on, and loses nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from client.api import Client
from tests.support.browser.chromium import open_beside
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, list_players, wait_for_worker
from tests.support.server_process import Running
from tests.web.pages.conftest import SAVE_DATA, OpenScorekeeper
from tests.web.pages.rounds.test_between_hands import PLAIN
from tests.web.pages.rounds.test_history import open_hand, record
from tests.web.pages.test_joining import issue_link

PORTAL = "<!doctype html><title>Welcome</title><h1>Accept the terms of the hotel</h1>"
LONGEST_WAIT = 3.0
"""Seconds after which the page goes on."""
SLACK = 2.0
"""Seconds that a busy machine may take in addition."""

MEASURE_WAIT = """() => addEventListener("click", ({ timeStamp }) => {
  const observer = new MutationObserver(() => {
    const text = document.body.innerText;
    if (!text.includes("offline, 1 waiting") || text.includes("Saving…")) return;
    observer.disconnect();
    window.waited = performance.now() - timeStamp;
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
}, { once: true, capture: true })"""
"""Measures the milliseconds from the next click until the page shows that the hand waits."""


def fill(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())


def save_and_expect_waiting(scorekeeper: ScorekeeperPage) -> None:
    """Save a hand, and check that the page says in time that it waits."""
    scorekeeper.page.evaluate(MEASURE_WAIT)
    scorekeeper.save()
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    expect(scorekeeper.page.get_by_text("Saving…")).to_have_count(0)
    assert scorekeeper.page.evaluate("window.waited") / 1000 < LONGEST_WAIT + SLACK


def expect_recorded(scorekeeper: ScorekeeperPage, round_id: str) -> None:
    scorekeeper.page.evaluate("dispatchEvent(new Event('online'))")
    expect(scorekeeper.page.get_by_text("waiting")).to_have_count(0, timeout=20_000)
    assert scorekeeper.get(f"/v1/rounds/{round_id}")["hands"] == 1


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
def test_a_captive_portal_takes_nothing(scorekeeper: ScorekeeperPage, context: BrowserContext, kind: str) -> None:
    round_ = scorekeeper.add_round()
    wait_for_worker(scorekeeper.page)
    fill(scorekeeper)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)

    def welcome(route: Route) -> None:
        route.fulfill(status=200, content_type=kind, body=PORTAL if kind == "text/html" else "{}")

    context.route("**/*", welcome)
    save_and_expect_waiting(scorekeeper)
    scorekeeper.page.reload()
    scorekeeper.expect_hand(2)
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    context.unroute("**/*", welcome)
    expect_recorded(scorekeeper, round_["id"])


@pytest.mark.thorough
def test_a_server_that_never_responds_holds_nothing_up(scorekeeper: ScorekeeperPage, context: BrowserContext) -> None:
    round_ = scorekeeper.add_round()
    fill(scorekeeper)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    held: list[Route] = []

    def hold(route: Route) -> None:
        """Leave a request without a response."""
        held.append(route)

    context.route("**/v1/**", hold)
    save_and_expect_waiting(scorekeeper)
    scorekeeper.expect_hand(2)
    assert held
    context.unroute("**/v1/**", hold)
    expect_recorded(scorekeeper, round_["id"])


@pytest.mark.thorough
def test_a_network_slower_than_the_page_waits_records_everything(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    round_ = scorekeeper.add_round()
    fill(scorekeeper)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    network = context.new_cdp_session(scorekeeper.page)
    conditions = {"offline": False, "latency": 5_000, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.emulateNetworkConditions", conditions)
    save_and_expect_waiting(scorekeeper)
    expect(scorekeeper.page.get_by_text("waiting")).to_have_count(0, timeout=60_000)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


@pytest.mark.thorough
@pytest.mark.parametrize(("status", "shown"), [(429, None), (403, "This link or key does not allow this.")])
def test_a_limit_or_a_right_that_is_missing_is_not_taken_for_an_ended_link(
    scorekeeper: ScorekeeperPage, context: BrowserContext, status: int, shown: str | None
) -> None:
    round_ = scorekeeper.add_round()
    fill(scorekeeper)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    problem = {
        "type": "about:blank",
        "title": "t",
        "code": "scope-missing" if shown else "rate-limited",
        "status": status,
        "detail": "the service's own words",
    }

    def refuse(route: Route) -> None:
        headers = {"Content-Type": "application/problem+json", "Request-Id": "1", "Retry-After": "1"}
        route.fulfill(status=status, headers=headers, body=json.dumps(problem))

    context.route("**/hands", refuse)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    expect(scorekeeper.page.get_by_text("1 waiting")).to_be_visible()
    if shown is not None:
        expect(scorekeeper.page.get_by_role("alert")).to_contain_text(shown)
    expect(scorekeeper.page.get_by_text("no longer valid")).to_have_count(0)
    context.unroute("**/hands", refuse)
    expect_recorded(scorekeeper, round_["id"])


def test_a_link_that_expires_keeps_what_waits_for_the_next_link(
    open_scorekeeper: OpenScorekeeper, scorekeeper: ScorekeeperPage
) -> None:
    fragment, name = issue_link(scorekeeper, "scorekeeper")
    [table] = [each for each in scorekeeper.get("/v1/tables?limit=100")["tables"] if each["name"] == name]
    [link] = scorekeeper.get(f"/v1/links?table={table['id']}")["links"]
    [round_] = scorekeeper.get(f"/v1/rounds?table={table['id']}")["rounds"]
    phone = open_scorekeeper(f"/scorekeeper/{fragment}")
    fill(phone)
    expect(phone.page.locator("[data-score]")).to_have_count(3)
    assert scorekeeper.api.delete(f"/v1/links/{link['id']}").status_code == 204
    phone.save()
    ended = phone.page.get_by_role("alert").filter(has_text="no longer valid")
    expect(ended).to_contain_text("1 saved request stays on this device")
    phone.expect_hand(2)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 0
    phone.page.reload()
    expect(ended).to_be_visible()
    ended.get_by_role("button", name="Join with another link").click()
    again = scorekeeper.api.post("/v1/links", json={"table": table["id"], "kind": "scorekeeper"}).json()
    phone.page.get_by_label("Link or API key").fill(again["url"])
    phone.page.get_by_role("button", name="Join").click()
    phone.expect_hand(2)
    expect_recorded(phone, round_["id"])


@pytest.fixture
def insecure_page(browser: Browser, service: Running) -> Iterator[Page]:
    """A page at an address without HTTPS that is not this machine's, as phones in a home network have it."""
    port = service.url.rpartition(":")[2]
    with open_beside(browser, f"--host-resolver-rules=MAP ofc.lan 127.0.0.1:{port}") as insecure:
        context = insecure.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
        context.set_default_timeout(20_000)
        context.add_init_script(SAVE_DATA)
        yield context.new_page()


@pytest.mark.thorough
def test_the_page_works_without_https_and_shows_what_is_missing(
    insecure_page: Page, api: httpx2.Client, service: Running
) -> None:
    violations: list[Any] = []
    scorekeeper = ScorekeeperPage(insecure_page, f"http://ofc.lan:{service.url.rpartition(':')[2]}", api, violations)
    scorekeeper.open()
    assert (
        scorekeeper.page.evaluate("[isSecureContext, 'locks' in navigator, 'serviceWorker' in navigator]")
        == [False] * 3
    )
    round_ = scorekeeper.add_round()
    expect(scorekeeper.page.get_by_text("This address has no HTTPS.")).to_be_visible()
    fill(scorekeeper)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    scorekeeper.page.context.set_offline(True)
    save_and_expect_waiting(scorekeeper)
    # Both tabs try to send it.
    other = scorekeeper.page.context.new_page()
    scorekeeper.page.context.set_offline(False)
    other.goto(scorekeeper.page.url)
    expect_recorded(scorekeeper, round_["id"])
    assert violations == []


@pytest.mark.thorough
def test_without_https_a_hand_is_corrected_and_disputed_and_a_player_leaves(
    insecure_page: Page, api: httpx2.Client, service: Running
) -> None:
    violations: list[Any] = []
    scorekeeper = ScorekeeperPage(insecure_page, f"http://ofc.lan:{service.url.rpartition(':')[2]}", api, violations)
    page = scorekeeper.page
    scorekeeper.open()
    round_ = scorekeeper.add_round(ruleset="pineapple-qq")
    record(scorekeeper, round_["id"], players=list_players(PLAIN))
    open_hand(page, 1)
    page.get_by_role("button", name="nine of spades", exact=True).tap()
    page.locator('[data-choose="3d"]').tap()
    page.get_by_label("Reason").fill("looked at again")
    page.get_by_role("button", name="Correct hand 1").tap()
    expect(page.locator(".correction")).to_have_count(0)
    page.get_by_role("button", name="Top up or leave").tap()
    page.get_by_role("button", name="Leave: ann").tap()
    page.get_by_role("button", name="ann leaves").tap()
    expect(page.locator(".pill", has_text="left")).to_be_visible()
    assert api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"}).status_code == 200
    page.get_by_role("button", name="Dispute hand 1").tap()
    page.get_by_label("What is wrong").fill("the third card on top was the three of clubs")
    page.get_by_role("button", name="Open the dispute").tap()
    expect(page.get_by_text("A dispute of hand 1 is open.")).to_be_visible()
    assert violations == []


@pytest.mark.thorough
def test_an_export_is_sent_by_a_script(
    scorekeeper: ScorekeeperPage, context: BrowserContext, service: Running, tmp_path: Path
) -> None:
    round_ = scorekeeper.add_round()
    fill(scorekeeper)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    context.set_offline(True)
    save_and_expect_waiting(scorekeeper)
    scorekeeper.page.get_by_role("button", name="Back to the round").click()
    with scorekeeper.page.expect_download() as download:
        scorekeeper.page.get_by_role("button", name="Export").click()
    file = tmp_path / "queue.ndjson"
    download.value.save_as(file)
    [line] = map(json.loads, file.read_text().splitlines())
    assert line["round"] == round_["id"]
    with Client(service.url, scorekeeper.key) as client:
        path = f"/v1/rounds/{line['round']}/hands"
        for is_replay in (False, True):
            recorded = client.send(path, line["body"].encode(), line["idempotency_key"])
            assert (recorded["number"], recorded.is_replay) == (1, is_replay)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1
    context.set_offline(False)
    expect_recorded(scorekeeper, round_["id"])
