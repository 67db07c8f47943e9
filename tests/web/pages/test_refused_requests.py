"""Requests that the service refused: they stay on the device until the scorekeeper decides what becomes of them."""

import json
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Route, expect

from tests.support.browser.linked_table import THIRD
from tests.support.browser.scorekeeper_page import SECOND, ScorekeeperPage, list_cards, list_players, undo_last
from tests.web.pages.test_accessibility import check

pytestmark = pytest.mark.thorough


def save_offline(scorekeeper: ScorekeeperPage, context: BrowserContext) -> dict[str, Any]:
    """Enter the first hand of a round without a network, and return the round."""
    round_ = scorekeeper.add_round()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    context.set_offline(True)
    scorekeeper.tap_cards(list_cards())
    scorekeeper.save()
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    return round_


def test_a_refused_hand_of_an_earlier_round_is_edited_in_its_round(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    earlier = save_offline(scorekeeper, context)
    path = f"/v1/rounds/{earlier['id']}"
    hand = {"number": 1, "button": 1, "players": list_players()}
    assert scorekeeper.api.post(f"{path}/hands", json=hand).status_code == 201
    assert scorekeeper.api.post(f"{path}/close", json={"reason": "late"}).status_code == 200
    seats = [{"seat": seat, "player": player, "stack": 100} for seat, player in enumerate(("dan", "eve", "fay"), 1)]
    later = scorekeeper.api.post(f"/v1/tables/{earlier['table']}/rounds", json={"seats": seats}).json()
    page = scorekeeper.page
    context.set_offline(False)
    expect(page.get_by_role("region", name="dan, seat 1")).to_be_visible()
    page.get_by_role("button", name="Back to the round").click()
    refused = page.get_by_role("alert", name="Hand 1")
    expect(refused.get_by_role("region", name="Mine").get_by_role("heading", name="ann")).to_be_visible()
    refused.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("region", name="ann, seat 1")).to_be_visible()

    # What another device records in the later round does not take the cards away.
    with page.expect_response(lambda response: "/v1/rounds?" in response.url and response.status == 200):
        recorded = scorekeeper.api.post(f"/v1/rounds/{later['id']}/hands", json=hand)
        assert recorded.status_code == 201, recorded.text
    scorekeeper.tap('[data-place="3.bottom.4"]')
    scorekeeper.tap_card("2c")
    assert len(scorekeeper.read_boards()) == 39
    with page.expect_response(f"**{path}/hands") as response:
        scorekeeper.save()
    assert response.value.status == 409
    scorekeeper.expect_hand(2)
    page.get_by_role("button", name="Back to the round").click()
    expect(refused.get_by_role("region", name="Mine").locator('[data-differs="true"]')).to_have_count(1)
    assert scorekeeper.get(f"/v1/rounds/{later['id']}")["hands"] == 1


def test_a_hand_that_was_undone_is_restored(scorekeeper: ScorekeeperPage, context: BrowserContext) -> None:
    path = f"/v1/rounds/{save_offline(scorekeeper, context)['id']}"
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert scorekeeper.api.post(f"{path}/hands", json=hand).status_code == 201
    undo_last(scorekeeper.api, path)
    context.set_offline(False)
    scorekeeper.page.get_by_role("button", name="Restore it").click()
    scorekeeper.expect_hand(2)
    assert scorekeeper.get(path)["hands"] == 1


def test_the_same_cards_were_dealt_twice(scorekeeper: ScorekeeperPage, context: BrowserContext) -> None:
    path = f"/v1/rounds/{scorekeeper.add_round()['id']}"
    # Nobody enters Fantasyland, so that the same cards can follow.
    hand = {"number": 1, "button": 3, "players": list_players(THIRD)}
    assert scorekeeper.api.post(f"{path}/hands", json=hand).status_code == 201
    scorekeeper.enter_hand(2)
    context.set_offline(True)
    scorekeeper.tap_cards(list_cards(THIRD))
    scorekeeper.save()
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    context.set_offline(False)
    scorekeeper.page.get_by_role("button", name="They were dealt twice").click()
    scorekeeper.expect_hand(3)
    assert scorekeeper.get(path)["hands"] == 2


def test_what_waits_can_be_exported_and_dropped_where_no_table_is_open(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    round_ = save_offline(scorekeeper, context)
    name = scorekeeper.get(f"/v1/tables/{round_['table']}")["name"]
    page = scorekeeper.page
    page.get_by_role("button", name="All tables").click()
    waiting = page.get_by_role("region", name=f"Waiting for {name}")
    expect(waiting).to_contain_text("Hand 1")
    check(scorekeeper)
    with page.expect_download() as download:
        waiting.get_by_role("button", name="Export").click()
    [line] = download.value.path().read_text().splitlines()
    assert json.loads(line)["operation"] == "record_hand"
    page.get_by_role("button", name="second table").click()
    expect(waiting).to_be_visible()
    page.get_by_role("button", name="All tables").click()
    page.get_by_role("button", name="Sign out on this device").click()
    waiting.get_by_role("button", name="Drop").click()
    check(scorekeeper)
    waiting.get_by_role("button", name="Cancel").click()
    waiting.get_by_role("button", name="Drop").click()
    waiting.get_by_role("button", name="Drop Hand 1").click()
    expect(waiting).to_have_count(0)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 0


def test_every_difference_is_marked_and_a_correction_is_sent_again_once(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    round_ = scorekeeper.add_round(ruleset="pineapple-qq")
    path = f"/v1/rounds/{round_['id']}"
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    context.set_offline(True)
    scorekeeper.tap_cards(list_cards(THIRD))
    scorekeeper.save()
    expect(scorekeeper.page.get_by_text("offline, 1 waiting")).to_be_visible()
    # In the recorded hand seats 1 and 3 earn Fantasyland, and seat 2 has added points.
    first = {"number": 1, "button": 3, "top_ups": [{"seat": 2, "points": 50}], "players": list_players()}
    response = scorekeeper.api.post(f"{path}/hands", json=first)
    assert response.status_code == 201, response.text
    next_ = scorekeeper.get(path)["next"]
    players = [
        {**player, "fantasyland": next_["fantasyland"].get(str(player["seat"]), 0)} for player in list_players(SECOND)
    ]
    second = {"number": 2, "button": next_["button"], "players": players}
    response = scorekeeper.api.post(f"{path}/hands", json=second)
    assert response.status_code == 201, response.text
    context.set_offline(False)

    page = scorekeeper.page
    compared = page.get_by_role("alert", name="Hand 1")
    expect(compared.get_by_role("region", name="Recorded").locator("mark")).to_have_text(["ben adds 50"])
    correct = compared.get_by_role("button", name="Correct it with mine")
    accept = compared.get_by_label("Accept the later hands as played")
    with page.expect_response("**/corrections") as refused:
        correct.click()
    assert refused.value.json()["code"] == "hand-irregular"
    accept.check()
    check(scorekeeper)

    def lose_response(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/corrections", lose_response, times=1)
    correct.click()
    expect(compared.get_by_text("The service does not respond.")).to_be_visible()
    version = scorekeeper.get(path)["version"]
    correct.click()
    expect(compared).to_have_count(0)
    corrected = scorekeeper.get(path)
    assert corrected["version"] == version
    assert [seat["top_ups"] for seat in corrected["seats"]] == [0, 0, 0]
    assert scorekeeper.get(f"{path}/document")["hands"][0]["players"][0]["top"] == THIRD[1][0].split()
