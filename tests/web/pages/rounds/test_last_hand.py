"""What follows a saved hand: its result above the next one, a rebuy, and the next round."""

from http import HTTPStatus
from typing import Any, Final

import pytest
from playwright.sync_api import BrowserContext, Locator, Route, expect

from tests.support.browser.linked_table import THIRD
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, list_players
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.rounds.test_between_hands import AGAIN, PLAIN, open_table
from tests.web.pages.test_accessibility import check, check_targets
from tests.web.pages.test_rules_on_device import wait_for_rules

pytestmark = pytest.mark.thorough

LATENCY: Final = {"offline": False, "latency": 3_000, "downloadThroughput": -1, "uploadThroughput": -1}


def last_hand(scorekeeper: ScorekeeperPage) -> Locator:
    return scorekeeper.page.locator(".notice.saved")


def fill(scorekeeper: ScorekeeperPage, boards: dict[int, tuple[str, ...]] = PLAIN, button: int | None = 3) -> None:
    """Enter a hand until it is scored."""
    if button is not None:
        scorekeeper.choose_button(button)
    scorekeeper.tap_cards(list_cards(boards))
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(len(boards))


def describe(hand: dict[str, Any], before: dict[str, int]) -> str:
    """Return what the page says of a hand: what each player won or lost with it."""
    names = {str(player["seat"]): player["player"] for player in hand["players"]}
    won = {seat: hand["stacks"][seat] - before[seat] for seat in names}
    return ", ".join(f"{names[seat]} {won[seat]:+d}".replace("-", "−").replace("+0", "0") for seat in names)


