"""The console's pages of rounds and rulesets in a browser: replay, comparison and a new version of a ruleset."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.browser.check_page import check_width, check_with_axe
from tests.support.sample_rounds import COMPLETE, document_of
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES, OpenPage

EXAMPLES = Path(__file__).parents[4] / "examples"
MOST_STOPS = 200
"""How often Tab is pressed to reach something on a page."""


@pytest.fixture(scope="module")
def round_id(api: httpx2.Client) -> str:
    """A round with Fantasyland and hands accepted as played, which was corrected and is disputed."""
    document = json.loads((EXAMPLES / "progressive.json").read_text(encoding="utf-8"))
    valued = {**document, "table": "console", "point_value": 10, "unit": "EUR"}
    played = str(send(api, "/v1/documents", valued)["round"]["id"])
    top = {"hand": 1, "seat": 1, "row": "top", "cards": ["As", "Ad", "2h"]}
    correction = {"reason": "the camera shows another card", "irregular": "accept", "changes": [top]}
    version = api.get(f"/v1/rounds/{played}").json()["version"]
    send(api, f"/v1/rounds/{played}/corrections", {**correction, "version": version})
    send(api, "/v1/disputes", {"round": played, "claim": "the third card was another one", "by": "ann"})
    return played


def send(api: httpx2.Client, path: str, document: dict[str, Any]) -> Any:
    response = api.post(path, json=document)
    assert response.status_code == 201, response.text
    return response.json()


def sign_in(page: Page, key: str) -> None:
    page.get_by_label("API key").fill(key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


def check(page: Page) -> None:
    """Check a page with axe, and that it does not scroll sideways."""
    check_with_axe(page)
    check_width(page)


def tab_to(page: Page, target: Locator) -> None:
    """Move the focus to something with the Tab key only."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {target}")


def expect_hand(page: Page, number: int) -> None:
    """Wait until the page of a hand is loaded, with its script."""
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Hand {number} of 7 at console")
    page.wait_for_load_state()


def follow(page: Page, target: Locator) -> None:
    """Follow a link or press a button with keys only."""
    tab_to(page, target)
    page.keyboard.press("Enter")


@IN_BOTH_SCHEMES
def test_every_page_passes_axe(open_page: OpenPage, service: Running, key: str, round_id: str, scheme: Any) -> None:
    page = open_page("/console/")
    page.emulate_media(color_scheme=scheme)
    sign_in(page, key)
    paths = [
        "/rounds",
        "/rounds?unusual=true",
        "/rounds?player=nobody",
        f"/rounds/{round_id}",
        f"/rounds/{round_id}?revision=1",
        *(f"/rounds/{round_id}/hands/{number}" for number in (1, 2, 3, 7)),
        f"/rounds/{round_id}/revisions",
        f"/rounds/{round_id}/correction?hand=7",
        f"/rounds/{round_id}/verification",
        f"/links/new?round={round_id}",
        "/rulesets",
        "/rulesets/deuce-to-seven@1",
        "/rulesets/compare?from=pineapple@1&to=deuce-to-seven@1",
        "/rulesets/what-if?table=console&ruleset=pineapple@1",
        "/rulesets/new?from=turbo@1",
    ]
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        for path in paths:
            page.goto(f"{service.url}/console{path}")
            check(page)
    page.get_by_role("textbox", name="QQ", exact=True).first.fill("9")
    page.get_by_role("button", name="Show what changes").click()
    expect(page.get_by_role("heading", name="What turbo-house@1 changes")).to_be_visible()
    check(page)
    page.goto(f"{service.url}/console/links/new?round={round_id}")
    page.get_by_role("button", name="Issue the link").click()
    expect(page.get_by_role("img", name="QR code of the address")).to_be_visible()
    check(page)


def test_long_names_do_not_make_lists_scroll_sideways(
    open_page: OpenPage, service: Running, key: str, api: httpx2.Client
) -> None:
    players = [f"player-number-{seat}-with-a-long-id" for seat in (1, 2, 3)]
    document = document_of(
        table="The long table at the window of the back room",
        sitting={seat: f"{player} 100" for seat, player in enumerate(players, 1)},
        hands=COMPLETE,
        reference="2026-11-20 the third round of the evening",
        point_value=10,
        unit="EUR",
    )
    recorded = send(api, "/v1/documents", document)
    for player in players:
        named = api.put(f"/v1/players/{player}", json={"display_name": f"Maximilian Alexander of {player}"})
        assert named.status_code == 201, named.text
    page = open_page("/console/")
    sign_in(page, key)
    on_tablets = product((820,), ("/rounds", "/tables", "/players", "/ledger"))
    for width, path in (*on_tablets, *product((1280, 1440), ("/rounds", "/tables"))):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{service.url}/console{path}")
        wider = "boxes => boxes.map((each) => each.scrollWidth - each.clientWidth)"
        sizes = page.locator(".scroll").evaluate_all(wider)
        assert sizes
        assert max(sizes) <= 0, (path, width, sizes)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{service.url}/console/rounds/{recorded['round']['id']}")
    link = page.get_by_role("link", name="Hand 1", exact=True)
    expect(link).to_be_visible()
    assert link.evaluate("link => link.getClientRects().length") == 1, "not broken within a word"


