"""The pages in the language of the browser, or in the one that the user has chosen."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, wait_for_promise, wait_for_worker
from tests.web.conftest import chromium_or_skip
from tests.web.pages.conftest import SAVE_DATA, OpenPage, OpenScorekeeper

Messages = dict[str, str | dict[str, str]]
Translate = Callable[[str, Messages], None]

RUSSIAN: Messages = {
    "Keep score at the table": "Запись игры за столом",
    "Link or API key": "Ссылка или ключ API",
    "Language": "Язык",
    "Scoreboard": "Табло",
    "pair of %(ranks)s": "пара %(ranks)s",
    "pair of\x04queens": "дам",
    "rank\x04four": "четвёрка",
    "%(hand)s, %(ranks)s kicker": {
        "one": "%(hand)s, кикер %(ranks)s",
        "few": "%(hand)s, кикеры %(ranks)s",
        "many": "%(hand)s, кикеры %(ranks)s",
    },
    "card\x04%(rank)s of %(suit)s": "%(rank)s %(suit)s",
    "rank\x04queen": "дама",
    "card\x04spades": "пик",
    "%(payer)s pays %(payee)s": "%(payer)s платит %(payee)s",
}
GERMAN: Messages = {
    "Keep score at the table": "Am Tisch mitschreiben",
    "Language": "Sprache",
    "Link or API key": "Link oder API-Schlüssel",
}
HAS_WAITING = "() => navigator.serviceWorker.getRegistration().then((found) => found.waiting !== null)"
LIST_CACHED = """language => caches.keys().then(async (names) => {
  const files = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return names.filter((_, index) => files[index].some(({ url }) => url.includes(`messages-${language}-`)));
})"""
"""Returns the caches that have the messages of a language."""
HAS_CACHED = f"language => ({LIST_CACHED})(language).then((names) => names.length > 0)"
OLDER = "shell /scorekeeper/ older"


@pytest.fixture(scope="module")
def browser(pytestconfig: pytest.Config) -> Iterator[Browser]:
    """A browser in which routes also apply to service workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PW_EXPERIMENTAL_SERVICE_WORKER_NETWORK_EVENTS", "1")
        with chromium_or_skip(pytestconfig) as browser:
            yield browser


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A phone in Russian."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, locale="ru-RU")
    context.set_default_timeout(20_000)
    context.add_init_script(SAVE_DATA)
    yield context
    context.close()


@pytest.fixture
def translate(context: BrowserContext) -> Translate:
    """Replace the messages of a language."""

    def replace(language: str, messages: Messages) -> None:
        body = json.dumps(messages)
        context.route(f"**/messages-{language}-*.json", lambda route: route.fulfill(json=json.loads(body)))

    return replace


def expect_language(page: Page, language: str, heading: str) -> None:
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", language)


def test_the_page_opens_in_the_language_of_the_browser(open_scorekeeper: OpenScorekeeper, translate: Translate) -> None:
    translate("ru", RUSSIAN)
    page = open_scorekeeper().page
    expect_language(page, "ru", "Запись игры за столом")
    expect(page.get_by_label("Язык")).to_have_value("ru")
    # What has no translation is English.
    expect(page.get_by_role("button", name="Join")).to_be_visible()


def test_a_browser_in_english_loads_no_messages(browser: Browser, service: Any) -> None:
    context = browser.new_context(locale="en-US")
    requested: list[str] = []
    context.on("request", lambda request: requested.append(request.url))
    page = context.new_page()
    page.goto(f"{service.url}/scorekeeper/")
    expect_language(page, "en", "Keep score at the table")
    assert len(requested) > 3
    assert not any("messages-" in url for url in requested)
    context.close()


