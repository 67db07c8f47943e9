"""
The main screens on a small phone in every language.

Words of other languages are longer: nothing may be wider than the screen, cut off or covered, and what comes next stays
in view. Everything is found by its place on the page, because its words differ.
"""

from collections.abc import Iterator
from typing import Any, Final

import httpx2
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.browser.check_page import check_width
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import SECOND, ScorekeeperPage, list_cards, list_players
from tests.support.server_process import Running
from tests.web.pages.conftest import SAVE_DATA
from tests.web.pages.test_screen_sizes import FOUR, NAMES, OVERLAPPING, STACKS, check_deck, check_in_view, check_parts

pytestmark = pytest.mark.thorough

LANGUAGES: Final = ("en", "ru", "de", "fr")
CONTROLS: Final = "main :is(a, button, input, select, summary, textarea):visible"
TEXTS: Final = "main :is(button, .button, .pill, th, td, label, summary, h2, h3, dt, dd):visible"
TOO_WIDE: Final = """elements => elements.filter((each) => each.clientWidth > 0
  && each.closest(".hidden-text, .scroll") === null && getComputedStyle(each).overflowX === "visible"
  && each.scrollWidth > each.clientWidth + 1).map((each) => each.outerHTML)"""
"""The elements whose text is wider than they are."""
GO_BACK: Final = """() => {
  if (document.querySelector(".choice") !== null) return true;
  document.querySelector(".bar > button")?.click();
  return false;
}"""
"""Goes from a hand to its round, from there to the list of tables, and is true when that is shown."""


class Evening:
    """A phone with the key of a club, at which two tables play: at one a round was disputed and another is open."""

    def __init__(self, scorekeeper: ScorekeeperPage, service: Running) -> None:
        self.scorekeeper, self.page, self.service = scorekeeper, scorekeeper.page, service
        self.ended = LinkedTable(scorekeeper.api)
        self.ended.complete()
        self.table = LinkedTable(scorekeeper.api, NAMES, ruleset="classic")
        self.play()
        self.post(f"/v1/rounds/{self.table.round}/close", reason="late", expected={"hands": 1})
        self.disputed = self.table.round
        place = {"hand": 1, "seat": 2, "row": "middle"}
        self.post("/v1/disputes", round=self.disputed, claim="the last card was a six", by=NAMES[1], **place)
        seats = [{"seat": seat, "player": name, "stack": STACKS[seat]} for seat, name in enumerate(NAMES, 1)]
        self.table.round = self.post(f"/v1/tables/{self.table.id}/rounds", seats=seats)["id"]
        self.play(dealt_again=True)

    def play(self, **more: bool) -> None:
        """Record the first hand of the open round: two players enter Fantasyland."""
        self.post(f"/v1/rounds/{self.table.round}/hands", number=1, button=4, players=list_players(FOUR), **more)

    def post(self, path: str, **body: object) -> dict[str, Any]:
        response = self.scorekeeper.api.post(path, json=body)
        assert response.is_success, response.text
        document: dict[str, Any] = response.json()
        return document

    def choose_language(self, language: str) -> None:
        self.page.context.add_cookies([{"name": "language", "value": language, "url": self.service.url}])

    def open_tables(self) -> None:
        """Open the list of tables. The page begins where it was left, at most in a hand of a table."""
        self.scorekeeper.open()
        self.page.wait_for_function(GO_BACK, polling=500)

    def open_table(self, table: LinkedTable) -> None:
        self.open_tables()
        self.page.get_by_role("button", name=table.name).tap()

    def check(self, main: str | Locator) -> None:
        """Check that the main button of a screen is in view, and that everything fits into its place."""
        button = self.page.locator(main).first if isinstance(main, str) else main
        expect(button).to_be_visible()
        button.scroll_into_view_if_needed()
        check_in_view(button)
        check_parts(self.scorekeeper)
        assert self.page.locator(TEXTS).evaluate_all(TOO_WIDE) == []


