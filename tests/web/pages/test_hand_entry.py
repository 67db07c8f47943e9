"""Hands entered on the scorekeeper's page are recorded as they were tapped or typed."""

from contextlib import suppress

from playwright.sync_api import BrowserContext, Error, expect

from tests.support.browser.keeper_page import BOARDS, SECOND, KeeperPage, list_cards, list_players
from tests.web.pages.conftest import OpenKeeper


def rows(player: dict[str, object]) -> dict[str, object]:
    return {name: player[name] for name in ("seat", "top", "middle", "bottom")}


def expect_filled(keeper: KeeperPage, count: int) -> None:
    """Wait until the page shows so many cards."""
    expect(keeper.page.locator(".place.filled")).to_have_count(count)


def expect_sent(keeper: KeeperPage) -> None:
    """Wait until nothing waits to be sent."""
    expect(keeper.page.get_by_text("waiting")).to_have_count(0)


def test_two_hands_by_taps_are_recorded_with_the_scores_of_the_service(keeper: KeeperPage) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    keeper.choose_button(3)
    keeper.tap_cards(list_cards())
    expect(keeper.page.locator("[data-score]")).to_have_count(3)
    shown = [text.replace("−", "-") for text in keeper.page.locator(".points").all_inner_texts()]
    keeper.save()
    keeper.expect_hand(2)
    keeper.taps = 0
    keeper.tap_cards(list_cards(SECOND))
    keeper.save()
    keeper.expect_hand(3)
    assert keeper.taps == 40, "39 cards and Save"
    expect_sent(keeper)

    [first, second] = keeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    for recorded, boards in ((first, BOARDS), (second, SECOND)):
        document = keeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][recorded["number"] - 1]
        assert [rows(player) for player in document["players"]] == list_players(boards)
    assert first["button"] == 3
    assert [int(text) for text in shown] == [first["stacks"][seat] - 200 for seat in ("1", "2", "3")]
    document = keeper.get(f"/v1/rounds/{round_['id']}/document")
    assert [player["fantasyland"] for player in document["hands"][1]["players"]] == [14, 0, 14]
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 2


WATCH_POINT = """({ x, y }) => {
    window.hits = [];
    let changed;
    new MutationObserver(() => {
        if (document.querySelector("h1")?.textContent === "Hand 2") changed ??= performance.now();
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
    setInterval(() => {
        const isTapped = document.elementFromPoint(x, y).closest("button") !== null;
        if (changed !== undefined) window.hits.push([performance.now() - changed, isTapped]);
    }, 20);
}"""


def test_impatient_taps_on_save_put_no_card_into_the_next_hand(keeper: KeeperPage) -> None:
    keeper.add_round()
    keeper.enter_hand()
    keeper.choose_button(3)
    keeper.tap_cards(list_cards())
    expect(keeper.page.locator("[data-score]")).to_have_count(3)
    box = keeper.page.get_by_role("button", name="Save").bounding_box()
    assert box is not None
    keeper.page.evaluate(WATCH_POINT, {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2})
    keeper.save()
    keeper.expect_hand(2)
    keeper.page.wait_for_function("() => window.hits.some(([time]) => time > 900)")
    hits = keeper.page.evaluate("window.hits")
    early = [is_tapped for time, is_tapped in hits if time < 450]
    assert early, "the place of Save was looked at"
    assert not any(early)
    assert any(is_tapped for time, is_tapped in hits if time > 700), "a card is there"


def test_a_hand_can_be_typed_without_a_pointer(keeper: KeeperPage) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    keyboard = keeper.page.keyboard
    keyboard.press("b")
    keyboard.press("b")
    cards = list_cards()
    for card in cards[:3]:
        keyboard.type(card.lower())
    keyboard.press("Backspace")
    expect_filled(keeper, 2)
    assert "1.top.2" not in keeper.read_boards()
    keyboard.type("4c")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowUp")
    keyboard.press("ArrowUp")
    keyboard.press("ArrowRight")
    expect(keeper.page.locator('[data-place="1.top.1"]')).to_have_attribute("aria-current", "true")
    keyboard.press("Backspace")
    expect_filled(keeper, 2)
    assert "1.top.1" not in keeper.read_boards()
    keyboard.type("qd")
    expect(keeper.page.locator('[data-place="1.middle.0"]')).to_have_attribute("aria-current", "true")
    for card in cards[3:]:
        keyboard.type(card.lower().replace("t", "10"))
    expect(keeper.page.locator("[data-score]")).to_have_count(3)
    expect(keeper.page.get_by_role("button", name="Save")).to_be_focused()
    keyboard.press("Enter")
    keeper.expect_hand(2)
    expect_sent(keeper)
    [hand] = keeper.get(f"/v1/rounds/{round_['id']}/document")["hands"]
    assert [rows(player) for player in hand["players"]] == list_players()
    assert hand["button"] == 2


