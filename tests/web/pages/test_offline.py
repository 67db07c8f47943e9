"""Without a network, the scorekeeper's page stores hands and sends them later, once."""

from datetime import UTC, datetime, timedelta

from playwright.sync_api import BrowserContext, Request, Route, expect

from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import (
    SECOND,
    ScorekeeperPage,
    list_cards,
    list_players,
    undo_last,
    wait_for_worker,
)
from tests.web.pages.conftest import OpenScorekeeper


def test_a_hand_saved_offline_is_sent_once_when_the_network_is_back(
    scorekeeper: ScorekeeperPage, open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    wait_for_worker(scorekeeper.page)
    scorekeeper.choose_button(3)
    cards = list_cards()
    scorekeeper.tap_cards(cards[:5])
    context.set_offline(True)
    scorekeeper.kill(filled=5)

    offline = open_scorekeeper()
    offline.expect_hand(1)
    offline.tap_cards(cards[5:])
    expect(offline.page.get_by_text("score after sync")).to_be_visible()
    began = datetime.now(UTC)
    offline.save()
    expect(offline.page.get_by_text("offline, 1 waiting")).to_be_visible()
    ended = datetime.now(UTC)
    assert offline.get(f"/v1/rounds/{round_['id']}")["hands"] == 0
    offline.page.close()

    context.set_offline(False)
    online = open_scorekeeper()
    online.expect_hand(2)
    expect(online.page.get_by_text("waiting")).to_have_count(0)
    [hand] = online.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    assert [row["seat"] for row in hand["players"]] == [1, 2, 3]
    second = timedelta(seconds=1)  # the service states its time in whole seconds
    assert began - second <= datetime.fromisoformat(hand["played_at"]) <= ended + second
    online.page.reload()
    online.expect_hand(2)
    assert online.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


TWO_DAYS_AHEAD = """(() => {
    const Real = Date;
    const ahead = 2 * 86_400_000;
    globalThis.Date = class extends Real {
        constructor(...values) { if (values.length > 0) super(...values); else super(Real.now() + ahead); }
        static now() { return Real.now() + ahead; }
    };
})()"""


def test_a_hand_saved_by_a_wrong_clock_after_a_start_without_a_network_has_the_time_of_the_service(
    scorekeeper: ScorekeeperPage, open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    context.add_init_script(TWO_DAYS_AHEAD)
    scorekeeper.page.reload()
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    wait_for_worker(scorekeeper.page)
    scorekeeper.choose_button(3)
    cards = list_cards()
    scorekeeper.tap_cards(cards[:5])
    context.set_offline(True)
    scorekeeper.kill(filled=5)

    offline = open_scorekeeper()
    offline.expect_hand(1)
    offline.tap_cards(cards[5:])
    began = datetime.now(UTC)
    offline.save()
    expect(offline.page.get_by_text("offline, 1 waiting")).to_be_visible()
    context.set_offline(False)
    expect(offline.page.get_by_text("waiting")).to_have_count(0, timeout=60_000)
    [hand] = offline.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    # The service states its time in whole seconds, and a response takes a while on a busy machine.
    assert abs(datetime.fromisoformat(hand["played_at"]) - began) < timedelta(seconds=30)


def test_a_full_hand_is_scored_when_the_network_is_back(scorekeeper: ScorekeeperPage, context: BrowserContext) -> None:
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    context.set_offline(True)
    scorekeeper.tap_cards(list_cards())
    expect(scorekeeper.page.get_by_text("score after sync")).to_be_visible()
    context.set_offline(False)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)


INSTALL = """() => {
    const event = new Event("beforeinstallprompt");
    event.prompt = async () => { window.prompted = true };
    dispatchEvent(event);
}"""


def test_what_can_be_deleted_is_warned_of_while_it_waits(scorekeeper: ScorekeeperPage, context: BrowserContext) -> None:
    page = scorekeeper.page
    scorekeeper.add_round()
    warning = page.get_by_text("The browser may delete what is stored when the device runs out of space")
    assert page.evaluate("navigator.storage.persisted()") is False
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    context.set_offline(True)
    scorekeeper.tap_cards(list_cards())
    page.get_by_role("button", name="Back to the round").click()
    expect(warning).to_have_count(0)
    page.get_by_role("button", name="Continue hand 1").click()
    scorekeeper.save()
    expect(warning).to_be_visible()
    expect(page.get_by_text("choose “Add to home screen” in the menu of the browser")).to_be_visible()
    page.evaluate(INSTALL)
    page.get_by_role("button", name="Add to home screen").click()
    assert page.evaluate("window.prompted") is True
    context.set_offline(False)
    scorekeeper.expect_sent()
    expect(warning).to_have_count(0)


def test_a_response_that_is_lost_does_not_record_the_hand_twice(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    requests: list[Request] = []

    def note(request: Request) -> None:
        requests.append(request)

    def lose_response(route: Route) -> None:
        route.fetch()
        route.abort()

    address = f"**/v1/rounds/{round_['id']}/hands"
    scorekeeper.page.on("request", note)
    scorekeeper.page.route(address, lose_response)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1
    scorekeeper.page.unroute(address)
    scorekeeper.page.evaluate("dispatchEvent(new Event('online'))")
    # The page sends again by itself too, every 10 seconds.
    expect(scorekeeper.page.get_by_text("waiting")).to_have_count(0, timeout=60_000)
    sent = [request for request in requests if request.method == "POST" and request.url.endswith("/hands")]
    assert len(sent) > 1
    assert len({(request.header_value("Idempotency-Key"), request.post_data) for request in sent}) == 1
    assert sent[0].header_value("Idempotency-Key") is not None
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


def test_a_refused_hand_is_explained_and_can_be_dropped(scorekeeper: ScorekeeperPage, context: BrowserContext) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    cards = list_cards()
    scorekeeper.tap_cards(cards[:-1])
    context.set_offline(True)
    scorekeeper.tap_card("2c")
    expect(scorekeeper.page.get_by_text("score after sync")).to_be_visible()
    scorekeeper.save()
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    context.set_offline(False)
    expect(scorekeeper.page.get_by_text("The service refused: Hand 1.")).to_be_visible()
    scorekeeper.page.get_by_role("button", name="Drop").click()
    expect(scorekeeper.page.get_by_text("Deleted from this device without being recorded: Hand 1.")).to_be_visible()
    scorekeeper.page.get_by_role("button", name="Drop Hand 1").click()
    scorekeeper.expect_hand(2)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


def test_a_refused_hand_can_be_edited_and_saved_again(scorekeeper: ScorekeeperPage, context: BrowserContext) -> None:
    round_ = scorekeeper.add_round()
    path = f"/v1/rounds/{round_['id']}"
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    context.set_offline(True)
    scorekeeper.tap_cards(list_cards())
    scorekeeper.save()
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    other = {"number": 1, "button": 1, "players": list_players()}
    assert scorekeeper.api.post(f"{path}/hands", json=other).status_code == 201
    context.set_offline(False)
    expect(scorekeeper.page.get_by_text("The service refused: Hand 1.")).to_be_visible()
    undo_last(scorekeeper.api, path)
    entered = datetime.now(UTC)
    scorekeeper.page.get_by_role("button", name="Edit").click()
    scorekeeper.expect_hand(1)
    assert len(scorekeeper.read_boards()) == 39
    scorekeeper.tap('[data-place="3.bottom.4"]')
    scorekeeper.tap_card("2c")
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    [hand] = scorekeeper.get(f"{path}/document")["hands"]
    assert hand["players"][2]["bottom"] == ["As", "Ad", "Qh", "Qc", "2c"]
    assert datetime.fromisoformat(hand["played_at"]) < entered


def test_a_hand_that_was_scored_before_the_network_failed_is_followed_by_the_next(
    scorekeeper: ScorekeeperPage, open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    wait_for_worker(scorekeeper.page)
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    context.set_offline(True)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    expect(scorekeeper.page.locator('[data-place="1.discards.0"]')).to_be_visible()
    scorekeeper.tap_cards(list_cards(SECOND)[:10])
    scorekeeper.kill(filled=10)
    again = open_scorekeeper()
    again.expect_hand(2)
    expect(again.page.locator(".place.filled")).to_have_count(10)
    again.tap_cards(list_cards(SECOND)[10:])
    again.save()
    expect(again.page.get_by_text("offline, 2 waiting")).to_be_visible()
    again.page.get_by_role("button", name="Send now").first.click()
    expect(again.page.get_by_text("offline, 2 waiting")).to_be_visible()
    # The page notices the network itself, and sends both.
    context.set_offline(False)
    again.expect_hand(3)
    document = again.get(f"/v1/rounds/{round_['id']}/document")
    assert [player["fantasyland"] for player in document["hands"][1]["players"]] == [14, 0, 14]
    assert len(document["hands"]) == 2


def test_a_table_that_a_link_has_opened_opens_again_without_a_network(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    table = LinkedTable(scorekeeper.api)
    secret = table.link("scorekeeper")["url"].partition("#")[2]
    scorekeeper.open(f"/scorekeeper/#{secret}")
    wait_for_worker(scorekeeper.page)
    expect(scorekeeper.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    context.set_offline(True)
    scorekeeper.page.reload()
    expect(scorekeeper.page.get_by_role("heading", level=1)).to_have_text(table.name)
    scorekeeper.enter_hand()
    scorekeeper.expect_hand(1)


def test_the_last_hand_is_undone_and_the_round_is_closed(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    page = scorekeeper.page
    page.reload()
    page.get_by_role("button", name="Undo hand 1").click()
    page.get_by_label("Reason").fill("two cards exchanged")
    page.get_by_role("button", name="Undo hand 1").click()
    expect(page.get_by_role("button", name="Change hand 1")).to_be_visible()
    page.get_by_role("button", name="Close the round").click()
    page.get_by_label("Reason").fill("late")
    page.get_by_role("button", name="Close the round").click()
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["status"] == "closed"
    expect(page.get_by_label("Player in seat 2")).to_have_value("ben")
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()


def test_the_page_goes_on_when_the_browser_closes_its_database(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    cards = list_cards()
    scorekeeper.tap_cards(cards[:3])
    # The browser can delete what a page has stored while it is open.
    scorekeeper.page.evaluate("""() => new Promise((done, fail) => {
        const request = indexedDB.deleteDatabase("tablestakes-scorekeeper");
        request.onsuccess = done;
        request.onerror = fail;
    }).then(() => null)""")
    scorekeeper.tap_cards(cards[3:])
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1
