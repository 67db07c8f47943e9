"""Every screen of the scorekeeper's page passes axe in light and dark, and has targets for fingers."""

import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from service.http.problem_kinds import PROBLEM_KINDS
from tests.support.browser import check_page
from tests.support.browser.check_page import check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, list_players
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES, OpenScorekeeper
from tests.web.pages.test_joining import fragment_of

COLOUR = re.compile(r"#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(", re.IGNORECASE)


def check(scorekeeper: ScorekeeperPage) -> None:
    """Run axe on what the page shows now."""
    check_with_axe(scorekeeper.page)


def check_targets(scorekeeper: ScorekeeperPage) -> int:
    """Check the size of every button, and return how many there are."""
    check_width(scorekeeper.page)
    return check_page.check_targets(scorekeeper.page, "button:visible, summary:visible", is_wide=True)


@IN_BOTH_SCHEMES
def test_every_screen_passes_axe(open_scorekeeper: OpenScorekeeper, context: BrowserContext, scheme: Any) -> None:
    scorekeeper = open_scorekeeper()
    page = scorekeeper.page
    page.emulate_media(color_scheme=scheme)
    check(scorekeeper)
    table = scorekeeper.add_table()
    scorekeeper.join(remember=False)
    expect(page.get_by_role("heading", name="Choose a table")).to_be_visible()
    check(scorekeeper)
    page.get_by_role("button", name=table["name"]).click()
    for seat, player in enumerate(("ann", "ben", "cyd"), 1):
        page.get_by_label(f"Player in seat {seat}").fill(player)
        page.get_by_label(f"Stack of seat {seat}").fill("100")
    page.get_by_role("button", name="Button: seat 3").click()
    check(scorekeeper)
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    check(scorekeeper)
    scorekeeper.enter_hand()
    cards = list_cards()
    scorekeeper.tap_cards(cards[:17])
    check(scorekeeper)
    scorekeeper.tap_cards(cards[17:])
    expect(page.locator("[data-score]")).to_have_count(3)
    check(scorekeeper)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    check(scorekeeper)
    page.get_by_role("button", name="Back to the round").click()
    page.get_by_role("button", name="Undo hand 1").click()
    check(scorekeeper)


@IN_BOTH_SCHEMES
def test_everything_between_hands_passes_axe(open_scorekeeper: OpenScorekeeper, scheme: Any) -> None:
    scorekeeper = open_scorekeeper()
    page = scorekeeper.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    round_ = scorekeeper.add_round(ruleset="pineapple-qq")
    page.get_by_role("button", name="Top up or leave").click()
    page.get_by_label("Points that ben adds").fill("50")
    page.get_by_label("Points that ben adds").press("Enter")
    expect(page.get_by_text("ben adds 50")).to_be_visible()
    check(scorekeeper)
    check_targets(scorekeeper)
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    page.reload()
    page.get_by_role("button", name="Discard mine").click()
    check(scorekeeper)
    check_targets(scorekeeper)
    page.get_by_role("button", name="Discard ben adds 50").click()
    page.locator("summary").click()
    check(scorekeeper)
    page.get_by_role("button", name="queen of diamonds").click()
    check(scorekeeper)
    check_targets(scorekeeper)
    page.locator('[data-choose="3d"]').click()
    expect(page.locator(".side-by-side")).to_be_visible()
    check(scorekeeper)
    check_targets(scorekeeper)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Top up or leave").click()
    expect(page.locator(".panel .notice")).to_be_visible()
    check(scorekeeper)
    page.get_by_role("button", name="Settle up").click()
    expect(page.get_by_text("The open round counts nothing until it is closed.")).to_be_visible()
    check(scorekeeper)
    check_targets(scorekeeper)
    page.get_by_role("button", name="Tonight").click()
    expect(page.locator(".settle-lines li").first).to_be_visible()
    check(scorekeeper)
    check_targets(scorekeeper)
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"}).status_code == 200
    page.reload()
    expect(page.get_by_role("button", name="Open the round")).to_be_visible()
    page.locator("summary").click()
    page.get_by_role("button", name="Dispute hand 1").click()
    page.get_by_role("button", name="Earlier rounds").click()
    expect(page.get_by_text("The table has no earlier rounds.")).to_be_visible()
    check(scorekeeper)
    check_targets(scorekeeper)


