"""A board is typed, pasted or dictated: read by the rules on the device, and shown as cards before it counts."""

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.check_page import check_targets, check_width, check_with_axe
from tests.support.browser.scorekeeper_page import BOARDS, ScorekeeperPage
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.test_rules_on_device import wait_for_rules

pytestmark = pytest.mark.thorough
SCREENS = [(320, 568), (390, 844), (844, 390), (768, 1024), (1280, 800)]


def open_text(scorekeeper: ScorekeeperPage) -> Locator:
    """Open the field of the board that is entered next."""
    scorekeeper.page.get_by_role("button", name="Type or dictate a board").tap()
    field = scorekeeper.page.get_by_label("Type, paste or dictate the rows")
    expect(field).to_be_focused()
    return field


def begin(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    wait_for_rules(scorekeeper)
    scorekeeper.enter_hand()


@pytest.mark.with_rules
@pytest.mark.smoke
def test_boards_are_pasted_and_recorded(scorekeeper: ScorekeeperPage) -> None:
    begin(scorekeeper)
    page = scorekeeper.page
    for seat, rows in BOARDS.items():
        field = open_text(scorekeeper)
        expect(page.get_by_role("dialog")).to_contain_text(f"Board of {('ann', 'ben', 'cyd')[seat - 1]}")
        field.fill(" / ".join(rows))
        expect(page.locator(".typed-row .card")).to_have_count(13)
        page.get_by_role("button", name="Use these cards").tap()
        expect(page.locator(".place.filled")).to_have_count(13 * seat)
    scorekeeper.choose_button(3)
    scorekeeper.save()
    scorekeeper.expect_hand(2)


@pytest.mark.with_rules
def test_a_dictated_board_asks_for_the_suits_and_nothing_is_put_before(scorekeeper: ScorekeeperPage) -> None:
    begin(scorekeeper)
    page = scorekeeper.page
    field = open_text(scorekeeper)
    field.fill("Queens 4, Kings of spades and diamonds nines three, ace jack seven six deuce all hearts")
    use = page.get_by_role("button", name="Use these cards")
    expect(page.locator(".typed-row .open")).to_have_count(6)
    expect(page.get_by_text("Q Q 4 in the top have no suit")).to_be_visible()
    expect(use).to_be_disabled()
    for rank, suit in (("queen", "spades"), ("queen", "diamonds"), ("four", "clubs"), ("nine", "clubs")):
        suits = page.get_by_role("group", name=f"Suit of the {rank}")
        suits.get_by_role("button", name=suit).tap()
    # A card that the text names already has no second place.
    page.locator(".typed-row .open").last.tap()
    three = page.get_by_role("group", name="Suit of the three")
    three.get_by_role("button", name="clubs").tap()
    nine = page.get_by_role("group", name="Suit of the nine")
    expect(nine.get_by_role("button", name="clubs")).to_be_disabled()
    expect(page.locator(".place.filled")).to_have_count(0)
    nine.get_by_role("button", name="hearts").tap()
    expect(use).to_be_enabled()
    use.tap()
    expect(page.locator(".place.filled")).to_have_count(13)
    boards = scorekeeper.read_boards()
    assert boards["1.top.0"] == "queen of spades"
    assert boards["1.middle.2"] == "nine of clubs"
    assert boards["1.bottom.4"] == "two of hearts"
    # One undo takes the whole text back.
    page.get_by_role("button", name="Undo the last tap").tap()
    expect(page.locator(".place.filled")).to_have_count(0)


@pytest.mark.with_rules
def test_what_is_wrong_or_has_two_meanings_is_shown(scorekeeper: ScorekeeperPage) -> None:
    begin(scorekeeper)
    page = scorekeeper.page
    scorekeeper.tap_cards(["As", "Ks"])
    page.locator(".tab").nth(1).click()
    page.locator('[data-place="2.top.0"]').tap()
    field = open_text(scorekeeper)
    for text, expected in (
        ("As Kd", "As is already in the top of ann"),
        ("kings three nines", "'three nines' is a three and two nines, or 3 nines"),
        ("QsQd4c / banana", "'banana' is not a valid card"),
    ):
        field.fill(text)
        expect(page.get_by_text(expected)).to_be_visible()
        expect(page.get_by_role("button", name="Use these cards")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".place.filled")).to_have_count(2)


@pytest.mark.with_rules
def test_a_board_is_edited_as_text_by_keys(scorekeeper: ScorekeeperPage) -> None:
    begin(scorekeeper)
    page = scorekeeper.page
    scorekeeper.tap_cards(["Qs", "Qd", "4c", "Ks"])
    field = open_text(scorekeeper)
    expect(field).to_have_value("QsQd4c / Ks")
    page.keyboard.press("End")
    page.keyboard.type("Kd")
    expect(page.locator(".typed-row .card")).to_have_count(5)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Use these cards")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".place.filled")).to_have_count(5)


def test_without_the_rules_the_field_shows_what_is_missing(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    open_text(scorekeeper).fill("QsQd4c")
    expect(scorekeeper.page.get_by_role("status").get_by_text("when the rules are on this device")).to_be_visible()
    expect(scorekeeper.page.get_by_role("button", name="Use these cards")).to_be_disabled()


@pytest.mark.with_rules
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_field_passes_axe_on_every_screen(open_scorekeeper: OpenScorekeeper, scheme: str) -> None:
    scorekeeper = open_scorekeeper()
    page = scorekeeper.page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of its values
    begin(scorekeeper)
    field = open_text(scorekeeper)
    for text in ("Queens 4, Kings nines three", "QsQd4c / KsKd9h8h3c / AhJh7h6h2h", "QsQs banana"):
        field.fill(text)
        expect(page.locator(".typed-row").first).to_be_visible()
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            check_with_axe(page)
            check_width(page)
            check_targets(page, "dialog button:visible", is_wide=True)
            expect(page.get_by_role("button", name="Use these cards")).to_be_visible()
