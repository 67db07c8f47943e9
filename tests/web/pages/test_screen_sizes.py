"""Boards, deck, results and main buttons of the scorekeeper's page on small phones, on tablets, and with large text."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx2
import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.support.browser.check_page import check_width
from tests.support.browser.chromium import open_beside
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES, SAVE_DATA

FOUR: Final = {
    1: ("Qs Qd 4c", "Ks Kd 9h 8h 3c", "Ah Jh 7h 6h 2h"),
    2: ("Ac 8d 2s", "Ts Tc 5d 5c 6s", "7s 7d 7c Jd Js"),
    3: ("Kh Kc 3s", "9s 9d 8s 8c 4h", "As Ad Qh Qc 2d"),
    4: ("Jc Th Td", "2c 3d 3h 4d 4s", "5h 5s 6c 6d 9c"),
}
"""All 52 cards. Seats 1 and 3 enter Fantasyland."""
NAMES: Final = ("ann", "Maximilian", "cyd", "dan")
STACKS: Final = {1: 200, 2: 200, 3: 200, 4: 1}
USUAL, DOUBLE = 16, 32
"""Sizes of the text that a browser can be set to, in pixels."""

PHONES: Final = [
    pytest.param(375, 667, DOUBLE, id="text of 200 %"),
    pytest.param(667, 375, USUAL, id="on its side"),
    pytest.param(320, 568, USUAL, id="small phone"),
    pytest.param(375, 667, USUAL, id="phone", marks=pytest.mark.thorough),
    pytest.param(667, 375, DOUBLE, id="on its side, text of 200 %", marks=pytest.mark.thorough),
    pytest.param(320, 568, DOUBLE, id="small phone, text of 200 %", marks=pytest.mark.thorough),
    pytest.param(844, 390, USUAL, id="large phone on its side", marks=pytest.mark.thorough),
]
TABLETS: Final = [
    pytest.param(768, 1024, USUAL, id="tablet"),
    pytest.param(1024, 768, USUAL, id="tablet on its side"),
    pytest.param(820, 1180, USUAL, id="larger tablet", marks=pytest.mark.thorough),
    pytest.param(1180, 820, USUAL, id="larger tablet on its side", marks=pytest.mark.thorough),
]

HIDDEN: Final = """elements => elements.filter((each) => {
  const { left, top, right, bottom } = each.getBoundingClientRect();
  const points = [left + 8, right - 8].flatMap((x) => [[x, top + 8], [x, bottom - 8]]);
  return !points.every(([x, y]) => each.contains(document.elementFromPoint(x, y)));
}).map((each) => each.outerHTML.slice(0, 200))"""
"""The elements of which a corner is outside the screen or covered. Corners are round."""
OVERFLOWING: Final = """elements => elements.filter((each) => {
  const room = each.getBoundingClientRect();
  return [...each.querySelectorAll("svg, .rank, .suit")].some((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return left < room.left || right > room.right || top < room.top - 2 || bottom > room.bottom + 2;
  });
}).map((each) => each.textContent)"""
"""The cards and buttons that are too small for what is written on them."""
OVERLAPPING: Final = """elements => {
  const boxes = elements.map((each) => each.getBoundingClientRect());
  return elements.filter((_, index) => boxes.some((box, other) => other < index
    && box.left < boxes[index].right - 0.5 && box.right > boxes[index].left + 0.5
    && box.top < boxes[index].bottom - 0.5 && box.bottom > boxes[index].top + 0.5)).map((each) => each.textContent);
}"""
"""The elements that overlap one before them."""
CUT_OFF: Final = """boxes => boxes.flatMap((box) => {
  const { left, right } = box.getBoundingClientRect();
  const parts = [...box.querySelectorAll("*")].filter((part) => part.closest(".hidden-text") === null);
  return parts.filter((part) => {
    const room = part.getBoundingClientRect();
    return room.width > 0 && (room.left < left - 0.5 || room.right > right + 0.5);
  }).map((part) => part.outerHTML.slice(0, 200));
})"""
"""What does not fit into the boxes in which it is."""


@contextmanager
def entering(
    browser: Browser, service: Running, api: httpx2.Client, scheme: Any, width: int, height: int, text: int
) -> Iterator[ScorekeeperPage]:
    """Open a round of four players in a browser with text of a size, and its first hand."""
    with open_beside(browser, f"--blink-settings=defaultFontSize={text}") as sized:
        context = sized.new_context(viewport={"width": width, "height": height}, has_touch=True, color_scheme=scheme)
        context.set_default_timeout(20_000)
        context.add_init_script(SAVE_DATA)
        violations: list[Any] = []
        scorekeeper = ScorekeeperPage(context.new_page(), service.url, api, violations)
        scorekeeper.open()
        assert scorekeeper.page.evaluate("getComputedStyle(document.documentElement).fontSize") == f"{text}px"
        table = scorekeeper.add_table("classic", point_value=20, unit="EUR")
        seats = [{"seat": seat, "player": name, "stack": STACKS[seat]} for seat, name in enumerate(NAMES, 1)]
        opened = api.post(f"/v1/tables/{table['id']}/rounds", json={"seats": seats})
        assert opened.status_code == 201, opened.text
        scorekeeper.join()
        scorekeeper.page.get_by_role("button", name=table["name"]).click()
        check_main_button(scorekeeper, "Enter hand 1")
        scorekeeper.enter_hand()
        yield scorekeeper
        assert violations == []


def check_deck(scorekeeper: ScorekeeperPage) -> None:
    """Check that no card of the deck overlaps another or is cut off, and that the deck covers no place in use."""
    page = scorekeeper.page
    deck = page.locator(".deck > button")
    # 52 cards, the entry of text and "Undo".
    expect(deck).to_have_count(54)
    assert deck.evaluate_all(OVERLAPPING) == []
    assert deck.evaluate_all(OVERFLOWING) == []
    assert page.locator(".place").evaluate_all(OVERFLOWING) == []
    check_in_view(deck)
    check_in_view(page.locator(".target > span").first)
    check_in_view(page.locator('.place[aria-current="true"]'))


def check_in_view(shown: Locator) -> None:
    """Check that elements are on the screen, and that nothing covers them, once the page takes taps."""
    assert shown.count() > 0
    shown.page.wait_for_function("() => document.body.style.pointerEvents === ''")
    assert shown.evaluate_all(HIDDEN) == []


def check_main_button(scorekeeper: ScorekeeperPage, name: str) -> None:
    """Check that a page has its main button on the screen, and that nothing overlaps or is cut off."""
    button = scorekeeper.page.get_by_role("button", name=name, exact=True).first
    expect(button).to_be_visible()
    check_in_view(button)
    check_parts(scorekeeper)


def check_parts(scorekeeper: ScorekeeperPage) -> None:
    """Check that the page does not scroll sideways, and that nothing on it overlaps or is cut off."""
    page = scorekeeper.page
    check_width(page)
    # What comes next, and the deck, lie above what is scrolled below them.
    controls = page.locator("main :is(button, input, summary):visible:not(.main-action *, .entry *)")
    assert controls.evaluate_all(OVERLAPPING) == []
    assert page.locator(".panel:visible, .notice:visible, .main-action:visible").evaluate_all(CUT_OFF) == []


def check_after_save(scorekeeper: ScorekeeperPage) -> None:
    """Save a hand that busts a player, and check the pages of the next hand and of the round until it is paid."""
    page = scorekeeper.page
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    expect(page.locator(".notice.saved")).to_contain_text("dan is busted")
    check_in_view(page.locator('.place[aria-current="true"]'))
    check_in_view(page.locator(".deck > button"))
    check_parts(scorekeeper)
    scorekeeper.expect_sent()
    page.get_by_role("button", name="Back to the round").tap()
    check_main_button(scorekeeper, "Enter hand 2")
    page.get_by_role("button", name="Undo hand 1").tap()
    check_parts(scorekeeper)
    page.get_by_role("button", name="Cancel").tap()
    page.get_by_role("button", name="Close the round").tap()
    page.get_by_role("button", name="Late").tap()
    page.get_by_role("button", name="Close the round").tap()
    expect(page.get_by_text("The round is closed.")).to_be_visible()
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    check_main_button(scorekeeper, "Next round")
    page.get_by_role("button", name="Settle up").tap()
    expect(page.locator(".settle-line")).to_have_count(3)
    check_in_view(page.locator(".settle-line .button").first)
    check_parts(scorekeeper)
    page.get_by_role("button", name="Tonight").tap()
    expect(page.locator(".settle-lines li")).to_have_count(3)
    check_parts(scorekeeper)


@IN_BOTH_SCHEMES
@pytest.mark.parametrize(("width", "height", "text"), PHONES)
def test_four_boards_are_entered_and_saved_on_a_phone(
    browser: Browser, service: Running, api: httpx2.Client, scheme: Any, width: int, height: int, text: int
) -> None:
    with entering(browser, service, api, scheme, width, height, text) as scorekeeper:
        page = scorekeeper.page
        cards = list_cards(FOUR)
        scorekeeper.tap_cards(cards[:9])
        check_deck(scorekeeper)
        scorekeeper.tap_cards(cards[9:45])
        check_deck(scorekeeper)
        scorekeeper.tap_cards(cards[45:])
        save = page.get_by_role("button", name="Save")
        expect(save).to_be_disabled()
        check_in_view(save)
        check_width(page)
        scorekeeper.tap('[data-seat="4"] .dealer')
        expect(page.locator("[data-score]")).to_have_count(4)
        check_in_view(save)
        undo = page.get_by_role("button", name="Undo the last tap")
        check_in_view(undo)
        assert undo.evaluate_all(OVERFLOWING) == []
        # The last line of the result can be scrolled to, above the button.
        page.locator(".result-parts").get_by_text("Hand 2, button").scroll_into_view_if_needed()
        check_in_view(save)
        check_width(page)
        check_after_save(scorekeeper)


@IN_BOTH_SCHEMES
@pytest.mark.parametrize(("width", "height", "text"), TABLETS)
def test_four_boards_are_seen_whole_on_a_tablet(
    browser: Browser, service: Running, api: httpx2.Client, scheme: Any, width: int, height: int, text: int
) -> None:
    with entering(browser, service, api, scheme, width, height, text) as scorekeeper:
        boards = scorekeeper.page.locator(".seat")
        expect(boards).to_have_count(4)
        check_in_view(boards)
        check_deck(scorekeeper)
        scorekeeper.tap_cards(list_cards(FOUR)[:45])
        check_deck(scorekeeper)
        assert boards.evaluate_all(OVERLAPPING) == []
        check_in_view(boards)
        check_in_view(scorekeeper.page.locator(".place"))
        scorekeeper.tap_cards(list_cards(FOUR)[45:])
        scorekeeper.tap('[data-seat="4"] .dealer')
        expect(scorekeeper.page.locator("[data-score]")).to_have_count(4)
        check_main_button(scorekeeper, "Save")
        check_after_save(scorekeeper)
