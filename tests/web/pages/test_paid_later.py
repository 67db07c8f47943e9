"""Under scope `round`, pages show the points of each hand, and with the last one the payments of the whole round."""

import re
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.linked_table import THIRD, LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards
from tests.web.pages.conftest import OpenPage
from tests.web.pages.rounds.test_history import open_hand
from tests.web.pages.test_rules_on_device import wait_for_rules

pytestmark = pytest.mark.thorough
OTHER_SUITS = str.maketrans("cdhs", "dhsc")
LAST = {seat: tuple(row.translate(OTHER_SUITS) for row in rows) for seat, rows in THIRD.items()}
"""Boards that score as those before, with other cards."""
LATER = "Paid at the end of the round"
OF_THE_ROUND = "Payments of the round"


@pytest.fixture
def table(api: httpx2.Client) -> LinkedTable:
    return LinkedTable(api, ruleset="progressive-round")


def show_points(hand: dict[str, Any]) -> list[str]:
    """Return the points of the players of a hand as pages show them."""
    points = [player["points"] for player in hand["players"]]
    assert any(points)
    return [f"{each:+d}".replace("-", "−") for each in points]


def list_payments(hand: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    """Return the payments of a hand as pages show them."""
    return [f"{names[each['payer'] - 1]} pays {names[each['payee'] - 1]}" for each in hand["transfers"]]


@pytest.mark.with_rules
def test_the_scorekeeper_shows_points_of_hands_and_payments_of_the_round(
    scorekeeper: ScorekeeperPage, table: LinkedTable
) -> None:
    page = scorekeeper.page
    scorekeeper.join()
    page.get_by_role("button", name=table.name).click()
    wait_for_rules(scorekeeper)
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards(THIRD))
    expect(page.locator(".result")).to_contain_text(LATER)
    shown = page.locator(".result .points").all_inner_texts()
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    page.get_by_role("button", name="Back to the round").click()
    scorekeeper.expect_sent()
    open_hand(page, 1)
    [hand] = table.get(f"/v1/rounds/{table.round}/hands")["hands"]
    assert hand["transfers"] == []
    assert shown == show_points(hand)
    expect(page.locator("summary .figure")).to_have_text(shown)
    expect(page.locator(".hand-details")).to_contain_text(LATER)

    table.play_again(2)
    page.get_by_role("button", name="Enter hand 3").click()
    scorekeeper.tap_cards(list_cards(LAST))
    expect(page.locator(".result")).to_contain_text(OF_THE_ROUND)
    expect(page.locator(".result")).to_contain_text("The round is complete.")
    scorekeeper.save()
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    scorekeeper.expect_sent()
    open_hand(page, 3)
    last = table.get(f"/v1/rounds/{table.round}/hands")["hands"][-1]
    expect(page.locator('details[data-hand="3"] summary .figure')).to_have_text(show_points(last))


def play_round(table: LinkedTable) -> list[dict[str, Any]]:
    table.complete()
    hands: list[dict[str, Any]] = table.get(f"/v1/rounds/{table.round}/hands")["hands"]
    return hands


def test_the_history_shows_points_of_the_last_hand_and_payments_of_the_round(
    scorekeeper: ScorekeeperPage, table: LinkedTable
) -> None:
    last = play_round(table)[-1]
    assert last["transfers"]
    scorekeeper.join()
    scorekeeper.page.get_by_role("button", name=table.name).click()
    open_hand(scorekeeper.page, 3)
    shown = scorekeeper.page.locator('details[data-hand="3"]')
    expect(shown.locator("summary .figure")).to_have_text(show_points(last))
    expect(shown.get_by_role("heading", name=OF_THE_ROUND)).to_be_visible()
    for payment in list_payments(last, table.names):
        expect(shown.locator(".payments")).to_contain_text(payment)


def test_the_board_shows_points_of_the_last_hand(table: LinkedTable, open_page: OpenPage) -> None:
    hand = table.play(1, THIRD)
    page = open_board(open_page, table)
    expect(page.locator(".board-head")).to_contain_text("Hand 2 · paid at the end of the round")
    expect(page.locator(".last-head .figure")).to_have_text(show_points(hand))
    for number in (2, 3):
        hand = table.play_again(number)
    expect(page.get_by_text("Round complete after 3 hands")).to_be_visible()
    expect(page.locator(".last-head .figure")).to_have_text(show_points(hand))


def open_board(open_page: OpenPage, table: LinkedTable) -> Page:
    secret = table.link()["url"].rpartition("/")[2].lstrip("#")
    return open_page(f"/board/#{secret}")


def test_the_players_page_shows_points_of_hands_and_payments_of_the_round(
    table: LinkedTable, open_page: OpenPage
) -> None:
    hands = play_round(table)
    page = open_page(re.sub(r"^https?://[^/]+", "", table.link()["url"]))
    page.locator(".rounds a").click()
    for hand in hands:
        shown = page.locator(f"#hand-{hand['number']}")
        expect(shown.locator("h4 .points")).to_have_text(show_points(hand))
        expect(shown.get_by_text("before caps")).to_have_count(0)
    expect(page.locator("#hand-2")).to_contain_text(LATER)
    last = page.locator("#hand-3")
    expect(last).to_contain_text(OF_THE_ROUND)
    expect(last.locator(".payments li")).to_have_count(len(hands[-1]["transfers"]))