def test_the_chosen_language_remains_after_a_reload_and_without_a_network(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext, translate: Translate
) -> None:
    translate("ru", RUSSIAN)
    translate("de", GERMAN)
    page = open_scorekeeper().page
    wait_for_worker(page)
    page.get_by_label("Ссылка или ключ API").fill("begun")
    page.evaluate("window.isSamePage = true")
    page.get_by_label("Язык").select_option("Deutsch")
    expect_language(page, "de", "Am Tisch mitschreiben")
    assert page.evaluate("window.isSamePage") is True
    expect(page.get_by_label("Link oder API-Schlüssel")).to_have_value("begun")
    [cookie] = [cookie for cookie in context.cookies() if cookie["name"] == "language"]
    assert (cookie["value"], cookie["path"], cookie["sameSite"]) == ("de", "/", "Lax")
    page.reload()
    expect_language(page, "de", "Am Tisch mitschreiben")
    wait_for_promise(page, HAS_CACHED, "de")
    context.unroute("**/messages-de-*.json")
    context.set_offline(True)
    page.reload()
    expect_language(page, "de", "Am Tisch mitschreiben")


def test_a_language_that_cannot_be_loaded_is_not_chosen(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext, translate: Translate
) -> None:
    translate("ru", RUSSIAN)
    page = open_scorekeeper().page
    context.route("**/messages-fr-*.json", lambda route: route.abort())
    page.get_by_label("Язык").select_option("Français")
    expect(page.get_by_role("alert")).to_contain_text("The language could not be loaded.")
    expect(page.get_by_label("Язык")).to_have_value("ru")
    expect_language(page, "ru", "Запись игры за столом")
    assert not any(cookie["name"] == "language" for cookie in context.cookies())


def test_without_the_messages_the_page_is_english(open_scorekeeper: OpenScorekeeper, context: BrowserContext) -> None:
    context.route("**/messages-ru-*.json", lambda route: route.abort())
    expect_language(open_scorekeeper().page, "en", "Keep score at the table")


def test_a_new_version_is_in_the_chosen_language_also_without_a_network(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext, translate: Translate
) -> None:
    def name_older(route: Route) -> None:
        body, changed = re.subn(r'"[0-9a-f]{12}"', '"older"', route.fetch().text())
        assert changed == 1
        route.fulfill(status=200, content_type="text/javascript", body=body)

    translate("ru", RUSSIAN)
    context.route("**/scorekeeper/sw.js", name_older)
    page = open_scorekeeper().page
    wait_for_worker(page)
    wait_for_promise(page, HAS_CACHED, "ru")
    context.unroute("**/scorekeeper/sw.js")
    page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
    wait_for_promise(page, HAS_WAITING)
    older, newer = page.evaluate(LIST_CACHED, "ru")
    assert older == OLDER != newer
    context.unroute("**/messages-ru-*.json")
    context.set_offline(True)
    with page.expect_navigation():
        page.get_by_role("button", name="Load it").click()
    # The messages are those of the service: routes do not apply to a worker that is being installed.
    expect(page.locator("html")).to_have_attribute("lang", "ru")
    assert page.evaluate(LIST_CACHED, "ru") == [newer]


def test_hands_and_cards_are_in_the_language(open_scorekeeper: OpenScorekeeper, translate: Translate) -> None:
    translate("ru", {key: text for key, text in RUSSIAN.items() if key != "Link or API key"})
    scorekeeper: ScorekeeperPage = open_scorekeeper()
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    first = scorekeeper.page.locator('.seat[data-seat="1"]')
    expect(first.locator(".board-row.top .row-note")).to_contain_text("пара дам, кикер четвёрка")
    expect(first.locator('[data-place="1.top.0"] .hidden-text')).to_contain_text("дама пик")
    expect(scorekeeper.page.get_by_text("платит").first).to_be_visible()


def test_the_scoreboard_is_in_the_language_with_its_dates(
    open_page: OpenPage, table: LinkedTable, translate: Translate
) -> None:
    translate("ru", RUSSIAN)
    secret = str(table.link()["url"]).rpartition("/")[2].lstrip("#")
    page = open_page(f"/board/#{secret}")
    expect(page.locator(".board-state")).to_contain_text(
        re.compile("понедельник|вторник|среда|четверг|пятница|суббота|воскресенье")
    )
    expect(page).to_have_title(re.compile("· Табло$"))
    expect(page.locator("html")).to_have_attribute("lang", "ru")
