"""Two scorekeepers at one table: each page shows what the other records, and different hands are compared."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from tests.support.browser.scorekeeper_page import BOARDS, ScorekeeperPage, list_cards, list_players, undo_last
from tests.support.server_process import Running
from tests.web.pages.conftest import SAVE_DATA
from tests.web.pages.test_accessibility import check
from tests.web.pages.test_joining import issue_link
from tests.web.pages.test_rules_on_device import wait_for_rules

SWAPPED = {**BOARDS, 3: ("Kh Kc 3s", "9s 9d 8s 8c 4h", "As Ad Qh Qc 2c")}
"""The boards with another last card."""


@pytest.fixture
def other(browser: Browser, service: Running, api: httpx2.Client) -> Iterator[ScorekeeperPage]:
    """The page on another device."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    context.set_default_timeout(20_000)
    context.add_init_script(SAVE_DATA)
    violations: list[Any] = []
    page = ScorekeeperPage(context.new_page(), service.url, api, violations)
    page.open()
    yield page
    context.close()
    assert violations == []


def join_table(scorekeeper: ScorekeeperPage, other: ScorekeeperPage) -> str:
    """Open a round on both devices, and return its path."""
    round_ = scorekeeper.add_round()
    other.join()
    name = scorekeeper.get(f"/v1/tables/{round_['table']}")["name"]
    other.page.get_by_role("button", name=name).click()
    expect(other.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    return f"/v1/rounds/{round_['id']}"


def fill(scorekeeper: ScorekeeperPage, boards: dict[int, tuple[str, ...]] = BOARDS) -> None:
    scorekeeper.enter_hand()
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards(boards))


def record(scorekeeper: ScorekeeperPage, path: str) -> None:
    hand = {"number": 1, "button": 3, "players": list_players()}
    assert scorekeeper.api.post(f"{path}/hands", json=hand).status_code == 201


def expect_conflict(scorekeeper: ScorekeeperPage) -> Locator:
    """Save a hand whose number another one has, and return the comparison."""
    expect(scorekeeper.page.get_by_text("was recorded on another device")).to_be_visible()
    scorekeeper.save()
    compared = scorekeeper.page.get_by_role("alert", name="Hand 1")
    expect(compared.get_by_role("region", name="Recorded")).to_be_visible()
    differing = compared.locator('[data-differs="true"]')
    # The comparison shows what differs, in place of the fields of the request.
    expect(compared).not_to_contain_text("players[")
    expect(differing).to_have_text(["2♦︎two of diamonds, differs", "2♣︎two of clubs, differs"])
    check(scorekeeper)
    return compared


def test_what_another_device_records_is_shown(scorekeeper: ScorekeeperPage, other: ScorekeeperPage) -> None:
    path = join_table(scorekeeper, other)
    fill(scorekeeper)
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    scorekeeper.save()
    expect(other.page.get_by_role("button", name="Enter hand 2")).to_be_visible()
    assert scorekeeper.api.post(f"{path}/close", json={"reason": "late"}).status_code == 200
    for each in (scorekeeper, other):
        expect(each.page.get_by_role("heading", name="Open a round")).to_be_visible()


def test_the_same_hand_on_two_devices_is_recorded_once(scorekeeper: ScorekeeperPage, other: ScorekeeperPage) -> None:
    path = join_table(scorekeeper, other)
    fill(other)
    record(scorekeeper, path)
    expect(other.page.get_by_text("was recorded on another device")).to_be_visible()
    assert len(other.read_boards()) == 39
    other.save()
    other.expect_hand(2)
    expect(other.page.get_by_role("alert")).to_have_count(0)
    assert scorekeeper.get(path)["hands"] == 1
    assert scorekeeper.get(path)["version"] == 2


@pytest.mark.thorough
def test_a_different_hand_is_compared_and_dropped(scorekeeper: ScorekeeperPage, other: ScorekeeperPage) -> None:
    path = join_table(scorekeeper, other)
    fill(other, SWAPPED)
    record(scorekeeper, path)
    expect_conflict(other).get_by_role("button", name="Keep the recorded hand").click()
    other.expect_hand(2)
    assert scorekeeper.get(f"{path}/document")["hands"][0]["players"][2]["bottom"][-1] == "2d"


