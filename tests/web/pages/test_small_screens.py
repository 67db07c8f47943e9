"""The scorekeeper's page on low screens, on tablets, and on a device that is turned."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.scorekeeper_page import SECOND, ScorekeeperPage, list_cards, list_players
from tests.support.server_process import wait_until

pytestmark = pytest.mark.thorough

LOW = {"width": 390, "height": 664}
"""A phone whose browser shows its bars."""
TABLET = {"width": 768, "height": 1024}
IS_IN_VIEW = """place => {
  const { left, top, width, height } = place.getBoundingClientRect();
  return [0.1, 0.9].every((part) => place.contains(document.elementFromPoint(left + width / 2, top + height * part)));
}"""


def add_fantasyland(scorekeeper: ScorekeeperPage) -> None:
    """Open a round whose next hand two players play in Fantasyland."""
    round_ = scorekeeper.add_round()
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    scorekeeper.enter_hand(2)


@pytest.mark.parametrize("size", [LOW, {"width": 844, "height": 390}], ids=["low", "on its side"])
def test_the_next_place_is_in_view_on_a_low_screen(scorekeeper: ScorekeeperPage, size: dict[str, int]) -> None:
    scorekeeper.page.set_viewport_size({"width": size["width"], "height": size["height"]})
    add_fantasyland(scorekeeper)
    for filled, card in enumerate(list_cards(SECOND)):
        expect(scorekeeper.page.locator(".place.filled")).to_have_count(filled)
        place = scorekeeper.page.locator('.place[aria-current="true"]')
        # The page scrolls after it has drawn a hand.
        assert wait_until(lambda place=place: place.evaluate(IS_IN_VIEW), 5), place.get_attribute("data-place")
        scorekeeper.tap_card(card)


def test_the_cards_of_fantasyland_are_named_beside_the_stack(scorekeeper: ScorekeeperPage) -> None:
    add_fantasyland(scorekeeper)
    scorekeeper.page.set_viewport_size({"width": TABLET["width"], "height": TABLET["height"]})
    titles = scorekeeper.page.locator(".seat-title > span")
    expect(titles.first).to_contain_text("Fantasyland 14")
    assert titles.evaluate_all("titles => titles.every((each) => each.scrollWidth <= each.clientWidth)")


def test_the_tab_of_the_shown_board_is_marked_after_the_device_is_turned(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.tap_cards(["As", "Ks"])
    scorekeeper.page.set_viewport_size({"width": TABLET["height"], "height": TABLET["width"]})
    expect(scorekeeper.page.locator('.seat[data-seat="2"]')).to_be_in_viewport(ratio=0.9)
    scorekeeper.page.set_viewport_size({"width": 390, "height": 844})
    expect(scorekeeper.page.locator('.seat[data-seat="1"]')).to_be_in_viewport(ratio=0.9)
    expect(scorekeeper.page.locator('.tab[aria-current="true"]')).to_contain_text("ann")
