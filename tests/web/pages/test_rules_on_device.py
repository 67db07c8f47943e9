"""With the rules on the device, hands are scored without a network, as the service scores them."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.keeper_page import SECOND, KeeperPage, list_cards
from tests.web.pages.conftest import OpenKeeper
from tests.web.pages.test_offline import wait_for_worker

pytestmark = [pytest.mark.thorough, pytest.mark.with_rules]
LOADING = 120_000
"""Milliseconds in which the rules are loaded, on a busy machine."""


def wait_for_rules(keeper: KeeperPage) -> None:
    expect(keeper.page.get_by_text("Rules on this device: scorer version 1")).to_be_visible(timeout=LOADING)


def read_scores(keeper: KeeperPage) -> list[str]:
    """Return what the page shows as the result of a hand."""
    expect(keeper.page.locator("[data-score]")).to_have_count(3)
    return keeper.page.locator(".result [data-score], .result-parts").all_inner_texts()


def stacks_of(recorded: dict[str, Any]) -> list[str]:
    return [f"stack {recorded['stacks'][seat]}" for seat in ("1", "2", "3")]


def test_two_hands_are_scored_offline_and_recorded_with_the_same_result(
    open_keeper: OpenKeeper, context: BrowserContext
) -> None:
    keeper = open_keeper()
    round_ = keeper.add_round()
    wait_for_worker(keeper.page)
    wait_for_rules(keeper)
    context.set_offline(True)
    keeper.enter_hand()
    keeper.choose_button(3)
    keeper.tap_cards(list_cards())
    first = read_scores(keeper)
    keeper.save()
    keeper.expect_hand(2)
    keeper.tap_cards(list_cards(SECOND))
    second = read_scores(keeper)
    keeper.save()
    expect(keeper.page.get_by_text("offline, 2 waiting")).to_be_visible()
    assert keeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 0

    context.set_offline(False)
    expect(keeper.page.get_by_text("waiting")).to_have_count(0, timeout=30_000)
    recorded = keeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    assert [each["number"] for each in recorded] == [1, 2]
    for shown, hand in zip((first, second), recorded, strict=True):
        for text, stack in zip(shown[:3], stacks_of(hand), strict=True):
            assert stack in text


def test_the_rules_are_loaded_from_the_device_without_a_network(
    open_keeper: OpenKeeper, context: BrowserContext
) -> None:
    keeper = open_keeper()
    keeper.add_round()
    wait_for_worker(keeper.page)
    # Only now does the worker see what the page loads.
    keeper.page.reload()
    wait_for_rules(keeper)
    keeper.enter_hand()
    keeper.choose_button(3)
    context.set_offline(True)
    keeper.page.close()
    offline = open_keeper()
    offline.expect_hand(1)
    offline.tap_cards(list_cards())
    expect(offline.page.locator("[data-score]")).to_have_count(3, timeout=LOADING)
    assert len(read_scores(offline)) == 4


def test_caps_are_applied_offline(open_keeper: OpenKeeper, context: BrowserContext) -> None:
    keeper = open_keeper()
    keeper.add_round(stack=1)
    wait_for_rules(keeper)
    context.set_offline(True)
    keeper.enter_hand()
    keeper.choose_button(3)
    keeper.tap_cards(list_cards())
    shown = " ".join(read_scores(keeper))
    assert "has no more" in shown
    assert "before caps" in shown