def test_a_different_hand_is_compared_and_corrects_the_recorded_one(
    scorekeeper: ScorekeeperPage, other: ScorekeeperPage
) -> None:
    path = join_table(scorekeeper, other)
    fill(other, SWAPPED)
    record(scorekeeper, path)
    expect_conflict(other).get_by_role("button", name="Correct it with mine").click()
    other.expect_hand(2)
    assert scorekeeper.get(f"{path}/document")["hands"][0]["players"][2]["bottom"][-1] == "2c"
    assert scorekeeper.get(f"{path}/settlement")["revision"] == 2


@pytest.mark.thorough
def test_cards_that_another_device_recorded_can_be_discarded(
    scorekeeper: ScorekeeperPage, other: ScorekeeperPage
) -> None:
    path = join_table(scorekeeper, other)
    other.enter_hand()
    other.tap_cards(list_cards()[:4])
    record(scorekeeper, path)
    other.page.get_by_role("button", name="Discard mine").click()
    other.page.get_by_role("button", name="Discard 4 cards").click()
    other.expect_hand(2)
    assert other.read_boards() == {}


@pytest.mark.thorough
def test_cards_are_not_lost_when_another_device_records_the_hand(
    scorekeeper: ScorekeeperPage, other: ScorekeeperPage
) -> None:
    path = join_table(scorekeeper, other)
    page = other.page
    other.enter_hand()
    other.tap_cards(list_cards()[:4])
    page.get_by_role("button", name="Back to the round").click()
    record(scorekeeper, path)
    notice = page.get_by_text("Not recorded from this one: 4 cards.")
    expect(notice).to_be_visible()
    page.reload()
    expect(notice).to_be_visible()
    check(other)
    page.get_by_role("button", name="Show mine").click()
    other.expect_hand(1)
    assert len(other.read_boards()) == 4
    page.get_by_role("button", name="Discard mine").click()
    page.get_by_role("button", name="Discard 4 cards").click()
    other.expect_hand(2)


@pytest.mark.thorough
def test_points_to_add_that_another_device_did_not_record_are_named(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round(ruleset="pineapple-qq")
    page = scorekeeper.page
    page.get_by_role("button", name="Top up or leave").click()
    page.get_by_label("Points that ben adds").fill("50")
    page.get_by_label("Points that ben adds").press("Enter")
    expect(page.get_by_text("Before the next hand: ben adds 50.")).to_be_visible()
    record(scorekeeper, f"/v1/rounds/{round_['id']}")
    expect(page.get_by_text("Not recorded from this one: ben adds 50.")).to_be_visible()
    page.get_by_role("button", name="Discard mine").click()
    page.get_by_role("button", name="Discard ben adds 50").click()
    expect(page.get_by_role("button", name="Enter hand 2")).to_be_visible()


@pytest.mark.with_rules
@pytest.mark.thorough
def test_an_undo_that_waited_does_not_remove_a_hand_of_another_device(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    path = f"/v1/rounds/{scorekeeper.add_round()['id']}"
    record(scorekeeper, path)
    page = scorekeeper.page
    wait_for_rules(scorekeeper)
    expect(page.locator('details[data-hand="1"]')).to_be_visible()
    page.wait_for_timeout(1_000)
    context.set_offline(True)
    page.get_by_role("button", name="Undo hand 1").click()
    page.get_by_role("button", name="Undo hand 1").click()
    expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
    undo_last(scorekeeper.api, path)
    corrected = {"number": 1, "button": 3, "players": list_players(SWAPPED)}
    assert scorekeeper.api.post(f"{path}/hands", json=corrected).status_code == 201
    context.set_offline(False)
    expect(page.get_by_text("waiting")).to_have_count(0, timeout=60_000)
    [hand] = scorekeeper.get(f"{path}/document")["hands"]
    assert hand["players"][2]["bottom"][-1] == "2c"


@pytest.mark.thorough
def test_who_is_entering_a_hand_is_shown(scorekeeper: ScorekeeperPage, other: ScorekeeperPage) -> None:
    fragment, table = issue_link(scorekeeper, "scorekeeper")
    scorekeeper.join()
    scorekeeper.page.get_by_role("button", name=table).click()
    other.open(f"/scorekeeper/{fragment}")
    other.enter_hand()
    shown = scorekeeper.page.get_by_text("Anna's phone is entering hand 1")
    expect(shown).to_be_visible()
    other.page.get_by_role("button", name="Back to the round").click()
    expect(shown).to_have_count(0)