def test_the_result_of_the_last_hand_is_above_the_next_one(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple")
    page = scorekeeper.page
    scorekeeper.enter_hand()
    fill(scorekeeper)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    [hand] = scorekeeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    shown = last_hand(scorekeeper)
    expect(shown.get_by_role("status")).to_have_text(
        f"Hand 1 recorded: {describe(hand, dict.fromkeys(hand['stacks'], 200))} · show"
    )
    expect(shown).to_be_in_viewport(ratio=1)
    scorekeeper.tap_cards(["2s", "3s"])
    check(scorekeeper)
    check_targets(scorekeeper)
    shown.get_by_role("button", name="Show hand 1").tap()
    sheet = page.get_by_role("dialog", name="Hand 1 recorded")
    expect(sheet.locator(".recorded .card")).to_have_count(39)
    for payment in hand["transfers"]:
        names = [hand["players"][payment[side] - 1]["player"] for side in ("payer", "payee")]
        expect(sheet.locator(".payments")).to_contain_text(f"{names[0]} pays {names[1]}")
    check(scorekeeper)
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    assert len(scorekeeper.read_boards()) == 2, "the cards of the next hand stay"
    scorekeeper.page.get_by_role("button", name="Back to the round").tap()
    expect(shown).to_have_count(0)


@pytest.mark.parametrize("has_rules", [False, pytest.param(True, marks=pytest.mark.with_rules)])
def test_on_a_slow_network_the_next_hand_begins_at_once(
    scorekeeper: ScorekeeperPage, context: BrowserContext, has_rules: bool
) -> None:
    round_ = open_table(scorekeeper, "pineapple")
    page = scorekeeper.page
    if has_rules:
        wait_for_rules(scorekeeper)
    scorekeeper.enter_hand()
    fill(scorekeeper)
    context.new_cdp_session(page).send("Network.emulateNetworkConditions", LATENCY)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    # The service has not responded yet.
    expect(last_hand(scorekeeper)).to_contain_text("Hand 1 saved: ann")
    cards = list_cards(AGAIN)
    scorekeeper.tap_cards(cards[:20])
    expect(last_hand(scorekeeper)).to_contain_text("Hand 1 recorded: ann", timeout=60_000)
    scorekeeper.tap_cards(cards[20:])
    expect(page.locator(".place.filled")).to_have_count(39)
    expect(page.locator("[data-score]")).to_have_count(3, timeout=60_000)
    scorekeeper.save()
    scorekeeper.expect_hand(3)
    scorekeeper.expect_sent()
    document = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")
    assert [[player["top"] for player in hand["players"]] for hand in document["hands"]] == [
        [player["top"] for player in list_players(boards)] for boards in (PLAIN, AGAIN)
    ]


def test_a_hand_that_the_service_refuses_after_the_next_one_began_is_not_lost(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple")
    page = scorekeeper.page
    scorekeeper.enter_hand()
    fill(scorekeeper)
    held: list[Route] = []
    page.route("**/hands", lambda route: held.append(route), times=1)
    with page.expect_request("**/hands"):
        scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.tap_cards(["As", "Ks"])
    other = {"number": 1, "button": 1, "players": list_players(PLAIN)}
    # The page reads the other hand, and has given up waiting, before the service refuses its own.
    with page.expect_response(lambda response: "/v1/rounds?" in response.url and response.status == HTTPStatus.OK):
        recorded = scorekeeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=other)
    assert recorded.status_code == HTTPStatus.CREATED
    held[0].continue_()
    refused = page.get_by_role("alert", name="Hand 1")
    refused.get_by_role("button", name="Keep the recorded hand").tap()
    scorekeeper.expect_hand(2)
    assert len(scorekeeper.read_boards()) == 2


def test_who_is_busted_is_announced_and_comes_back_by_one_tap(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple-qq", (200, 200, 1))
    page = scorekeeper.page
    scorekeeper.enter_hand()
    fill(scorekeeper)
    expect(page.locator('[data-score="3"] .pill')).to_have_text("Busted")
    expect(page.locator(".result-parts")).to_contain_text("Hand 2, button ann, without cyd")
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    shown = last_hand(scorekeeper)
    expect(shown).to_contain_text("cyd is busted · Rebuy 1 · goes on without cyd")
    rebuy = shown.get_by_role("button", name="Rebuy 1 for cyd")
    rebuy.tap()
    expect(shown).to_contain_text("cyd comes back with 1")
    expect(shown).not_to_contain_text("goes on without")
    expect(page.locator('[data-seat="3"] .seat-title')).to_contain_text("1 (1 added)")
    check(scorekeeper)
    check_targets(scorekeeper)
    shown.get_by_role("button", name="Undo the rebuy of cyd").tap()
    expect(page.locator("[data-seat]")).to_have_count(2)
    # It is offered on the page of the round too.
    page.get_by_role("button", name="Back to the round").tap()
    page.get_by_role("button", name="Rebuy 1 for cyd").tap()
    expect(page.get_by_text("cyd comes back with 1")).to_be_visible()
    scorekeeper.enter_hand(2)
    fill(scorekeeper, AGAIN, button=None)
    scorekeeper.save()
    scorekeeper.expect_hand(3)
    scorekeeper.expect_sent()
    hand = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][1]
    assert hand["top_ups"] == [{"seat": 3, "points": 1}]
    assert [player["seat"] for player in hand["players"]] == [1, 2, 3]


def test_a_rebuy_that_the_rules_do_not_allow_now_is_offered_with_the_next_round(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple", (200, 200, 1))
    page = scorekeeper.page
    scorekeeper.enter_hand()
    fill(scorekeeper)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    expect(last_hand(scorekeeper)).to_contain_text("cyd is busted · goes on without cyd")
    scorekeeper.expect_sent()
    expect(page.get_by_role("button", name="Rebuy")).to_have_count(0)
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"}).status_code == 200
    page.get_by_role("button", name="Rebuy 1 for cyd").tap()
    expect(page.get_by_label("Seat 3 plays")).to_be_checked()
    page.get_by_role("button", name="Next round").tap()
    scorekeeper.expect_hand(1)
    [opened] = scorekeeper.get(f"/v1/rounds?table={round_['table']}&status=open")["rounds"]
    assert {seat["player"]: seat["opening_stack"] for seat in opened["seats"]}["cyd"] == 1


@pytest.mark.parametrize("has_rules", [False, pytest.param(True, marks=pytest.mark.with_rules)])
def test_the_next_round_begins_with_one_tap_and_the_next_button(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext, has_rules: bool
) -> None:
    scorekeeper = open_scorekeeper()
    round_ = open_table(scorekeeper, "pineapple")
    page = scorekeeper.page
    if has_rules:
        wait_for_rules(scorekeeper)
    for number, boards in enumerate((THIRD, PLAIN, AGAIN), 1):
        (scorekeeper.enter_hand if number == 1 else scorekeeper.expect_hand)(number)
        fill(scorekeeper, boards, button=2 if number == 1 else None)
        if number == 3:
            context.new_cdp_session(page).send("Network.emulateNetworkConditions", LATENCY)
        scorekeeper.save()
    expect(last_hand(scorekeeper)).to_contain_text("Hand 3 saved: ann")
    expect(page.get_by_text("The round is complete.")).to_be_visible()
    expect(page.get_by_role("button", name="Button: seat 2")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Next round").tap()
    scorekeeper.expect_hand(1)
    expect(page.locator('[data-seat="2"] .dealer')).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-seat]")).to_have_count(3)
    # The round gets its ID of the service while cards are tapped.
    cards = list_cards()
    for card in cards:
        scorekeeper.tap_card(card)
    expect(page.locator(".place.filled")).to_have_count(39)
    expect(page.locator("[data-score]")).to_have_count(3, timeout=60_000)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    [opened, before] = scorekeeper.get(f"/v1/rounds?table={round_['table']}")["rounds"]
    assert (before["status"], opened["status"], opened["hands"]) == ("complete", "open", 1)
    assert [seat["opening_stack"] for seat in opened["seats"]] == [seat["stack"] for seat in before["seats"]]
    assert scorekeeper.get(f"/v1/rounds/{opened['id']}/document")["hands"][0]["button"] == 2
