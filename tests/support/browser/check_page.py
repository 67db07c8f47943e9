"""Checks what a page shows: with axe, for its width, and for the size of what a finger reaches."""

from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

from tests.support.browser.scorekeeper_page import wait_for_animations

TARGET_PIXELS: Final = 44
CONTROLS: Final = (
    "button:not([aria-hidden]):visible, .button:visible, select:visible, input:not([type=checkbox]):visible"
)
_PACKAGES: Final = Path(__file__).parents[3] / "web" / "node_modules"
_AXE: Final = (_PACKAGES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def check_with_axe(page: Page, least: int = 10) -> None:
    """Check that axe finds nothing wrong, and that it has checked more than the least number of rules."""
    wait_for_animations(page)
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_AXE)
    # The elements that pass are not listed: that takes most of the time.
    result: Any = page.evaluate("axe.run({resultTypes: ['violations']})")
    violations = [(each["id"], [node["html"] for node in each["nodes"]]) for each in result["violations"]]
    assert violations == [], page.url
    assert len(result["passes"]) > least


def check_width(page: Page) -> None:
    """Check that the page does not scroll sideways; on a phone and a tablet, its lists neither."""
    size = page.viewport_size
    assert size is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], page.url
    if page.evaluate("matchMedia('(max-width: 60rem)').matches"):
        wide = page.locator(".scroll:has(> .stacked)").evaluate_all(
            "boxes => boxes.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.ariaLabel)"
        )
        assert wide == [], page.url


def check_targets(page: Page, selector: str = CONTROLS, *, is_wide: bool = False) -> int:
    """Check that controls are high enough for a finger, and wide enough if wanted. Return how many there are."""
    boxes: list[tuple[str, float, float]] = page.locator(selector).evaluate_all(
        """elements => elements.map((each) => {
            const { width, height } = each.getBoundingClientRect();
            return [each.outerHTML, Math.round(width * 10) / 10, Math.round(height * 10) / 10];
        })"""
    )
    small = [box for box in boxes if box[2] < TARGET_PIXELS or (is_wide and box[1] < TARGET_PIXELS)]
    assert small == [], page.url
    return len(boxes)
