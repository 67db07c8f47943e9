"""The button of a hand that was begun follows the round, unless the scorekeeper has chosen it in this hand."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.keeper_page import KeeperPage, list_cards, list_players
from tests.support.server_process import wait_until
from tests.web.pages.conftest import OpenKeeper
from tests.web.pages.rounds.test_between_hands import AGAIN, PLAIN, open_players, open_table, play
from tests.web.pages.rounds.test_history import record
from tests.web.pages.test_offline_rounds import SYNC, expect_sent, wait_until_stored
from tests.web.pages.test_rules_on_device import wait_for_rules

pytestmark = pytest.mark.thorough


def begin(keeper: KeeperPage, number: int, button: int) -> None:
    """Enter two cards of a hand, see who has the button, and go back to the round."""
    keeper.enter_hand(number)
    expect_button(keeper, button)
    keeper.tap_cards(["As", "Ks"])
    expect(keeper.page.locator(".place.filled")).to_have_count(2)
    keeper.page.get_by_role("button", name="Back to the round").tap()


def expect_button(keeper: KeeperPage, seat: int) -> None:
    pressed = keeper.page.locator('.dealer[aria-pressed="true"]')
    expect(pressed).to_have_count(1)
    expect(keeper.page.locator(f'[data-seat="{seat}"] .dealer[aria-pressed="true"]')).to_have_count(1)


def add_points(keeper: KeeperPage, player: str) -> None:
    open_players(keeper.page)
    keeper.page.get_by_label(f"Points that {player} adds").fill("100")
    keeper.page.get_by_label(f"Points that {player} adds").press("Enter")
    expect(keeper.page.get_by_text(f"{player} adds 100")).to_be_visible()


def finish(keeper: KeeperPage, number: int, cards: list[str]) -> None:
    """Take the cards back that were begun with, and record others."""
    expect(keeper.page.get_by_role("heading", level=1)).to_have_text(f"Hand {number}")
    undo = keeper.page.get_by_label("Undo the last tap")
    for _ in keeper.read_boards():
        undo.tap()
    expect(keeper.page.locator(".place.filled")).to_have_count(0)
    keeper.tap_cards(cards)
    expect(keeper.page.locator("[data-score]").first).to_be_visible()
    keeper.save()


def test_a_busted_player_who_comes_back_gets_the_button_where_it_is_their_turn(keeper: KeeperPage) -> None:
    round_ = open_table(keeper, "pineapple-qq", (200, 200, 1))
    play(keeper, 1, button=2)
    begin(keeper, 2, button=1)
    add_points(keeper, "cyd")
    keeper.page.reload()
    keeper.page.get_by_role("button", name="Continue hand 2").tap()
    expect_button(keeper, 3)
    finish(keeper, 2, list_cards(AGAIN))
    keeper.expect_hand(3)
    expect_sent(keeper)
    assert keeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][1]["button"] == 3


@pytest.mark.with_rules
def test_a_player_comes_back_without_a_network(open_keeper: OpenKeeper, context: BrowserContext) -> None:
    keeper = open_keeper()
    round_ = open_table(keeper, "pineapple-qq", (200, 200, 1))
    play(keeper, 1, button=2)
    wait_for_rules(keeper)
    wait_until_stored(keeper, round_)
    begin(keeper, 2, button=1)
    context.set_offline(True)
    add_points(keeper, "cyd")
    keeper.page.get_by_role("button", name="Continue hand 2").tap()
    expect_button(keeper, 3)
    finish(keeper, 2, list_cards(AGAIN))
    context.set_offline(False)
    path = f"/v1/rounds/{round_['id']}"
    assert wait_until(lambda: keeper.get(path)["hands"] == 2, SYNC / 1000)
    assert keeper.get(f"{path}/document")["hands"][1]["button"] == 3


def test_the_button_moves_on_when_the_player_who_would_have_it_leaves(keeper: KeeperPage) -> None:
    round_ = open_table(keeper, "pineapple-qq")
    play(keeper, 1, button=3)
    begin(keeper, 2, button=1)
    open_players(keeper.page)
    keeper.page.get_by_role("button", name="Leave: ann").tap()
    keeper.page.get_by_role("button", name="ann leaves").tap()
    expect(keeper.page.locator(".pill", has_text="left")).to_be_visible()
    keeper.enter_hand(2)
    expect_button(keeper, 2)
    finish(keeper, 2, list_cards({seat: AGAIN[seat] for seat in (2, 3)}))
    expect(keeper.page.get_by_role("heading", name="Open a round")).to_be_visible()
    assert keeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][1]["button"] == 2


def test_the_button_and_the_discards_follow_a_correction_between_two_hands(keeper: KeeperPage) -> None:
    round_ = keeper.add_round()
    path = f"/v1/rounds/{round_['id']}"
    record(keeper, round_["id"])
    # Seats 1 and 3 have earned Fantasyland: the button stays.
    keeper.enter_hand(2)
    expect_button(keeper, 3)
    keeper.tap('[data-place="1.discards.0"]')
    keeper.tap_card("2c")
    keeper.tap_card("Ks")
    expect(keeper.page.locator(".place.filled")).to_have_count(2)
    keeper.page.get_by_role("button", name="Back to the round").tap()
    changes = [
        {"hand": 1, "seat": 1, "row": "top", "cards": ["Qs", "3d", "4c"]},
        {"hand": 1, "seat": 3, "row": "top", "cards": ["Kh", "3h", "3s"]},
    ]
    correction = {"reason": "seen on video", "version": keeper.get(path)["version"], "changes": changes}
    response = keeper.api.post(f"{path}/corrections", json=correction)
    assert response.status_code == 201, response.text
    assert keeper.get(path)["next"]["button"] == 1
    expect(keeper.page.locator(".pill", has_text="Fantasyland")).to_have_count(0)
    keeper.page.get_by_role("button", name="Continue hand 2").tap()
    expect_button(keeper, 1)
    # The discard of a Fantasyland that is no longer owed is free again.
    expect(keeper.page.locator('[data-card="2c"]')).to_be_enabled()
    finish(keeper, 2, list_cards(PLAIN))
    keeper.expect_hand(3)
    expect_sent(keeper)
    assert keeper.get(f"{path}/document")["hands"][1]["button"] == 1


def test_a_button_that_was_chosen_stays(keeper: KeeperPage) -> None:
    round_ = open_table(keeper, "pineapple-qq")
    keeper.enter_hand()
    keeper.choose_button(2)
    keeper.page.get_by_role("button", name="Back to the round").tap()
    add_points(keeper, "ben")
    keeper.page.reload()
    keeper.enter_hand()
    expect_button(keeper, 2)
    keeper.tap_cards(list_cards(PLAIN))
    keeper.save()
    keeper.expect_hand(2)
    expect_sent(keeper)
    hand = keeper.get(f"/v1/rounds/{round_['id']}/document")["hands"][0]
    assert hand == {**hand, "button": 2, "top_ups": [{"seat": 2, "points": 100}]}
    assert [player["top"] for player in hand["players"]] == [player["top"] for player in list_players(PLAIN)]
