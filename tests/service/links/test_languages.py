"""The language of the pages of links: chosen by the browser, changed by the user, and English for everybody else."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.service.links.linked_table import issue
from tests.service.links.test_link_pages import parse, text_in
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import complete_round

CYRILLIC: Final = re.compile(r"[\u0400-\u04ff]")


class Reader:
    """A browser with the link of a player, which prefers some languages."""

    def __init__(self, house: House, address: str, prefers: str | None = None) -> None:
        self.address = address
        self.browser: FlaskClient = house.app.test_client()
        self._headers = {} if prefers is None else {"Accept-Language": prefers}

    def get(self, path: str = "") -> TestResponse:
        return self.browser.get(self.address + path, headers=self._headers)

    def choose(self, language: str, page: str = "") -> TestResponse:
        return self.browser.post(f"{self.address}/language", data={"language": language, "page": page})

    def language_of(self, path: str = "") -> str:
        page = self.get(path)
        language = str(parse(page).get("lang"))
        assert page.headers["Content-Language"] == language
        return language


@pytest.fixture
def round_id(api: Api) -> str:
    return complete_round(api)


@pytest.fixture
def address(api: Api, round_id: str) -> str:
    table = str(api.get(f"/v1/rounds/{round_id}")["table"])
    return str(issue(api, table, kind="player", player="bob")["url"]).removeprefix("http://localhost")


PREFERRED = [
    (None, "en"),
    ("sv", "en"),
    ("de", "de"),
    ("de-AT, en;q=0.5", "de"),
    ("en-US, ru;q=0.9", "en"),
    ("sv, ru;q=0.4, fr;q=0.8", "fr"),
    ("*", "en"),
    ("%%%", "en"),
]


@pytest.mark.parametrize(("prefers", "language"), PREFERRED)
def test_a_page_has_the_language_that_the_browser_prefers(
    house: House, address: str, prefers: str | None, language: str
) -> None:
    assert Reader(house, address, prefers).language_of() == language


def test_the_choice_of_the_user_is_the_language_of_every_page(house: House, address: str, round_id: str) -> None:
    reader = Reader(house, address, "de")
    page = f"/rounds/{round_id}/hands/1"
    changed = reader.choose("ru", page)
    assert (changed.status_code, changed.headers["Location"]) == (303, address + page)
    cookie = reader.browser.get_cookie("language")
    assert cookie is not None
    assert (cookie.value, cookie.path, cookie.same_site, cookie.max_age) == ("ru", "/", "Lax", 31_536_000)
    for path in ("", f"/rounds/{round_id}", page):
        assert reader.language_of(path) == "ru"
    reader.choose("en")
    assert reader.language_of() == "en"


def test_every_page_has_a_form_that_leads_back_to_it(house: House, address: str, round_id: str) -> None:
    reader = Reader(house, address)
    for path in ("", f"/rounds/{round_id}", f"/rounds/{round_id}/hands/2"):
        document = parse(reader.get(path))
        [form] = [each for each in document.iter("form") if each.get("class") == "languages"]
        assert form.get("action") == f"{address}/language"
        assert [each.get("value") for each in form.iter("input")] == [path]
        buttons = {str(each.get("value")): each for each in form.iter("button")}
        assert list(buttons) == ["en", "ru", "de", "fr"]
        assert [code for code, each in buttons.items() if each.get("aria-pressed")] == ["en"]


@pytest.mark.parametrize("cookie", ["", "xx", "ru-RU", "../ru", "EN"])
def test_an_unknown_language_in_the_cookie_is_ignored(house: House, address: str, cookie: str) -> None:
    reader = Reader(house, address, "fr")
    reader.browser.set_cookie("language", cookie)
    assert reader.language_of() == "fr"


@pytest.mark.parametrize(
    ("language", "page"),
    [
        ("xx", ""), ("", ""), ("RU", ""), ("ru", "//evil.example"), ("ru", "/../../console"), ("ru", ".evil.example"),
        ("ru", "https://evil.example"), ("ru", "/\\evil.example"), ("ru", "@evil.example"),
        ("ru", "/rounds/x\r\nSet-Cookie: a=b"),
    ],
)  # as a table  # fmt: skip
def test_other_languages_and_addresses_are_refused(house: House, address: str, language: str, page: str) -> None:
    reader = Reader(house, address)
    refused = reader.choose(language, page)
    assert refused.status_code == 404
    assert "Location" not in refused.headers
    assert reader.browser.get_cookie("language") is None


def test_responses_depend_on_the_language_and_are_not_stored(house: House, address: str) -> None:
    for page in (Reader(house, address).get(), Reader(house, "/links/unknown").get()):
        assert {"Accept-Language", "Cookie"} <= set(page.vary)
        assert page.headers["Cache-Control"] == "no-store"


def test_a_page_is_in_the_language_with_its_dates_and_numbers(house: House, address: str, round_id: str) -> None:
    german = Reader(house, address, "de")
    shown = text_in(parse(german.get(f"/rounds/{round_id}")))
    assert re.search(r"(Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag), \d+\. \w+ \d{4}", shown)
    assert "Runde 1, " in shown
    assert "Woher jeder Punkt kommt" in shown
    russian = Reader(house, address, "ru")
    assert "Круг 1, " in text_in(parse(russian.get(f"/rounds/{round_id}")))  # noqa: RUF001  # Russian
    assert [each.text for each in parse(Reader(house, "/links/unknown", "ru").get()).iter("h1")] == [
        "Эта ссылка не работает"
    ]


def test_a_hand_is_described_in_the_language(house: House, address: str, round_id: str) -> None:
    explained = {
        language: "".join(
            text_in(parse(Reader(house, address, language).get(f"/rounds/{round_id}/hands/{hand}"))) for hand in (1, 2)
        )
        for language in ("en", "de", "ru")
    }
    assert "pair of jacks" in explained["en"]
    assert "Bubenpaar" in explained["de"]
    assert "пара валетов" in explained["ru"]


def test_a_refused_form_is_explained_in_the_language(house: House, address: str, round_id: str) -> None:
    reader = Reader(house, address, "de")
    refused = reader.browser.post(
        f"{address}/rounds/{round_id}",
        data={"action": "confirm", "revision": "7"},
        headers={"Accept-Language": "de"},
    )
    [alert] = [each for each in parse(refused).iter("p") if each.get("role") == "alert"]
    assert str(alert.text).startswith("Die Ergebnisse haben sich seit dem Öffnen dieser Seite geändert.")


@pytest.fixture
def speaker(house: House) -> Iterator[FlaskClient]:
    """A browser whose user has chosen Russian."""
    with house.app.test_client() as browser:
        browser.set_cookie("language", "ru")
        yield browser


def test_the_api_and_the_console_stay_english(api: Api, speaker: FlaskClient, round_id: str) -> None:
    headers = {"Accept-Language": "ru", "Authorization": f"Bearer {api.key}"}
    hand = api.get(f"/v1/rounds/{round_id}/hands")["hands"][0]["id"]
    for path, media_type in ((f"/v1/hands/{hand}/explanation", "text/html"), ("/v1/rounds/x", "application/json")):
        response = speaker.get(path, headers={**headers, "Accept": media_type})
        assert not CYRILLIC.search(response.text)
        assert "Content-Language" not in response.headers
    console = speaker.get("/console/", headers={"Accept-Language": "ru"}, follow_redirects=True)
    assert parse(console).get("lang") == "en"
    assert not CYRILLIC.search(console.text)
