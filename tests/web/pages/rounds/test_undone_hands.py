"""A hand that was undone on the page has its cards: they are changed and saved, or saved again as they were."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.rounds.test_between_hands import PLAIN, open_table
from tests.web.pages.rounds.test_history import record_both
from tests.web.pages.rounds.test_last_hand import fill
from tests.web.pages.test_accessibility import check, check_targets
from tests.web.pages.test_offline_rounds import wait_until_stored
from tests.web.pages.test_rules_on_device import wait_for_rules

pytestmark = pytest.mark.thorough

PLAYED_AT: Final = "2026-01-02T20:00:00Z"


def undo(page: Page, number: int, reason: str | None = None) -> None:
    page.get_by_role("button", name=f"Undo hand {number}").tap()
    if reason is not None:
        page.get_by_role("group", name="Suggestions").get_by_role("button", name=reason).tap()
    page.get_by_role("button", name=f"Undo hand {number}").tap()
    page.get_by_role("button", name=f"Change hand {number}").tap()


def collect_hands(page: Page) -> list[dict[str, Any]]:
    """Collect the hands that the page sends to be recorded."""
    sent: list[dict[str, Any]] = []

    def collect(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/hands"):
            sent.append(json.loads(request.post_data or ""))

    page.on("request", collect)
    return sent


@pytest.fixture
def undone(scorekeeper: ScorekeeperPage) -> Callable[[], str]:
    """Return what undoes the second hand of a round on the page, and returns the path of the round."""

    def undo_second() -> str:
        round_ = scorekeeper.add_round()
        record_both(scorekeeper, round_["id"], played_at=PLAYED_AT)
        expect(scorekeeper.page.get_by_role("button", name="Enter hand 3")).to_be_visible()
        wait_until_stored(scorekeeper, round_)
        undo(scorekeeper.page, 2, "Wrong card")
        scorekeeper.expect_hand(2)
        expect(scorekeeper.page.locator(".place.filled")).to_have_count(39)
        return f"/v1/rounds/{round_['id']}"

    return undo_second


def test_the_cards_of_an_undone_hand_are_changed_and_saved(
    scorekeeper: ScorekeeperPage, undone: Callable[[], str]
) -> None:
    path = undone()
    page = scorekeeper.page
    before = scorekeeper.get(f"{path}/hands?revision=1")["hands"][1]
    assert scorekeeper.get(f"{path}/settlement")["reason"] == "Wrong card"
    expect(page.get_by_text("The cards of hand 2 before the undo.")).to_be_visible()
    expect(page.get_by_role("button", name="Undo the last tap")).to_be_disabled()
    check(scorekeeper)
    check_targets(scorekeeper)
    sent = collect_hands(page)
    scorekeeper.tap('[data-place="1.top.2"]')
    scorekeeper.tap_card("2d")
    scorekeeper.save()
    scorekeeper.expect_hand(3)
    scorekeeper.expect_sent()
    assert [hand.get("restores") for hand in sent] == [None]
    document = scorekeeper.get(f"{path}/document")
    assert document["hands"][1]["players"][0]["top"] == ["Ah", "Ad", "2d"]
    assert [player["fantasyland"] for player in document["hands"][1]["players"]] == [14, 0, 14]
    hands = [before, scorekeeper.get(f"{path}/hands")["hands"][1]]
    assert [hand["played_at"] for hand in hands] == [PLAYED_AT, PLAYED_AT]


def test_an_undone_hand_that_is_saved_as_it_was_counts_again(
    scorekeeper: ScorekeeperPage, undone: Callable[[], str]
) -> None:
    path = undone()
    [first, second] = scorekeeper.get(f"{path}/hands?revision=1")["hands"]
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    sent = collect_hands(scorekeeper.page)
    scorekeeper.save()
    scorekeeper.expect_hand(3)
    scorekeeper.expect_sent()
    assert [hand.get("restores") for hand in sent] == [None, second["id"]]
    expect(scorekeeper.page.get_by_role("alert")).to_have_count(0)
    [kept, restored] = scorekeeper.get(f"{path}/hands")["hands"]
    assert kept["id"] == first["id"]
    assert restored["stacks"] == second["stacks"]


def test_the_cards_of_an_undone_hand_are_cleared(scorekeeper: ScorekeeperPage, undone: Callable[[], str]) -> None:
    undone()
    page = scorekeeper.page
    page.get_by_role("button", name="Clear").tap()
    expect(page.locator(".place.filled")).to_have_count(0)
    expect(page.get_by_text("before the undo")).to_have_count(0)
    expect(page.locator('[data-seat="3"] .dealer')).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Back to the round").tap()
    expect(page.get_by_role("button", name="Enter hand 2")).to_be_visible()


@pytest.mark.with_rules
def test_hands_are_undone_and_saved_again_without_a_network(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    """The first one is recorded, and the second one waits with its undo: both count again when they are sent."""
    scorekeeper = open_scorekeeper()
    round_ = open_table(scorekeeper, "pineapple")
    page, path = scorekeeper.page, f"/v1/rounds/{round_['id']}"
    wait_for_rules(scorekeeper)
    scorekeeper.enter_hand()
    fill(scorekeeper)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    context.set_offline(True)
    page.get_by_role("button", name="Back to the round").tap()
    undo(page, 1)
    scorekeeper.expect_hand(1)
    expect(page.locator('[data-seat="3"] .dealer')).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-score]")).to_have_count(3)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    page.get_by_role("button", name="Back to the round").tap()
    undo(page, 1)
    expect(page.locator("[data-score]")).to_have_count(3)
    page.reload()
    expect(page.locator("[data-score]")).to_have_count(3, timeout=120_000)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    expect(page.get_by_text("offline, 4 waiting")).to_be_visible()
    context.set_offline(False)
    scorekeeper.expect_sent()
    expect(page.get_by_role("alert")).to_have_count(0)
    assert scorekeeper.get(path)["hands"] == 1
    [hand] = scorekeeper.get(f"{path}/document")["hands"]
    assert [row.split() for row in PLAIN[1]] == [hand["players"][0][row] for row in ("top", "middle", "bottom")]
