"""Without a network, points are added and players leave by the rules on the device, as the service records it later."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.oracle import play
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, list_players
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.rounds.test_between_hands import AGAIN, PLAIN, open_players, open_table
from tests.web.pages.test_offline_rounds import read_stacks, wait_until_stored
from tests.web.pages.test_rules_on_device import wait_for_rules, wait_until_rules_are_cached

pytestmark = pytest.mark.thorough


def play_first_hand(
    scorekeeper: ScorekeeperPage, ruleset: str, *, offline: BrowserContext | None = None
) -> dict[str, Any]:
    """Open a table with one recorded hand; then the network is lost."""
    round_ = open_table(scorekeeper, ruleset)
    hand = {"number": 1, "button": 3, "players": list_players(PLAIN)}
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    expect(scorekeeper.page.get_by_role("button", name="Enter hand 2")).to_be_visible()
    if offline is not None:
        wait_for_rules(scorekeeper)
        wait_until_rules_are_cached(scorekeeper)
        wait_until_stored(scorekeeper, round_)
        offline.set_offline(True)
    return round_


def let_ben_leave(page: Page) -> None:
    """Record without a network that ben leaves."""
    open_players(page)
    page.get_by_role("button", name="Leave: ben").tap()
    page.get_by_role("button", name="ben leaves").tap()
    expect(page.get_by_text("offline, 1 waiting")).to_be_visible()


@pytest.mark.with_rules
def test_players_add_points_and_leave_offline(open_scorekeeper: OpenScorekeeper, context: BrowserContext) -> None:
    scorekeeper = open_scorekeeper()
    round_ = play_first_hand(scorekeeper, "pineapple-qq", offline=context)
    page = scorekeeper.page
    let_ben_leave(page)
    expect(page.get_by_text("Departure of ben")).to_be_visible()
    expect(page.locator(".pill", has_text="left")).to_be_visible()
    expect(page.get_by_role("button", name="Leave: ben")).to_have_count(0)
    page.get_by_label("Points that cyd adds").fill("50")
    page.get_by_label("Points that cyd adds").press("Enter")
    expect(page.get_by_text("Before the next hand: cyd adds 50.")).to_be_visible()
    page.reload()
    wait_for_rules(scorekeeper)
    scorekeeper.enter_hand(2)
    expect(page.locator("[data-seat]")).to_have_count(2)
    scorekeeper.tap_cards(list_cards({seat: AGAIN[seat] for seat in (1, 3)}))
    expect(page.locator("[data-score]")).to_have_count(2)
    scorekeeper.save()
    # Everyone who still plays has had the button.
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    expect(page.get_by_text("offline, 2 waiting")).to_be_visible()
    stacks = read_stacks(scorekeeper)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["version"] == 2

    context.set_offline(False)
    scorekeeper.expect_sent()
    document = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")
    assert [(left["seat"], left["after_hand"]) for left in document["departures"]] == [(2, 1)]
    assert document["hands"][1]["top_ups"] == [{"seat": 3, "points": 50}]
    recorded = [seat["stack"] for seat in scorekeeper.get(f"/v1/rounds/{round_['id']}")["seats"]]
    settled = play(document, scorekeeper.get(f"/v1/rulesets/{round_['ruleset']}"))["settlement"]["stacks"]
    assert recorded == stacks == [settled[seat] for seat in ("1", "2", "3")]


@pytest.mark.with_rules
@pytest.mark.parametrize("is_offline", [False, True])
def test_a_departure_that_is_tapped_twice_is_recorded_once(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext, is_offline: bool
) -> None:
    scorekeeper = open_scorekeeper()
    round_ = play_first_hand(scorekeeper, "pineapple-qq", offline=context)
    if not is_offline:
        context.set_offline(False)
    page = scorekeeper.page
    open_players(page)
    page.get_by_role("button", name="Leave: ben").tap()
    page.get_by_role("button", name="ben leaves").dblclick()
    expect(page.locator(".pill", has_text="left")).to_be_visible()
    if is_offline:
        expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
        context.set_offline(False)
    scorekeeper.expect_sent()
    expect(page.get_by_role("alert")).to_have_count(0)
    departures = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")["departures"]
    assert [(left["seat"], left["after_hand"]) for left in departures] == [(2, 1)]


@pytest.mark.with_rules
def test_the_reason_against_top_ups_and_departures_is_shown_offline(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    scorekeeper = open_scorekeeper()
    play_first_hand(scorekeeper, "pineapple", offline=context)
    page = scorekeeper.page
    scorekeeper.enter_hand(2)
    scorekeeper.tap_cards(list_cards(AGAIN))
    expect(page.locator("[data-score]")).to_have_count(3)
    scorekeeper.save()
    scorekeeper.expect_hand(3)
    page.get_by_role("button", name="Back to the round").tap()
    expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
    open_players(page)
    panel = page.locator("section", has=page.get_by_role("heading", name="Top up or leave"))
    expect(panel).to_contain_text("Under the rules of this table, points are added only between rounds.")
    expect(panel).to_contain_text("Under the rules of this table, players leave only between rounds.")
    expect(panel.get_by_role("button")).to_have_count(0)
    page.locator('[data-hand="1"] summary').tap()
    expect(page.get_by_text("Its cards can be corrected when the waiting requests have been sent.")).to_be_visible()


def test_without_the_rules_changes_wait_for_the_network(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    scorekeeper = open_scorekeeper()
    play_first_hand(scorekeeper, "pineapple-qq")
    page = scorekeeper.page
    context.set_offline(True)
    scorekeeper.enter_hand(2)
    scorekeeper.tap_cards(list_cards(AGAIN))
    scorekeeper.save()
    expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
    explained = page.get_by_text("are possible when the waiting requests have been sent")
    expect(explained).to_be_visible()
    expect(page.get_by_role("button", name="Top up or leave")).to_have_count(0)
    expect(page.get_by_role("button", name="Undo hand 1")).to_have_count(0)
    context.set_offline(False)
    scorekeeper.expect_sent()
    expect(explained).to_have_count(0)
    scorekeeper.expect_hand(3)
    page.get_by_role("button", name="Back to the round").tap()
    open_players(page)
    expect(page.get_by_label("Points that ben adds")).to_be_visible()


@pytest.mark.with_rules
def test_a_departure_that_waited_names_the_hand_before_it(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    scorekeeper = open_scorekeeper()
    round_ = play_first_hand(scorekeeper, "pineapple-qq", offline=context)
    page = scorekeeper.page
    let_ben_leave(page)
    path = f"/v1/rounds/{round_['id']}"
    hand = {"number": 2, "button": 1, "players": list_players(AGAIN)}
    assert scorekeeper.api.post(f"{path}/hands", json=hand).status_code == 201

    context.set_offline(False)
    expect(page.get_by_text("The service refused: Departure of ben.")).to_be_visible()
    expect(page.get_by_text("Another device has recorded or undone a hand since.")).to_be_visible()
    assert scorekeeper.get(f"{path}/document")["departures"] == []
    page.get_by_role("button", name="Try again").tap()
    scorekeeper.expect_sent()
    [left] = scorekeeper.get(f"{path}/document")["departures"]
    assert (left["seat"], left["after_hand"]) == (2, 2)