def test_enter_saves_after_a_tap_on_the_button(keeper: KeeperPage) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    for card in list_cards():
        keeper.page.keyboard.type(card)
    expect(keeper.page.get_by_text("Choose who has the button")).to_be_visible()
    keeper.choose_button(2)
    expect(keeper.page.locator("[data-score]")).to_have_count(3)
    keeper.page.keyboard.press("Enter")
    keeper.expect_hand(2)
    [hand] = keeper.get(f"/v1/rounds/{round_['id']}/document")["hands"]
    assert hand["button"] == 2


def test_a_tapped_card_is_taken_back_and_undo_restores_the_last_tap(keeper: KeeperPage) -> None:
    keeper.add_round()
    keeper.enter_hand()
    keeper.tap_cards(["As", "Ks", "Qs", "Js"])
    expect(keeper.page.locator('[data-card="As"]')).to_be_disabled()
    keeper.tap('[data-place="1.top.1"]')
    expect(keeper.page.locator('[data-card="Ks"]')).to_be_enabled()
    keeper.tap_card("2d")
    expect_filled(keeper, 4)
    assert keeper.read_boards() == {
        "1.top.0": "ace of spades",
        "1.top.1": "two of diamonds",
        "1.top.2": "queen of spades",
        "1.middle.0": "jack of spades",
    }
    expect(keeper.page.locator('[data-place="1.middle.1"]')).to_have_attribute("aria-current", "true")
    undo = keeper.page.get_by_label("Undo the last tap")
    undo.tap()
    undo.tap()
    expect(keeper.page.locator('[data-place="1.top.1"]')).to_contain_text("king of spades")
    for _ in range(4):
        undo.tap()
    expect_filled(keeper, 0)
    assert keeper.read_boards() == {}
    expect(undo).to_be_disabled()


def test_a_long_press_chooses_a_place_and_the_next_card_replaces_its_card(keeper: KeeperPage) -> None:
    keeper.add_round()
    keeper.enter_hand()
    keeper.tap_cards(["As", "Ks"])
    place = keeper.page.locator('[data-place="1.top.0"]')
    place.click(delay=1_500)
    expect(place).to_have_attribute("aria-current", "true")
    assert keeper.read_boards()["1.top.0"] == "ace of spades"
    keeper.tap_card("2c")
    expect(place).to_contain_text("two of clubs")
    assert keeper.read_boards() == {"1.top.0": "two of clubs", "1.top.1": "king of spades"}
    expect(keeper.page.locator('[data-card="As"]')).to_be_enabled()


def test_a_killed_page_reopens_in_mid_hand(
    keeper: KeeperPage, open_keeper: OpenKeeper, context: BrowserContext
) -> None:
    round_ = keeper.add_round()
    keeper.enter_hand()
    keeper.choose_button(3)
    cards = list_cards()
    keeper.tap_cards(cards[:20])
    expect_filled(keeper, 20)
    before = keeper.read_boards()
    with suppress(Error):
        keeper.page.goto("chrome://crash", timeout=3_000)
    reopened = open_keeper()
    reopened.expect_hand(1)
    expect(reopened.page.locator(".place.filled")).to_have_count(20)
    assert reopened.read_boards() == before
    reopened.page.get_by_label("Undo the last tap").tap()
    reopened.tap_cards(cards[19:])
    reopened.save()
    reopened.expect_hand(2)
    expect_sent(reopened)
    [hand] = reopened.get(f"/v1/rounds/{round_['id']}/document")["hands"]
    assert [rows(player) for player in hand["players"]] == list_players()


def test_a_hand_that_the_service_refuses_cannot_be_saved(keeper: KeeperPage) -> None:
    round_ = keeper.add_round()
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert keeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    keeper.enter_hand(2)
    keeper.tap_cards(list_cards())
    expect(keeper.page.get_by_text("This hand is not valid")).to_be_visible()
    expect(keeper.page.get_by_role("button", name="Save")).to_be_disabled()
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1
