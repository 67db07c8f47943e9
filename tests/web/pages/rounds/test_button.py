"""The button of a hand that was begun follows the round, unless the scorekeeper has chosen it in this hand."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, list_players
from tests.support.server_process import wait_until
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.rounds.test_between_hands import AGAIN, PLAIN, open_players, open_table, play
from tests.web.pages.rounds.test_history import record
from tests.web.pages.test_offline_rounds import SYNC, wait_until_stored
from tests.web.pages.test_rules_on_device import wait_for_rules

pytestmark = pytest.mark.thorough


def begin(scorekeeper: ScorekeeperPage, number: int, button: int) -> None:
    """Enter two cards of a hand, see who has the button, and go back to the round."""
    scorekeeper.enter_hand(number)
    expect_button(scorekeeper, button)
    scorekeeper.tap_cards(["As", "Ks"])
    expect(scorekeeper.page.locator(".place.filled")).to_have_count(2)
    scorekeeper.page.get_by_role("button", name="Back to the round").tap()


def expect_button(scorekeeper: ScorekeeperPage, seat: int) -> None:
    pressed = scorekeeper.page.locator('.dealer[aria-pressed="true"]')
    expect(pressed).to_have_count(1)
    expect(scorekeeper.page.locator(f'[data-seat="{seat}"] .dealer[aria-pressed="true"]')).to_have_count(1)


def add_points(scorekeeper: ScorekeeperPage, player: str) -> None:
    open_players(scorekeeper.page)
    scorekeeper.page.get_by_label(f"Points that {player} adds").fill("100")
    scorekeeper.page.get_by_label(f"Points that {player} adds").press("Enter")
    expect(scorekeeper.page.get_by_text(f"{player} adds 100")).to_be_visible()


def finish(scorekeeper: ScorekeeperPage, number: int, cards: list[str]) -> None:
    """Take the cards back that were begun with, and record others."""
    expect(scorekeeper.page.get_by_role("heading", level=1)).to_have_text(f"Hand {number}")
    undo = scorekeeper.page.get_by_label("Undo the last tap")
    for _ in scorekeeper.read_boards():
        undo.tap()
    expect(scorekeeper.page.locator(".place.filled")).to_have_count(0)
    scorekeeper.tap_cards(cards)
    expect(scorekeeper.page.locator("[data-score]").first).to_be_visible()
    scorekeeper.save()


def test_a_busted_player_who_comes_back_gets_the_button_where_it_is_their_turn(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple-qq", (200, 200, 1))
    play(scorekeeper, 1, button=2)
    begin(scorekeeper, 2, button=1)
    add_points(scorekeeper, "cyd")
    scorekeeper.page.reload()
    scorekeeper.page.get_by_role("button", name="Continue hand 2").tap()
    expect_button(scorekeeper, 3)
    finish(scorekeeper, 2, list_cards(AGAIN))
    scorekeeper.expect_hand(3)
    scorekeeper.expect_sent()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][1]["button"] == 3


@pytest.mark.with_rules
def test_a_player_comes_back_without_a_network(open_scorekeeper: OpenScorekeeper, context: BrowserContext) -> None:
    scorekeeper = open_scorekeeper()
    round_ = open_table(scorekeeper, "pineapple-qq", (200, 200, 1))
    play(scorekeeper, 1, button=2)
    wait_for_rules(scorekeeper)
    wait_until_stored(scorekeeper, round_)
    begin(scorekeeper, 2, button=1)
    context.set_offline(True)
    add_points(scorekeeper, "cyd")
    scorekeeper.page.get_by_role("button", name="Continue hand 2").tap()
    expect_button(scorekeeper, 3)
    finish(scorekeeper, 2, list_cards(AGAIN))
    context.set_offline(False)
    path = f"/v1/rounds/{round_['id']}"
    assert wait_until(lambda: scorekeeper.get(path)["hands"] == 2, SYNC / 1000)
    assert scorekeeper.get(f"{path}/document")["hands"][1]["button"] == 3


def test_the_button_moves_on_when_the_player_who_would_have_it_leaves(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple-qq")
    play(scorekeeper, 1, button=3)
    begin(scorekeeper, 2, button=1)
    open_players(scorekeeper.page)
    scorekeeper.page.get_by_role("button", name="Leave: ann").tap()
    scorekeeper.page.get_by_role("button", name="ann leaves").tap()
    expect(scorekeeper.page.locator(".pill", has_text="left")).to_be_visible()
    scorekeeper.enter_hand(2)
    expect_button(scorekeeper, 2)
    finish(scorekeeper, 2, list_cards({seat: AGAIN[seat] for seat in (2, 3)}))
    expect(scorekeeper.page.get_by_role("heading", name="Open a round")).to_be_visible()
    scorekeeper.expect_sent()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][1]["button"] == 2


def test_the_button_and_the_discards_follow_a_correction_between_two_hands(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    path = f"/v1/rounds/{round_['id']}"
    record(scorekeeper, round_["id"])
    # Seats 1 and 3 have earned Fantasyland: the button stays.
    scorekeeper.enter_hand(2)
    expect_button(scorekeeper, 3)
    scorekeeper.tap('[data-place="1.discards.0"]')
    scorekeeper.tap_card("2c")
    scorekeeper.tap_card("Ks")
    expect(scorekeeper.page.locator(".place.filled")).to_have_count(2)
    scorekeeper.page.get_by_role("button", name="Back to the round").tap()
    changes = [
        {"hand": 1, "seat": 1, "row": "top", "cards": ["Qs", "3d", "4c"]},
        {"hand": 1, "seat": 3, "row": "top", "cards": ["Kh", "3h", "3s"]},
    ]
    correction = {"reason": "seen on video", "version": scorekeeper.get(path)["version"], "changes": changes}
    response = scorekeeper.api.post(f"{path}/corrections", json=correction)
    assert response.status_code == 201, response.text
    assert scorekeeper.get(path)["next"]["button"] == 1
    expect(scorekeeper.page.locator(".pill", has_text="Fantasyland")).to_have_count(0)
    scorekeeper.page.get_by_role("button", name="Continue hand 2").tap()
    expect_button(scorekeeper, 1)
    # The discard of a Fantasyland that is no longer owed is free again.
    expect(scorekeeper.page.locator('[data-card="2c"]')).to_be_enabled()
    finish(scorekeeper, 2, list_cards(PLAIN))
    scorekeeper.expect_hand(3)
    scorekeeper.expect_sent()
    assert scorekeeper.get(f"{path}/document")["hands"][1]["button"] == 1


def test_a_button_that_was_chosen_stays(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple-qq")
    scorekeeper.enter_hand()
    scorekeeper.choose_button(2)
    scorekeeper.page.get_by_role("button", name="Back to the round").tap()
    add_points(scorekeeper, "ben")
    scorekeeper.page.reload()
    scorekeeper.enter_hand()
    expect_button(scorekeeper, 2)
    scorekeeper.tap_cards(list_cards(PLAIN))
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    hand = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][0]
    assert hand == {**hand, "button": 2, "top_ups": [{"seat": 2, "points": 100}]}
    assert [player["top"] for player in hand["players"]] == [player["top"] for player in list_players(PLAIN)]
