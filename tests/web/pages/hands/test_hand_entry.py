"""Hands entered on the scorekeeper's page are recorded as they were tapped or typed."""

from contextlib import suppress

from playwright.sync_api import BrowserContext, Error, expect

from tests.support.browser.scorekeeper_page import BOARDS, SECOND, ScorekeeperPage, list_cards, list_players
from tests.web.pages.conftest import OpenScorekeeper


def rows(player: dict[str, object]) -> dict[str, object]:
    return {name: player[name] for name in ("seat", "top", "middle", "bottom")}


def expect_filled(scorekeeper: ScorekeeperPage, count: int) -> None:
    """Wait until the page shows so many cards."""
    expect(scorekeeper.page.locator(".place.filled")).to_have_count(count)


def test_two_hands_by_taps_are_recorded_with_the_scores_of_the_service(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    shown = [text.replace("−", "-") for text in scorekeeper.page.locator(".points").all_inner_texts()]
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.taps = 0
    scorekeeper.tap_cards(list_cards(SECOND))
    scorekeeper.save()
    scorekeeper.expect_hand(3)
    assert scorekeeper.taps == 40, "39 cards and Save"
    scorekeeper.expect_sent()

    [first, second] = scorekeeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    for recorded, boards in ((first, BOARDS), (second, SECOND)):
        document = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][recorded["number"] - 1]
        assert [rows(player) for player in document["players"]] == list_players(boards)
    assert first["button"] == 3
    assert [int(text) for text in shown] == [first["stacks"][seat] - 200 for seat in ("1", "2", "3")]
    document = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")
    assert [player["fantasyland"] for player in document["hands"][1]["players"]] == [14, 0, 14]
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 2


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


def test_impatient_taps_on_save_put_no_card_into_the_next_hand(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    box = scorekeeper.page.get_by_role("button", name="Save").bounding_box()
    assert box is not None
    scorekeeper.page.evaluate(WATCH_POINT, {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2})
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.page.wait_for_function("() => window.hits.some(([time]) => time > 900)")
    hits = scorekeeper.page.evaluate("window.hits")
    early = [is_tapped for time, is_tapped in hits if time < 450]
    assert early, "the place of Save was looked at"
    assert not any(early)
    assert any(is_tapped for time, is_tapped in hits if time > 700), "a card is there"


def test_a_hand_can_be_typed_without_a_pointer(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    keyboard = scorekeeper.page.keyboard
    keyboard.press("b")
    keyboard.press("b")
    cards = list_cards()
    for card in cards[:3]:
        keyboard.type(card.lower())
    keyboard.press("Backspace")
    expect_filled(scorekeeper, 2)
    assert "1.top.2" not in scorekeeper.read_boards()
    keyboard.type("4c")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowUp")
    keyboard.press("ArrowUp")
    keyboard.press("ArrowRight")
    expect(scorekeeper.page.locator('[data-place="1.top.1"]')).to_have_attribute("aria-current", "true")
    keyboard.press("Backspace")
    expect_filled(scorekeeper, 2)
    assert "1.top.1" not in scorekeeper.read_boards()
    keyboard.type("qd")
    expect(scorekeeper.page.locator('[data-place="1.middle.0"]')).to_have_attribute("aria-current", "true")
    for card in cards[3:]:
        keyboard.type(card.lower().replace("t", "10"))
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    expect(scorekeeper.page.get_by_role("button", name="Save")).to_be_focused()
    keyboard.press("Enter")
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    [hand] = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")["hands"]
    assert [rows(player) for player in hand["players"]] == list_players()
    assert hand["button"] == 2


def test_enter_saves_after_a_tap_on_the_button(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    for card in list_cards():
        scorekeeper.page.keyboard.type(card)
    expect(scorekeeper.page.get_by_text("Choose who has the button")).to_be_visible()
    scorekeeper.choose_button(2)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    scorekeeper.page.keyboard.press("Enter")
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    [hand] = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")["hands"]
    assert hand["button"] == 2


def test_a_tapped_card_is_taken_back_and_undo_restores_the_last_tap(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.tap_cards(["As", "Ks", "Qs", "Js"])
    expect(scorekeeper.page.locator('[data-card="As"]')).to_be_disabled()
    scorekeeper.tap('[data-place="1.top.1"]')
    expect(scorekeeper.page.locator('[data-card="Ks"]')).to_be_enabled()
    scorekeeper.tap_card("2d")
    expect_filled(scorekeeper, 4)
    assert scorekeeper.read_boards() == {
        "1.top.0": "ace of spades",
        "1.top.1": "two of diamonds",
        "1.top.2": "queen of spades",
        "1.middle.0": "jack of spades",
    }
    expect(scorekeeper.page.locator('[data-place="1.middle.1"]')).to_have_attribute("aria-current", "true")
    undo = scorekeeper.page.get_by_label("Undo the last tap")
    undo.tap()
    undo.tap()
    expect(scorekeeper.page.locator('[data-place="1.top.1"]')).to_contain_text("king of spades")
    for _ in range(4):
        undo.tap()
    expect_filled(scorekeeper, 0)
    assert scorekeeper.read_boards() == {}
    expect(undo).to_be_disabled()


def test_a_long_press_chooses_a_place_and_the_next_card_replaces_its_card(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.tap_cards(["As", "Ks"])
    place = scorekeeper.page.locator('[data-place="1.top.0"]')
    place.click(delay=1_500)
    expect(place).to_have_attribute("aria-current", "true")
    assert scorekeeper.read_boards()["1.top.0"] == "ace of spades"
    scorekeeper.tap_card("2c")
    expect(place).to_contain_text("two of clubs")
    assert scorekeeper.read_boards() == {"1.top.0": "two of clubs", "1.top.1": "king of spades"}
    expect(scorekeeper.page.locator('[data-card="As"]')).to_be_enabled()


def test_a_killed_page_reopens_in_mid_hand(
    scorekeeper: ScorekeeperPage, open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    cards = list_cards()
    scorekeeper.tap_cards(cards[:20])
    expect_filled(scorekeeper, 20)
    before = scorekeeper.read_boards()
    with suppress(Error):
        scorekeeper.page.goto("chrome://crash", timeout=3_000)
    reopened = open_scorekeeper()
    reopened.expect_hand(1)
    expect(reopened.page.locator(".place.filled")).to_have_count(20)
    assert reopened.read_boards() == before
    reopened.page.get_by_label("Undo the last tap").tap()
    reopened.tap_cards(cards[19:])
    reopened.save()
    reopened.expect_hand(2)
    reopened.expect_sent()
    [hand] = reopened.get(f"/v1/rounds/{round_['id']}/document")["hands"]
    assert [rows(player) for player in hand["players"]] == list_players()


def test_a_hand_that_the_service_refuses_cannot_be_saved(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    scorekeeper.enter_hand(2)
    scorekeeper.tap_cards(list_cards())
    expect(scorekeeper.page.get_by_text("This hand is not valid")).to_be_visible()
    expect(scorekeeper.page.get_by_role("button", name="Save")).to_be_disabled()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 1
