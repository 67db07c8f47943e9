"""Rounds that have ended: what can be undone, and what players dispute."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage
from tests.web.pages.rounds.test_between_hands import open_table
from tests.web.pages.rounds.test_history import open_hand, record_both
from tests.web.pages.test_accessibility import check

pytestmark = pytest.mark.thorough
CLAIM = "the third card on top was the three of clubs"


def close(scorekeeper: ScorekeeperPage) -> dict[str, Any]:
    """Record two hands of a round at a linked table, and close it on the page."""
    round_ = open_table(scorekeeper, "pineapple")
    record_both(scorekeeper, round_["id"])
    page = scorekeeper.page
    expect(page.get_by_role("button", name="Undo hand 2")).to_be_visible()
    page.get_by_role("button", name="Close the round").tap()
    page.get_by_label("Reason").fill("late")
    page.get_by_role("button", name="Close the round").tap()
    expect(page.get_by_text("The round is closed.")).to_be_visible()
    return round_


def dispute(scorekeeper: ScorekeeperPage, round_: dict[str, Any], **place: Any) -> None:
    claim = {"round": round_["id"], "claim": CLAIM, "by": "ben", **place}
    response = scorekeeper.api.post("/v1/disputes", json=claim)
    assert response.status_code == 201, response.text


def test_a_round_that_was_closed_by_mistake_is_reopened(scorekeeper: ScorekeeperPage) -> None:
    round_ = close(scorekeeper)
    path, page = f"/v1/rounds/{round_['id']}", scorekeeper.page
    expect(page.get_by_role("button", name="Undo hand 2")).to_have_count(0)
    page.get_by_role("button", name="Undo the closing").tap()
    check(scorekeeper)
    page.get_by_role("button", name="Closed by mistake").tap()
    page.get_by_role("button", name="Undo the closing").tap()
    expect(page.get_by_role("button", name="Enter hand 3")).to_be_visible()
    expect(page.get_by_role("button", name="Undo hand 2")).to_be_visible()
    assert scorekeeper.get(path)["status"] == "open"
    assert scorekeeper.get(f"{path}/document")["closed"] is None
    assert scorekeeper.get(f"{path}/settlement")["revision"] == 2


def test_the_form_of_the_next_round_comes_right_after_the_result_of_the_last_one(scorekeeper: ScorekeeperPage) -> None:
    close(scorekeeper)
    page = scorekeeper.page
    parts = (
        page.get_by_text("The round is closed."),
        page.get_by_role("heading", name="Open a round"),
        page.get_by_role("button", name="Settle up"),
        page.get_by_role("heading", name="Hands", exact=True),
    )
    tops = [part.evaluate("part => part.getBoundingClientRect().top") for part in parts]
    assert tops == sorted(tops)


def test_the_reason_of_a_refused_reopening_is_beside_its_button(scorekeeper: ScorekeeperPage) -> None:
    round_ = close(scorekeeper)
    page = scorekeeper.page
    page.get_by_role("button", name="Undo the closing").tap()
    page.get_by_label("Reason").fill("tapped by mistake")
    page.route("**/corrections**", lambda route: route.abort())
    page.get_by_role("button", name="Undo the closing").tap()
    form = page.get_by_role("form", name="Undo the closing?")
    expect(form.get_by_role("alert")).to_contain_text("The service does not respond")
    expect(form.get_by_role("alert")).to_be_in_viewport()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["status"] == "closed"


def test_a_dispute_of_a_player_is_shown_at_its_round_and_hand(scorekeeper: ScorekeeperPage) -> None:
    round_ = close(scorekeeper)
    page = scorekeeper.page
    dispute(scorekeeper, round_, hand=2, seat=1, row="top")
    shown = page.get_by_role("region", name="Disputes")
    expect(shown).to_contain_text(f"ben disputes hand 2, top of ann (open): {CLAIM}")
    expect(page.get_by_text("The round is closed, and its result is disputed.")).to_be_visible()
    expect(page.locator('details[data-hand="2"] summary .pill')).to_have_text("disputed")
    expect(page.locator('details[data-hand="1"] summary .pill')).to_have_count(0)
    # What the service would refuse is not offered.
    expect(page.get_by_role("button", name="Undo hand 2")).to_have_count(0)
    expect(page.get_by_role("button", name="Undo the closing")).to_have_count(0)
    open_hand(page, 2)
    expect(page.locator(".hand-details")).to_contain_text(CLAIM)
    check(scorekeeper)


def test_a_dispute_of_an_earlier_round_is_shown_at_the_table(scorekeeper: ScorekeeperPage) -> None:
    round_ = close(scorekeeper)
    seats = [{"seat": each["seat"], "player": each["player"]} for each in round_["seats"]]
    opened = scorekeeper.api.post(f"/v1/tables/{round_['table']}/rounds", json={"seats": seats})
    assert opened.status_code == 201, opened.text
    dispute(scorekeeper, round_, hand=1)
    page = scorekeeper.page
    expect(page.get_by_text("ben disputes hand 1 of an earlier round")).to_be_visible(timeout=40_000)
    page.get_by_role("button", name="Show its hands").tap()
    expect(page.locator('details[data-hand="1"] summary .pill')).to_have_text("disputed")
    # With a key, the list of tables shows it too.
    scorekeeper.open()
    expect(page.get_by_text("ben disputes hand 1 of an earlier round")).to_be_visible()
    page.get_by_role("button", name="Join with another link").tap()
    scorekeeper.join()
    name = scorekeeper.get(f"/v1/tables/{round_['table']}")["name"]
    page.get_by_role("button", name="All tables").tap()
    expect(page.get_by_role("button", name=name)).to_contain_text("disputed")
    expect(page.get_by_role("button", name="first table")).not_to_contain_text("disputed")
