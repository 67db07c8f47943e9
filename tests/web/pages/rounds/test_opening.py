"""The form that opens a round: known names are offered, and what is wrong is shown where it is."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage
from tests.web.pages.rounds.test_between_hands import open_table
from tests.web.pages.rounds.test_history import record_both
from tests.web.pages.test_accessibility import check

pytestmark = pytest.mark.thorough


def show_form(scorekeeper: ScorekeeperPage) -> str:
    """Close a round with two hands, so that the form is below the fold, and return the path of the table's rounds."""
    round_ = open_table(scorekeeper, "pineapple")
    record_both(scorekeeper, round_["id"])
    response = scorekeeper.api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"})
    assert response.status_code == 200, response.text
    expect(scorekeeper.page.get_by_role("button", name="Open the round")).to_be_visible()
    return f"/v1/rounds?table={round_['table']}"


def seat(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=f"Seat {number}", exact=True)


def test_what_is_wrong_with_a_seat_is_shown_at_the_seat(scorekeeper: ScorekeeperPage) -> None:
    rounds = show_form(scorekeeper)
    page = scorekeeper.page
    page.get_by_label("Stack of seat 2").fill("0")
    page.get_by_role("button", name="Open the round").tap()
    mistake = seat(page, 2).get_by_role("alert")
    expect(mistake).to_be_in_viewport()
    expect(page.get_by_role("alert")).to_have_count(1)
    check(scorekeeper)
    page.get_by_label("Stack of seat 2").fill("80")
    page.get_by_role("button", name="Open the round").tap()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    assert [each["status"] for each in scorekeeper.get(rounds)["rounds"]] == ["open", "closed"]


def test_what_is_wrong_with_no_seat_is_shown_above_the_button(scorekeeper: ScorekeeperPage) -> None:
    show_form(scorekeeper)
    page = scorekeeper.page
    page.route("**/v1/tables/*/rounds", lambda route: route.abort())
    page.get_by_role("button", name="Open the round").tap()
    mistake = page.locator("form", has_text="Open a round").get_by_role("alert")
    expect(mistake).to_contain_text("The service does not respond")
    expect(mistake).to_be_in_viewport()
    expect(page.get_by_role("alert")).to_have_count(1)


def test_known_players_are_offered_to_tap(scorekeeper: ScorekeeperPage) -> None:
    show_form(scorekeeper)
    page = scorekeeper.page
    page.get_by_label("Player in seat 3").fill("")
    offered = seat(page, 3).get_by_role("group", name="Players of this table")
    expect(offered.get_by_role("button")).to_have_text(["cyd"])
    page.get_by_label("Player in seat 3").fill("x")
    expect(offered).to_have_count(0)
    page.get_by_label("Player in seat 3").fill("C")
    offered.get_by_role("button", name="cyd").tap()
    expect(page.get_by_label("Player in seat 3")).to_have_value("cyd")
    expect(offered).to_have_count(0)


def test_a_name_like_a_known_one_leads_to_a_question(scorekeeper: ScorekeeperPage) -> None:
    rounds = show_form(scorekeeper)
    page = scorekeeper.page
    page.get_by_label("Player in seat 3").fill("Cyd")
    page.get_by_label("Stack of seat 3").fill("150")
    question = seat(page, 3).get_by_text("cyd has played at this table. Is Cyd the same player?")
    expect(question).to_be_visible()
    check(scorekeeper)
    page.get_by_role("button", name="Open the round").tap()
    expect(question).to_be_in_viewport()
    assert len(scorekeeper.get(rounds)["rounds"]) == 1, "nothing is opened before it is answered"
    page.get_by_role("button", name="Yes, cyd").tap()
    expect(page.get_by_label("Player in seat 3")).to_have_value("cyd")
    page.get_by_label("Player in seat 2").fill("BEN")
    page.get_by_label("Stack of seat 2").fill("90")
    page.get_by_role("button", name="No, BEN is new").tap()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Open the round").tap()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    [opened, _] = scorekeeper.get(rounds)["rounds"]
    assert [each["player"] for each in opened["seats"]] == ["ann", "BEN", "cyd"]


def test_with_a_key_a_name_like_a_known_one_of_another_table_leads_to_a_question(scorekeeper: ScorekeeperPage) -> None:
    attic, table = scorekeeper.add_table()["id"], scorekeeper.add_table()
    known = [{"seat": 1, "player": "Łukasz", "stack": 50}, {"seat": 2, "player": "dora", "stack": 50}]
    assert scorekeeper.api.post(f"/v1/tables/{attic}/rounds", json={"seats": known}).status_code == 201
    page = scorekeeper.page
    scorekeeper.join()
    page.get_by_role("button", name=table["name"]).click()
    for number, player in enumerate(("eve", "fay", "łukasz"), 1):
        page.get_by_label(f"Player in seat {number}").fill(player)
        page.get_by_label(f"Stack of seat {number}").fill("150")
    page.get_by_role("button", name="Open the round").tap()
    question = seat(page, 3).get_by_text("Łukasz has played in this club. Is łukasz the same player?")
    expect(question).to_be_in_viewport()
    check(scorekeeper)
    rounds = f"/v1/rounds?table={table['id']}"
    assert scorekeeper.get(rounds)["rounds"] == [], "nothing is opened before it is answered"
    page.get_by_role("button", name="Yes, Łukasz").tap()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Open the round").tap()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    [opened] = scorekeeper.get(rounds)["rounds"]
    assert [each["player"] for each in opened["seats"]] == ["eve", "fay", "Łukasz"]