@pytest.mark.thorough
@IN_BOTH_SCHEMES
def test_everything_about_a_failing_network_passes_axe(
    open_scorekeeper: OpenScorekeeper, api: httpx2.Client, context: BrowserContext, scheme: Any
) -> None:
    table = LinkedTable(api)
    link = table.link("scorekeeper")
    scorekeeper = open_scorekeeper(f"/scorekeeper/{fragment_of(link)}")
    page = scorekeeper.page
    page.emulate_media(color_scheme=scheme)
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    context.set_offline(True)
    scorekeeper.tap_cards(list_cards())
    expect(page.get_by_text("score after sync")).to_be_visible()
    check(scorekeeper)
    scorekeeper.save()
    expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
    check(scorekeeper)
    other = {"number": 1, "button": 1, "players": list_players()}
    assert api.post(f"/v1/rounds/{table.round}/hands", json=other).status_code == 201
    context.set_offline(False)
    expect(page.get_by_text("The service refused: Hand 1.")).to_be_visible()
    check(scorekeeper)
    check_targets(scorekeeper)
    table.revoke(link)
    ended = page.get_by_role("alert").filter(has_text="Ask for another link")
    expect(ended).to_be_visible()
    check(scorekeeper)
    ended.get_by_role("button").click()
    expect(page.get_by_label("Link or API key")).to_be_visible()
    check(scorekeeper)
    check_targets(scorekeeper)


@pytest.mark.thorough
@IN_BOTH_SCHEMES
@pytest.mark.parametrize(
    "path", ["/", "/problems", f"/problems/{min(PROBLEM_KINDS)}", "/console/sign-in", "/v1/hands/{hand}/explanation"]
)
def test_other_pages_pass_axe(browser: Browser, service: Running, api: httpx2.Client, path: str, scheme: Any) -> None:
    table = LinkedTable(api)
    path = path.format(hand=table.play(1)["id"])
    headers = {"Authorization": api.headers["Authorization"], "Accept": "text/html"}
    # axe runs in the page, which may allow no scripts.
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, extra_http_headers=headers)
    page = context.new_page()
    page.goto(service.url + path)
    check_with_axe(page, least=5)
    context.close()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1280, 800)])
def test_targets_are_large_enough_for_fingers(open_scorekeeper: OpenScorekeeper, width: int, height: int) -> None:
    scorekeeper = open_scorekeeper()
    scorekeeper.page.set_viewport_size({"width": width, "height": height})
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.tap_cards(["As", "Ks"])
    assert check_targets(scorekeeper) > 52 + 39
    deck = scorekeeper.page.locator(".deck").bounding_box()
    assert deck is not None
    assert deck["y"] + deck["height"] <= height, "the deck is on the screen without scrolling"


def test_the_screen_does_not_need_colour_or_motion(open_scorekeeper: OpenScorekeeper) -> None:
    scorekeeper = open_scorekeeper()
    scorekeeper.page.emulate_media(reduced_motion="reduce", forced_colors="active")
    scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.tap_cards(list_cards()[:14])
    expect(scorekeeper.page.locator(".place.filled")).to_have_count(14)
    assert "♣" in scorekeeper.page.locator('[data-place="2.top.0"]').inner_text()
    duration = "getComputedStyle(document.querySelector('.button')).transitionDuration"
    assert set(scorekeeper.page.evaluate(duration).split(", ")) == {"0s"}
    scorekeeper.page.emulate_media(reduced_motion="no-preference")
    assert "0s" not in scorekeeper.page.evaluate(duration).split(", ")


def test_the_styles_have_no_fixed_colours_beside_the_tokens() -> None:
    folder = Path(__file__).parents[3] / "web" / "src"
    sheets = [sheet for sheet in folder.rglob("*.css") if sheet.name != "tokens.css"]
    assert len(sheets) >= 4
    assert [sheet.name for sheet in sheets if COLOUR.search(sheet.read_text(encoding="utf-8"))] == []
