"""A table is changed while the scorekeeper's page is open: the next round has what the table has then."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards
from tests.web.pages.test_accessibility import check
from tests.web.pages.test_offline_rounds import SYNC, list_rounds, open_offline, wait_until_stored
from tests.web.pages.test_rules_on_device import wait_for_rules

pytestmark = pytest.mark.thorough


def change(scorekeeper: ScorekeeperPage, table: str, **changes: Any) -> None:
    response = scorekeeper.api.patch(f"/v1/tables/{table}", json=changes)
    assert response.status_code == 200, response.text


def close(scorekeeper: ScorekeeperPage, round_: dict[str, Any]) -> None:
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"}).status_code == 200


@pytest.mark.with_rules
def test_the_next_round_is_scored_by_the_new_ruleset(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    page = scorekeeper.page
    wait_for_rules(scorekeeper)
    wait_until_stored(scorekeeper, round_)
    change(scorekeeper, round_["table"], ruleset="classic")
    close(scorekeeper, round_)
    expect(page.locator(".bar-title")).to_contain_text("classic")
    page.get_by_role("button", name="Open the round").click()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards())
    expect(page.locator(".board-notes .pill")).to_have_text(["Fantasyland 13", "Fantasyland 13"])
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    opened = list_rounds(scorekeeper, round_["table"])[-1]
    assert (opened["ruleset"], opened["hands"]) == ("classic@1", 1)


def refuse_opening(scorekeeper: ScorekeeperPage, context: BrowserContext) -> tuple[str, Locator]:
    """Change a table after a round was opened at it without a network; return the table and the refused opening."""
    table = open_offline(scorekeeper, context)
    change(scorekeeper, table, ruleset="classic")
    context.set_offline(False)
    refused = scorekeeper.page.get_by_role("alert", name="Opening of the round")
    expect(refused).to_contain_text("The table was changed after the round was opened on this device.", timeout=SYNC)
    expect(refused).to_contain_text("The table now has the ruleset classic and no point value.")
    expect(scorekeeper.page.get_by_text("2 waiting")).to_be_visible()
    assert len(list_rounds(scorekeeper, table)) == 1
    return table, refused


@pytest.mark.with_rules
def test_a_refused_opening_is_edited_and_has_the_new_ruleset(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    table, refused = refuse_opening(scorekeeper, context)
    check(scorekeeper)
    refused.get_by_role("button", name="Edit").click()
    scorekeeper.page.get_by_role("button", name="Open the round").click()
    scorekeeper.expect_sent()
    opened = list_rounds(scorekeeper, table)[-1]
    assert (opened["ruleset"], opened["hands"]) == ("classic@1", 1)
    expect(scorekeeper.page.locator("table.figures .pill.accent")).to_have_text(["Fantasyland 13", "Fantasyland 13"])


@pytest.mark.with_rules
def test_a_refused_opening_is_recorded_as_it_was_played_once_the_table_is_changed_back(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    table, refused = refuse_opening(scorekeeper, context)
    change(scorekeeper, table, ruleset="pineapple")
    refused.get_by_role("button", name="Try again").click()
    scorekeeper.expect_sent()
    opened = list_rounds(scorekeeper, table)[-1]
    assert (opened["ruleset"], opened["point_value"], opened["hands"]) == ("pineapple@1", None, 1)


def test_an_archived_table_shows_why_no_round_can_be_opened(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    page = scorekeeper.page
    close(scorekeeper, round_)
    expect(page.get_by_role("button", name="Open the round")).to_be_visible()
    change(scorekeeper, round_["table"], is_archived=True)
    expect(page.get_by_text("The table is archived.")).to_be_visible()
    expect(page.get_by_role("button", name="Open the round")).to_have_count(0)
    check(scorekeeper)
    change(scorekeeper, round_["table"], is_archived=False)
    expect(page.get_by_role("button", name="Open the round")).to_be_visible()