def test_the_tabs_of_a_subject_are_one_line(open_page: OpenPage, service: Running, key: str) -> None:
    page = open_page("/console/")
    sign_in(page, key)
    for width, path in product((320, 390, 1280), ("/money", "/players")):
        page.set_viewport_size({"width": width, "height": 568})
        page.goto(f"{service.url}/console{path}")
        tabs = page.locator("main > .tabs a")
        tops = tabs.evaluate_all("all => all.map((each) => each.getBoundingClientRect().top)")
        assert len(tops) == (4 if path == "/money" else 2)
        assert len(set(tops)) == 1, (path, width)
        check_width(page)


def test_a_round_is_replayed_and_compared_with_keys_only(
    open_page: OpenPage, service: Running, key: str, round_id: str
) -> None:
    page = open_page("/console/")
    page.set_viewport_size({"width": 1280, "height": 800})
    sign_in(page, key)
    follow(page, page.get_by_role("link", name="Rounds", exact=True))
    tab_to(page, page.get_by_label("Table"))
    page.keyboard.type("console")
    page.keyboard.press("Enter")
    expect(page).to_have_url(
        f"{service.url}/console/rounds?table=console&player=&from=&to=&ruleset=&status=&state=&unusual=&sort=newest"
    )
    follow(page, page.locator(f"a[href='/console/rounds/{round_id}']"))
    follow(page, page.get_by_role("link", name="Replay from hand 1"))
    expect_hand(page, 1)
    cards = page.locator(".hand-rows .cards")
    expect(cards).to_have_count(9)
    tops = "cards => new Set([...cards.children].map(card => card.getBoundingClientRect().top)).size"
    assert cards.evaluate_all(f"rows => rows.map({tops})") == [1] * 9, "the cards of a row are beside each other"
    page.keyboard.press("ArrowRight")
    expect_hand(page, 2)
    expect(page.locator(".seat", has_text="bob").get_by_text("Button")).to_be_visible()
    expect(page.get_by_text("is accepted as played").first).to_be_visible()
    for key, number in (("ArrowRight", 3), ("ArrowLeft", 2), ("ArrowLeft", 1), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        expect_hand(page, number)
    follow(page, page.get_by_role("link", name="All hands").first)
    follow(page, page.get_by_role("link", name="Revisions", exact=True))
    expect(page.get_by_text("the camera shows another card")).to_be_visible()
    expect(page.locator("#hand-1 + .scroll")).to_contain_text("only here")
    tab_to(page, page.get_by_label("Compare", exact=True))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    follow(page, page.get_by_role("button", name="Compare"))
    expect(page.get_by_text("The two revisions have the same cards, points and payments.")).to_be_visible()


def test_a_new_version_is_made_with_keys_only(
    open_page: OpenPage, service: Running, key: str, api: httpx2.Client, round_id: str
) -> None:
    page = open_page("/console/")
    sign_in(page, key)
    rules = {**api.get("/v1/rulesets/progressive").json(), "name": "club-rules", "version": None}
    send(api, "/v1/rulesets", rules)
    page.goto(f"{service.url}/console/rulesets/club-rules@1")
    follow(page, page.get_by_role("link", name="New version"))
    tab_to(page, page.get_by_label("Bonus for a scoop"))
    page.keyboard.press("Control+A")
    page.keyboard.type("5")
    tab_to(page, page.get_by_label("Table whose newest rounds"))
    page.keyboard.type("console")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is stored yet. club-rules@2 would be version 2.")).to_be_visible()
    expect(page.locator("#what-if ~ .scroll .what-if")).to_contain_text("Difference in points")
    assert api.get("/v1/rulesets/club-rules@2").status_code == 404
    follow(page, page.get_by_role("button", name="Store club-rules@2"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Ruleset club-rules@2")
    stored = api.get("/v1/rulesets/club-rules@2").json()
    assert stored == {**rules, "version": 2, "points": {**rules["points"], "scoop_bonus": 5}}


def test_everything_works_without_scripts(
    browser: Browser, service: Running, key: str, api: httpx2.Client, round_id: str
) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(service.url + "/console/rounds?table=console")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.locator(f"a[href='/console/rounds/{round_id}']").click()
    page.get_by_role("link", name="Replay from hand 1").click()
    for number in range(2, 8):
        page.locator("a[rel=next]").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Hand {number} of 7 at console")
    page.get_by_role("link", name="All hands").first.click()
    page.get_by_role("link", name="Evidence").click()
    expect(page.get_by_text("every figure follows from the cards")).to_be_visible()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download the evidence").click()
    assert downloading.value.suggested_filename.startswith(f"evidence-{round_id}-")
    page.goto(service.url + "/console/rulesets/new?from=turbo@1")
    page.get_by_label("Name").fill("fast")
    page.get_by_role("button", name="Show what changes").click()
    page.get_by_role("button", name="Store fast@1").click()
    assert api.get("/v1/rulesets/fast").status_code == 200
    context.close()
