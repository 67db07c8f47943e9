"""While a hand is entered, what is certain of its boards is shown, as the rules on the device compute it."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards
from tests.web.pages.test_rules_on_device import wait_for_rules

pytestmark = pytest.mark.thorough


@pytest.mark.with_rules
def test_rows_and_boards_are_scored_as_they_fill(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    wait_for_rules(scorekeeper)
    scorekeeper.enter_hand()
    board = scorekeeper.page.locator('[data-seat="1"]')
    notes = board.locator(".row-note")
    scorekeeper.tap_cards(["Qs", "Qd"])
    expect(notes).to_have_text(["", "", ""])
    scorekeeper.tap_card("4c")
    expect(notes.nth(0)).to_have_text("pair of queens, four kicker+7 royalty")
    expect(board.locator(".board-notes")).to_contain_text("Fantasyland 14")
    scorekeeper.tap_cards(["Ks", "Jd", "9h", "8h", "3c"])
    expect(notes.nth(1)).to_have_text("king high, jack-nine-eight-three kickers")
    expect(board.locator(".board-notes")).to_have_text("Foul")
    expect(notes.nth(0)).to_have_text("pair of queens, four kicker")
    scorekeeper.tap('[data-place="1.middle.1"]')
    scorekeeper.tap_card("Kd")
    expect(board.locator(".board-notes")).to_contain_text("Fantasyland 14")
    expect(notes.nth(1)).to_have_text("pair of kings, nine-eight-three kickers")
    scorekeeper.tap_cards(["Ah", "Jh", "7h", "6h", "2h"])
    expect(notes.nth(2)).to_have_text("flush, ace-jack-seven-six-deuce+4 royalty")


@pytest.mark.with_rules
def test_taps_do_not_wait_for_scores_and_the_last_one_is_scored(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    wait_for_rules(scorekeeper)
    scorekeeper.enter_hand()
    # All taps in one task: every draft but the last is out of date before its result can come.
    cards = list_cards()[:13]
    scorekeeper.page.evaluate(
        "cards => { for (const card of cards) document.querySelector(`[data-card='${card}']`).click() }", cards
    )
    expect(scorekeeper.page.locator(".place.filled")).to_have_count(13)
    expect(scorekeeper.page.locator('[data-seat="1"] .row-note').nth(2)).to_have_text(
        "flush, ace-jack-seven-six-deuce+4 royalty"
    )


def test_without_rules_on_the_device_only_the_complete_hand_is_scored(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    cards = list_cards()
    scorekeeper.tap_cards(cards[:-1])
    scorekeeper.page.wait_for_timeout(500)
    assert "".join(scorekeeper.page.locator(".row-note").all_inner_texts()) == ""
    scorekeeper.tap_card(cards[-1])
    expect(scorekeeper.page.locator('[data-seat="3"] .row-note').first).to_have_text(
        "pair of kings, three kicker+8 royalty"
    )
    expect(scorekeeper.page.locator(".board-notes .pill")).to_have_text(["Fantasyland 14", "Fantasyland 14"])
