"""Without a network, the scorekeeper's page stores hands and sends them later, once."""

from datetime import UTC, datetime, timedelta

from playwright.sync_api import BrowserContext, Request, Route, expect

from tests.support.browser.keeper_page import SECOND, KeeperPage, list_cards, list_players, undo_last, wait_for_worker
from tests.support.browser.linked_table import LinkedTable
from tests.web.pages.conftest import OpenKeeper


def test_a_hand_saved_offline_is_sent_once_when_the_network_is_back(
    keeper: KeeperPage, open_keeper: OpenKeeper, context: BrowserContext
) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    wait_for_worker(keeper.page)
    keeper.choose_button(3)
    cards = list_cards()
    keeper.tap_cards(cards[:5])
    context.set_offline(True)
    keeper.kill(filled=5)

    offline = open_keeper()
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
    online = open_keeper()
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
    keeper: KeeperPage, open_keeper: OpenKeeper, context: BrowserContext
) -> None:
    context.add_init_script(TWO_DAYS_AHEAD)
    keeper.page.reload()
    round_ = keeper.add_round()
    keeper.enter_hand()
    wait_for_worker(keeper.page)
    keeper.choose_button(3)
    cards = list_cards()
    keeper.tap_cards(cards[:5])
    context.set_offline(True)
    keeper.kill(filled=5)

    offline = open_keeper()
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


def test_a_full_hand_is_scored_when_the_network_is_back(keeper: KeeperPage, context: BrowserContext) -> None:
    keeper.add_round()
    keeper.enter_hand()
    keeper.choose_button(3)
    context.set_offline(True)
    keeper.tap_cards(list_cards())
    expect(keeper.page.get_by_text("score after sync")).to_be_visible()
    context.set_offline(False)
    expect(keeper.page.locator("[data-score]")).to_have_count(3)


def test_a_response_that_is_lost_does_not_record_the_hand_twice(keeper: KeeperPage, context: BrowserContext) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    keeper.choose_button(3)
    keeper.tap_cards(list_cards())
    expect(keeper.page.locator("[data-score]")).to_have_count(3)
    requests: list[Request] = []

    def note(request: Request) -> None:
        requests.append(request)

    def lose_response(route: Route) -> None:
        route.fetch()
        route.abort()

    address = f"**/v1/rounds/{round_['id']}/hands"
    keeper.page.on("request", note)
    keeper.page.route(address, lose_response)
    keeper.save()
    keeper.expect_hand(2)
    expect(keeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1
    keeper.page.unroute(address)
    keeper.page.evaluate("dispatchEvent(new Event('online'))")
    # The page sends again by itself too, every 10 seconds.
    expect(keeper.page.get_by_text("waiting")).to_have_count(0, timeout=60_000)
    sent = [request for request in requests if request.method == "POST" and request.url.endswith("/hands")]
    assert len(sent) > 1
    assert len({(request.header_value("Idempotency-Key"), request.post_data) for request in sent}) == 1
    assert sent[0].header_value("Idempotency-Key") is not None
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


def test_a_refused_hand_is_explained_and_can_be_dropped(keeper: KeeperPage, context: BrowserContext) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    keeper.choose_button(3)
    cards = list_cards()
    keeper.tap_cards(cards[:-1])
    context.set_offline(True)
    keeper.tap_card("2c")
    expect(keeper.page.get_by_text("score after sync")).to_be_visible()
    keeper.save()
    expect(keeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert keeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    context.set_offline(False)
    expect(keeper.page.get_by_text("The service refused: Hand 1.")).to_be_visible()
    keeper.page.get_by_role("button", name="Drop").click()
    expect(keeper.page.get_by_text("Deleted from this device without being recorded: Hand 1.")).to_be_visible()
    keeper.page.get_by_role("button", name="Drop Hand 1").click()
    keeper.expect_hand(2)
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1


def test_a_refused_hand_can_be_edited_and_saved_again(keeper: KeeperPage, context: BrowserContext) -> None:
    round_ = keeper.add_round()
    path = f"/v1/rounds/{round_['id']}"
    keeper.enter_hand()
    keeper.choose_button(3)
    context.set_offline(True)
    keeper.tap_cards(list_cards())
    keeper.save()
    expect(keeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    other = {"number": 1, "button": 1, "players": list_players()}
    assert keeper.api.post(f"{path}/hands", json=other).status_code == 201
    context.set_offline(False)
    expect(keeper.page.get_by_text("The service refused: Hand 1.")).to_be_visible()
    undo_last(keeper.api, path)
    entered = datetime.now(UTC)
    keeper.page.get_by_role("button", name="Edit").click()
    keeper.expect_hand(1)
    assert len(keeper.read_boards()) == 39
    keeper.tap('[data-place="3.bottom.4"]')
    keeper.tap_card("2c")
    keeper.save()
    keeper.expect_hand(2)
    [hand] = keeper.get(f"{path}/document")["hands"]
    assert hand["players"][2]["bottom"] == ["As", "Ad", "Qh", "Qc", "2c"]
    assert datetime.fromisoformat(hand["played_at"]) < entered


def test_a_hand_that_was_scored_before_the_network_failed_is_followed_by_the_next(
    keeper: KeeperPage, open_keeper: OpenKeeper, context: BrowserContext
) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    wait_for_worker(keeper.page)
    keeper.choose_button(3)
    keeper.tap_cards(list_cards())
    expect(keeper.page.locator("[data-score]")).to_have_count(3)
    context.set_offline(True)
    keeper.save()
    keeper.expect_hand(2)
    expect(keeper.page.locator('[data-place="1.discards.0"]')).to_be_visible()
    keeper.tap_cards(list_cards(SECOND)[:10])
    keeper.kill(filled=10)
    again = open_keeper()
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
    keeper: KeeperPage, context: BrowserContext
) -> None:
    table = LinkedTable(keeper.api)
    secret = table.link("scorekeeper")["url"].partition("#")[2]
    keeper.open(f"/keeper/#{secret}")
    wait_for_worker(keeper.page)
    expect(keeper.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    context.set_offline(True)
    keeper.page.reload()
    expect(keeper.page.get_by_role("heading", level=1)).to_have_text(table.name)
    keeper.enter_hand()
    keeper.expect_hand(1)


def test_the_last_hand_is_undone_and_the_round_is_closed(keeper: KeeperPage) -> None:
    round_ = keeper.add_round()
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert keeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    page = keeper.page
    page.reload()
    page.get_by_role("button", name="Undo hand 1").click()
    page.get_by_label("Reason").fill("two cards exchanged")
    page.get_by_role("button", name="Undo hand 1").click()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    page.get_by_role("button", name="Close the round").click()
    page.get_by_label("Reason").fill("late")
    page.get_by_role("button", name="Close the round").click()
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    assert keeper.get(f"/v1/rounds/{round_['id']}")["status"] == "closed"
    expect(page.get_by_label("Player in seat 2")).to_have_value("ben")
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()


def test_the_page_goes_on_when_the_browser_closes_its_database(keeper: KeeperPage) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    keeper.choose_button(3)
    cards = list_cards()
    keeper.tap_cards(cards[:3])
    # The browser can delete what a page has stored while it is open.
    keeper.page.evaluate("""() => new Promise((done, fail) => {
        const request = indexedDB.deleteDatabase("tablestakes-keeper");
        request.onsuccess = done;
        request.onerror = fail;
    }).then(() => null)""")
    keeper.tap_cards(cards[3:])
    keeper.save()
    keeper.expect_hand(2)
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1