@pytest.fixture(scope="module")
def evening(browser: Browser, service: Running, api: httpx2.Client) -> Iterator[Evening]:
    context = browser.new_context(viewport={"width": 320, "height": 568}, has_touch=True, locale="en")
    context.set_default_timeout(20_000)
    context.add_init_script(SAVE_DATA)
    violations: list[Any] = []
    scorekeeper = ScorekeeperPage(context.new_page(), service.url, api, violations)
    evening = Evening(scorekeeper, service)
    scorekeeper.open()
    scorekeeper.join()
    expect(evening.page.locator(".choice").first).to_be_visible()
    yield evening
    context.close()
    assert violations == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_and_the_form_of_a_new_one_fit(evening: Evening, language: str) -> None:
    evening.choose_language(language)
    evening.open_tables()
    page = evening.page
    expect(page.locator(".choice .pill.warning")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == language
    evening.check(page.get_by_role("button", name=evening.table.name))
    page.locator(".choices + .button").tap()
    # The form grows when the games and units are there.
    expect(page.locator("#table-unit")).to_be_enabled()
    evening.check(".new-table button[type=submit]")
    page.locator(".game-choice summary").tap()
    check_width(page)
    assert page.locator(TEXTS).evaluate_all(TOO_WIDE) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hand_fits_while_it_is_entered_and_with_its_result(evening: Evening, language: str) -> None:
    evening.choose_language(language)
    evening.open_table(evening.table)
    page, cards = evening.page, list_cards(SECOND)
    page.locator(".main-action button").tap()
    expect(page.locator(".place").first).to_be_visible()
    # The cards of the hand stay on the device for the next language.
    filled = page.locator(".place.filled").count()
    evening.scorekeeper.tap_cards(cards[filled:-1])
    if filled == len(cards):
        page.locator(".result-actions .button:not(.primary)").tap()
    check_deck(evening.scorekeeper)
    check_parts(evening.scorekeeper)
    evening.scorekeeper.tap_card(cards[-1])
    expect(page.locator("[data-score]")).to_have_count(3)
    evening.check(".result-actions .primary")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_round_fits_between_its_hands(evening: Evening, language: str) -> None:
    evening.choose_language(language)
    evening.open_table(evening.table)
    page = evening.page
    changes = page.locator(".main-action + .buttons > button")
    expect(page.get_by_text("the last card was a six")).to_be_visible()
    evening.check(".main-action button")
    for change in (changes.first, changes.last):
        change.tap()
        evening.check("form.panel button[type=submit]")
        page.locator("form.panel .button.plain").tap()
    hand = page.locator('details[data-hand="1"]')
    hand.locator("summary").first.tap()
    evening.check(hand.locator(".recorded").first)
    hand.locator(".recorded button").first.tap()
    check_in_view(page.locator("dialog .sheet-head button"))
    check_width(page)
    page.locator("dialog .sheet-head button").tap()
    top_up, settle_up = page.locator("button[aria-expanded]").all()
    top_up.tap()
    evening.check("#players-title")
    settle_up.tap()
    evening.check(".settle-line .button")
    page.locator("details.settle-more summary").last.tap()
    check_parts(evening.scorekeeper)
    for part in (1, 2):
        page.locator("[aria-labelledby=settle-title] .toggle").nth(part).tap()
        evening.check(page.locator("[aria-labelledby=settle-title] table"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_round_that_has_ended_and_the_form_of_the_next_one_fit(evening: Evening, language: str) -> None:
    evening.choose_language(language)
    evening.open_table(evening.ended)
    evening.check(".main-action button")
    evening.check("#new-round button[type=submit]")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_of_a_link_of_a_player_fit(evening: Evening, language: str) -> None:
    evening.choose_language(language)
    link = evening.table.link("player", player=NAMES[1])["url"]
    page = evening.page.context.new_page()
    for end in ("", f"/rounds/{evening.disputed}", f"/rounds/{evening.disputed}/hands/1"):
        page.goto(link + end)
        for summary in page.locator("main summary:visible").all():
            summary.tap()
        check_fit(page)
    page.goto(evening.ended.link("player", player="ben")["url"])
    page.locator(".rounds a").first.tap()
    confirm = page.locator("main form button").first
    confirm.scroll_into_view_if_needed()
    check_in_view(confirm)
    check_fit(page)
    page.close()


def check_fit(page: Page) -> None:
    """Check that nothing on a page of the service is wider than its place, or overlaps something else."""
    check_width(page)
    assert page.locator(CONTROLS).evaluate_all(OVERLAPPING) == [], page.url
    assert page.locator(TEXTS).evaluate_all(TOO_WIDE) == [], page.url
