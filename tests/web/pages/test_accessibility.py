"""Every screen of the scorekeeper's page passes axe in light and dark, and has targets for fingers."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.keeper_page import KeeperPage, list_cards
from tests.web.conftest import PACKAGES
from tests.web.pages.conftest import OpenKeeper

pytestmark = pytest.mark.thorough
AXE = (PACKAGES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
TARGET_PIXELS = 44


def check(keeper: KeeperPage) -> None:
    """Run axe on what the page shows now."""
    keeper.page.wait_for_timeout(300)
    keeper.page.evaluate(AXE)
    found: Any = keeper.page.evaluate("axe.run({resultTypes: ['violations', 'passes']})")
    violations = [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]]
    assert violations == []
    assert len(found["passes"]) > 10


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_screen_passes_axe(open_keeper: OpenKeeper, context: BrowserContext, scheme: Any) -> None:
    keeper = open_keeper()
    page = keeper.page
    page.emulate_media(color_scheme=scheme)
    check(keeper)
    table = keeper.add_table()
    keeper.join(remember=False)
    expect(page.get_by_role("heading", name="Choose a table")).to_be_visible()
    check(keeper)
    page.get_by_role("button", name=table["name"]).click()
    for seat, player in enumerate(("ann", "ben", "cyd"), 1):
        page.get_by_label(f"Player in seat {seat}").fill(player)
        page.get_by_label(f"Stack of seat {seat}").fill("100")
    page.get_by_role("button", name="Button: seat 3").click()
    check(keeper)
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    check(keeper)
    keeper.enter_hand()
    cards = list_cards()
    keeper.tap_cards(cards[:17])
    check(keeper)
    keeper.tap_cards(cards[17:])
    expect(page.locator("[data-score]")).to_have_count(3)
    check(keeper)
    keeper.save()
    keeper.expect_hand(2)
    check(keeper)
    page.get_by_role("button", name="Back to the round").click()
    page.get_by_role("button", name="Undo hand 1").click()
    check(keeper)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1280, 800)])
def test_targets_are_large_enough_for_fingers(open_keeper: OpenKeeper, width: int, height: int) -> None:
    keeper = open_keeper()
    keeper.page.set_viewport_size({"width": width, "height": height})
    keeper.add_round()
    keeper.enter_hand()
    keeper.tap_cards(["As", "Ks"])
    boxes = [each.bounding_box() for each in keeper.page.locator("button:visible").all()]
    assert len(boxes) > 52 + 39
    small = [
        box
        for box in boxes
        if box and (round(box["width"], 1) < TARGET_PIXELS or round(box["height"], 1) < TARGET_PIXELS)
    ]
    assert small == []
    assert keeper.page.evaluate("document.documentElement.scrollWidth") <= width
    deck = keeper.page.locator(".deck").bounding_box()
    assert deck is not None
    assert deck["y"] + deck["height"] <= height, "the deck is on the screen without scrolling"


def test_the_screen_does_not_need_colour_or_motion(open_keeper: OpenKeeper) -> None:
    keeper = open_keeper()
    keeper.page.emulate_media(reduced_motion="reduce", forced_colors="active")
    keeper.add_round()
    keeper.enter_hand()
    keeper.tap_cards(list_cards()[:14])
    assert "♣" in keeper.page.locator('[data-place="2.top.0"]').inner_text()
    assert keeper.page.evaluate("getComputedStyle(document.querySelector('.place')).transitionDuration") == "0s, 0s"


def test_the_styles_have_no_fixed_colours_beside_the_tokens() -> None:
    folder = Path(PACKAGES).parent / "src"
    sheets = [sheet for sheet in folder.rglob("*.css") if sheet.name != "tokens.css"]
    assert len(sheets) >= 4
    assert [sheet.name for sheet in sheets if "#" in sheet.read_text(encoding="utf-8")] == []
