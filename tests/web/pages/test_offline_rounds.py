"""An evening without a network: rounds end and open on the device, and the service agrees with it afterwards."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from scoring.cards import DECK
from scoring.ruleset import BOARD_SIZE
from tests.oracle import play
from tests.support.browser.scorekeeper_page import (
    ScorekeeperPage,
    list_cards,
    list_players,
    undo_last,
    wait_for_promise,
)
from tests.support.scoring.strategies import set_cards
from tests.support.server_process import wait_until
from tests.web.pages.conftest import OpenScorekeeper
from tests.web.pages.test_rules_on_device import wait_for_rules, wait_until_rules_are_cached

pytestmark = pytest.mark.with_rules
SYNC = 60_000
Boards = dict[int, tuple[str, ...]]


def deal(seed: int) -> Iterator[Boards]:
    """Yield boards of three players, dealt at random and set as players might."""
    random = Random(seed)
    while True:
        cards = random.sample(DECK, 3 * BOARD_SIZE)
        boards = [set_cards(cards[at : at + BOARD_SIZE]) for at in range(0, len(cards), BOARD_SIZE)]
        yield {seat: tuple(" ".join(map(str, row)) for row in board.rows) for seat, board in enumerate(boards, 1)}


def read_stacks(scorekeeper: ScorekeeperPage) -> list[int]:
    """Return the stacks that the page of the round shows, by seat."""
    return [int(text) for text in scorekeeper.page.locator("table.figures tbody tr td:last-child").all_inner_texts()]


def play_to_the_end(scorekeeper: ScorekeeperPage, boards: Iterator[Boards], first: int) -> int:
    """Enter hands until the round is complete, and return how many the round has."""
    number = first
    scorekeeper.enter_hand(first)
    while True:
        scorekeeper.expect_hand(number)
        if scorekeeper.page.locator('.dealer[aria-pressed="true"]').count() == 0:
            scorekeeper.choose_button(1)
        scorekeeper.tap_cards(list_cards(next(boards)))
        expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
        is_last = scorekeeper.page.get_by_text("The round is complete.").count() > 0
        scorekeeper.save()
        if is_last:
            expect(scorekeeper.page.get_by_role("heading", name="Open a round")).to_be_visible()
            return number
        number += 1


def check_with_oracle(scorekeeper: ScorekeeperPage, round_: dict[str, Any], stacks: list[int]) -> None:
    """Check that the stacks of the phone, of the service and of the oracle are equal."""
    document = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")
    ruleset = scorekeeper.get(f"/v1/rulesets/{round_['ruleset']}")
    settled = scorekeeper.get(f"/v1/rounds/{round_['id']}/settlement")["stacks"]
    expected = play(document, ruleset)["settlement"]["stacks"]
    assert [settled[seat] for seat in ("1", "2", "3")] == stacks
    assert [expected[seat] for seat in ("1", "2", "3")] == stacks


def list_rounds(scorekeeper: ScorekeeperPage, table: str) -> list[dict[str, Any]]:
    rounds: list[dict[str, Any]] = scorekeeper.get(f"/v1/rounds?table={table}")["rounds"]
    return rounds[::-1]


IS_STORED = """async ([table, round, hands]) => {
  const request = indexedDB.open("tablestakes-scorekeeper");
  const database = await new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const read = (store, key) => new Promise((resolve, reject) => {
    const found = database.transaction(store).objectStore(store).get(key);
    found.onsuccess = () => resolve(found.result);
    found.onerror = () => reject(found.error);
  });
  const [storedRound, storedTable] = [await read("rounds", round), await read("tables", table)];
  database.close();
  return storedRound?.round.hands === hands && storedTable?.round?.hands === hands && storedTable.ruleset !== undefined;
}"""


def wait_until_stored(scorekeeper: ScorekeeperPage, round_: dict[str, Any]) -> None:
    """Wait until the page has stored what it needs to continue the round without a network."""
    hands = scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"]
    wait_for_promise(scorekeeper.page, IS_STORED, [round_["table"], round_["id"], hands])


@pytest.fixture
def offline_after_two_hands(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> tuple[ScorekeeperPage, dict[str, Any]]:
    """A round with two hands on a phone that has just lost the network."""
    scorekeeper = open_scorekeeper()
    round_ = scorekeeper.add_round()
    wait_for_rules(scorekeeper)
    wait_until_rules_are_cached(scorekeeper)
    boards = deal(1)
    for number, button in ((1, 1), (2, 2)):
        hand = {"number": number, "button": button, "players": list_players(next(boards))}
        assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/hands", json=hand).status_code == 201
    # The page shows what others record.
    expect(scorekeeper.page.get_by_role("button", name="Enter hand 3")).to_be_visible()
    wait_until_stored(scorekeeper, round_)
    context.set_offline(True)
    return scorekeeper, round_


@pytest.mark.thorough
def test_rounds_end_and_open_offline(
    offline_after_two_hands: tuple[ScorekeeperPage, dict[str, Any]],
    open_scorekeeper: OpenScorekeeper,
    context: BrowserContext,
) -> None:
    scorekeeper, round_ = offline_after_two_hands
    boards = deal(2)
    last = play_to_the_end(scorekeeper, boards, 3)
    stacks = [read_stacks(scorekeeper)]
    scorekeeper.page.get_by_role("button", name="Open the round").click()
    scorekeeper.expect_hand(1)
    scorekeeper.choose_button(2)
    cards = list_cards(next(boards))
    scorekeeper.tap_cards(cards[:7])
    scorekeeper.kill(filled=7)

    again = open_scorekeeper()
    again.expect_hand(1)
    expect(again.page.locator(".place.filled")).to_have_count(7)
    again.tap_cards(cards[7:])
    expect(again.page.locator("[data-score]")).to_have_count(3, timeout=SYNC)
    again.save()
    again.expect_hand(2)
    again.page.get_by_role("button", name="Back to the round").click()
    again.page.get_by_role("button", name="Undo hand 1").click()
    again.page.get_by_role("button", name="Undo hand 1").click()
    expect(again.page.get_by_text("New round")).to_be_visible()
    # Other cards are entered than those that were undone.
    again.page.get_by_role("button", name="Change hand 1").click()
    again.page.get_by_role("button", name="Clear").click()
    again.page.get_by_role("button", name="Back to the round").click()
    again_last = play_to_the_end(again, boards, 1)
    stacks.append(read_stacks(again))
    assert len(list_rounds(again, round_["table"])) == 1

    context.set_offline(False)
    again.expect_sent()
    rounds = list_rounds(again, round_["table"])
    assert [(each["status"], each["hands"]) for each in rounds] == [("complete", last), ("complete", again_last)]
    for recorded, shown in zip(rounds, stacks, strict=True):
        check_with_oracle(again, recorded, shown)
    assert read_stacks(again) == stacks[-1]


@pytest.mark.thorough
def test_other_stacks_of_the_service_are_explained_and_resolved(
    offline_after_two_hands: tuple[ScorekeeperPage, dict[str, Any]], context: BrowserContext
) -> None:
    scorekeeper, round_ = offline_after_two_hands
    page = scorekeeper.page
    page.get_by_role("button", name="Close the round").click()
    page.get_by_label("Reason").fill("dinner")
    page.get_by_role("button", name="Close the round").click()
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_text("offline, 2 waiting")).to_be_visible()
    stacks = read_stacks(scorekeeper)
    # Another device undoes a hand meanwhile.
    undo_last(scorekeeper.api, f"/v1/rounds/{round_['id']}")
    context.set_offline(False)
    ended = page.get_by_role("alert", name="End of the round")
    expect(ended).to_contain_text("Another device has recorded or undone a hand since.", timeout=SYNC)
    ended.get_by_role("button", name="Try again").click()
    refused = page.get_by_role("alert", name="Opening of the round")
    expect(refused).to_be_visible(timeout=SYNC)
    refused.get_by_role("button", name="Edit").click()
    assert [page.get_by_label(f"Stack of seat {seat}").input_value() for seat in (1, 2, 3)] == [*map(str, stacks)]
    page.get_by_role("button", name="Open the round").click()
    scorekeeper.expect_sent()
    opened = list_rounds(scorekeeper, round_["table"])[-1]
    assert [seat["opening_stack"] for seat in opened["seats"]] == stacks


def open_offline(scorekeeper: ScorekeeperPage, context: BrowserContext) -> str:
    """Open a round without a network, save its first hand, and return the table."""
    round_ = scorekeeper.add_round()
    page = scorekeeper.page
    wait_for_rules(scorekeeper)
    wait_until_stored(scorekeeper, round_)
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"}).status_code == 200
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    context.set_offline(True)
    page.get_by_role("button", name="Open the round").click()
    scorekeeper.enter_hand()
    scorekeeper.choose_button(2)
    scorekeeper.tap_cards(list_cards())
    expect(page.locator("[data-score]")).to_have_count(3)
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    page.get_by_role("button", name="Back to the round").click()
    return str(round_["table"])


@pytest.fixture
def opened_twice(open_scorekeeper: OpenScorekeeper, context: BrowserContext) -> tuple[ScorekeeperPage, str]:
    """A round with a hand that was opened on a phone, and refused because another device opened one; its table."""
    scorekeeper = open_scorekeeper()
    table = open_offline(scorekeeper, context)
    page = scorekeeper.page
    seats = [{"seat": seat, "player": player} for seat, player in enumerate(("ann", "ben", "cyd"), 1)]
    assert scorekeeper.api.post(f"/v1/tables/{table}/rounds", json={"seats": seats}).status_code == 201
    context.set_offline(False)
    expect(page.get_by_role("alert", name="Opening of the round")).to_contain_text(
        "The table has an open round.", timeout=SYNC
    )
    return scorekeeper, table


@pytest.mark.thorough
def test_another_open_round_is_shown_and_closed(opened_twice: tuple[ScorekeeperPage, str]) -> None:
    scorekeeper, table = opened_twice
    page = scorekeeper.page
    expect(page.get_by_role("heading", name="After 1 hand")).to_be_visible()
    page.get_by_role("button", name="Show the open round").click()
    expect(page.get_by_role("heading", name="New round")).to_be_visible()
    page.get_by_role("button", name="Back to the round of this device").click()
    expect(page.get_by_role("heading", name="After 1 hand")).to_be_visible()
    page.get_by_role("button", name="Show the open round").click()
    page.get_by_role("button", name="Close the round").click()
    page.get_by_label("Reason").fill("opened twice")
    page.get_by_role("button", name="Close the round").click()
    expect(page.get_by_role("heading", name="After 1 hand")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    scorekeeper.expect_sent()
    rounds = [(each["status"], each["hands"]) for each in list_rounds(scorekeeper, table)]
    assert rounds == [("closed", 0), ("open", 1), ("closed", 0)], "in the order in which they were opened"
    page.get_by_role("button", name="Close the round").click()
    page.get_by_label("Reason").fill("late")
    with page.expect_response(lambda response: "/v1/rounds?" in response.url and response.status == 200):
        page.get_by_role("button", name="Close the round").click()
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    expect(page.get_by_role("heading", name="After 1 hand")).to_be_visible()


@pytest.mark.thorough
def test_an_opening_that_is_refused_twice_loses_no_hand(opened_twice: tuple[ScorekeeperPage, str]) -> None:
    scorekeeper, table = opened_twice
    page = scorekeeper.page
    refused = page.get_by_role("alert", name="Opening of the round")
    refused.get_by_role("button", name="Edit").click()
    with page.expect_response(f"**/v1/tables/{table}/rounds") as response:
        page.get_by_role("button", name="Open the round").click()
    assert response.value.status == 409
    expect(refused).to_contain_text("The table has an open round.")
    expect(page.get_by_text("2 waiting")).to_be_visible()
    expect(page.get_by_role("heading", name="After 1 hand")).to_be_visible()
    other = list_rounds(scorekeeper, table)[-1]
    assert scorekeeper.api.post(f"/v1/rounds/{other['id']}/close", json={"reason": "opened twice"}).status_code == 200
    refused.get_by_role("button", name="Try again").click()
    scorekeeper.expect_sent()
    assert [each["hands"] for each in list_rounds(scorekeeper, table)] == [0, 1, 0]


CLOCK_AHEAD = "const now = Date.now; Date.now = () => now() + 3_600_000"


@pytest.mark.thorough
def test_a_clock_that_is_ahead_does_not_stop_the_opening_of_a_round(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    context.add_init_script(CLOCK_AHEAD)
    scorekeeper = open_scorekeeper()
    round_ = scorekeeper.add_round()
    page = scorekeeper.page
    wait_for_rules(scorekeeper)
    wait_until_rules_are_cached(scorekeeper)
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"}).status_code == 200
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_role("heading", name="New round")).to_be_visible()
    assert wait_until(lambda: len(list_rounds(scorekeeper, round_["table"])) == 2)
    [closed, opened] = list_rounds(scorekeeper, round_["table"])
    assert closed["opened_at"] < opened["opened_at"]

    # A page that opens without a network knows the time of the service from before.
    assert scorekeeper.api.post(f"/v1/rounds/{opened['id']}/close", json={"reason": "late"}).status_code == 200
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    context.set_offline(True)
    page.reload()
    wait_for_rules(scorekeeper)
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_text("offline, 1 waiting")).to_be_visible()
    context.set_offline(False)
    scorekeeper.expect_sent()
    assert [each["status"] for each in list_rounds(scorekeeper, round_["table"])] == ["closed", "closed", "open"]


@pytest.mark.thorough
def test_another_open_round_is_explained_and_resolved(
    offline_after_two_hands: tuple[ScorekeeperPage, dict[str, Any]], context: BrowserContext
) -> None:
    scorekeeper, round_ = offline_after_two_hands
    play_to_the_end(scorekeeper, deal(2), 3)
    page = scorekeeper.page
    page.get_by_role("button", name="Open the round").click()
    scorekeeper.expect_hand(1)
    page.get_by_role("button", name="Back to the round").click()
    path = f"/v1/rounds/{round_['id']}"
    assert scorekeeper.api.post(f"{path}/close", json={"reason": "late"}).status_code == 200
    seats = [{"seat": seat, "player": player} for seat, player in enumerate(("ann", "ben", "cyd"), 1)]
    other = scorekeeper.api.post(f"/v1/tables/{round_['table']}/rounds", json={"seats": seats})
    assert other.status_code == 201
    context.set_offline(False)
    refused = page.get_by_role("alert", name="Hand 3")
    expect(refused).to_be_visible(timeout=SYNC)
    refused.get_by_role("button", name="Drop").click()
    last = refused.get_by_role("group", name="Drop").get_by_role("button").first.inner_text()
    assert last.startswith("Drop Hand 3")
    refused.get_by_role("button", name=last).click()
    refused = page.get_by_role("alert", name="Opening of the round")
    expect(refused).to_contain_text("The table has an open round.", timeout=SYNC)
    refused.get_by_role("button", name="Drop").click()
    refused.get_by_role("button", name="Drop Opening of the round").click()
    scorekeeper.expect_sent()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    assert [each["status"] for each in list_rounds(scorekeeper, round_["table"])] == ["closed", "open"]
