"""The hands of a round on the page: what was recorded, and corrections of single cards."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.support.browser.scorekeeper_page import (
    BOARDS,
    SECOND,
    ScorekeeperPage,
    list_cards,
    list_players,
    undo_last,
    wait_for_promise,
    wait_for_worker,
)
from tests.web.pages.rounds.test_between_hands import open_table
from tests.web.pages.test_offline_rounds import wait_until_stored

pytestmark = pytest.mark.thorough


def record(scorekeeper: ScorekeeperPage, round_id: str, number: int = 1, **changed: Any) -> dict[str, Any]:
    """Record a hand over the API, and show it on the page."""
    boards = BOARDS if number == 1 else SECOND
    hand = {"number": number, "button": 3, "players": list_players(boards), **changed}
    response = scorekeeper.api.post(f"/v1/rounds/{round_id}/hands", json=hand)
    assert response.status_code == 201, response.text
    recorded: dict[str, Any] = response.json()
    return recorded


def record_both(scorekeeper: ScorekeeperPage, round_id: str, **changed: Any) -> None:
    record(scorekeeper, round_id)
    players = [{**player, "fantasyland": 0 if player["seat"] == 2 else 14} for player in list_players(SECOND)]
    record(scorekeeper, round_id, 2, players=players, **changed)


def open_hand(page: Page, number: int) -> None:
    page.locator(f'details[data-hand="{number}"] summary').tap()


def tap_recorded(page: Page, number: int, card: str) -> None:
    name = {"Qd": "queen of diamonds", "4c": "four of clubs", "2s": "two of spades"}[card]
    page.locator(f'details[data-hand="{number}"]').get_by_role("button", name=name, exact=True).tap()


def points_shown(page: Page) -> str:
    """What the only hand of the page shows while it is closed."""
    text = page.locator("summary").text_content()
    assert text is not None
    return text


def top_of(scorekeeper: ScorekeeperPage, round_id: str, seat: int, number: int = 1) -> list[str]:
    document = scorekeeper.get(f"/v1/rounds/{round_id}/document")
    cards: list[str] = document["hands"][number - 1]["players"][seat - 1]["top"]
    return cards


def test_recorded_hands_show_their_boards_and_results(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round(stack=3)
    record(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    expect(page.locator(".hand-details .payments")).to_contain_text("4 due, ben has no more")
    [first] = scorekeeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    for player in first["players"]:
        board = page.locator(f'details[data-hand="1"] .recorded >> nth={player["seat"] - 1}')
        shown = board.inner_text().replace("−", "-")
        assert player["player"] in shown
        assert f"{first['stacks'][str(player['seat'])] - 3:+d}, {player['points']:+d} before caps" in shown
        for row in player["rows"].values():
            assert row["description"] in shown
        cards = [str(card).partition(",")[0] for card in board.locator(".card .hidden-text").all_text_contents()]
        assert len(cards) == 13
    assert "queen of spades" in page.locator(".recorded").first.locator(".hidden-text").all_text_contents()


HAS_STORED_A_HAND = """() => new Promise((done) => {
    const opening = indexedDB.open("tablestakes-scorekeeper");
    opening.onsuccess = () => {
        const reading = opening.result.transaction("rounds").objectStore("rounds").getAll();
        reading.onsuccess = () => {
            opening.result.close();
            done(reading.result.some(({ document }) => document.hands.length === 1));
        };
    };
})"""


def test_recorded_and_waiting_hands_are_shown_without_a_network(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    page = scorekeeper.page
    wait_for_worker(page)
    expect(page.locator('details[data-hand="1"]')).to_be_visible()
    wait_for_promise(page, HAS_STORED_A_HAND)
    context.set_offline(True)
    page.reload()
    open_hand(page, 1)
    expect(page.locator('details[data-hand="1"] .recorded .card')).to_have_count(39)
    expect(page.locator('details[data-hand="1"] .payments')).to_be_visible()
    scorekeeper.enter_hand(2)
    scorekeeper.tap_cards(list_cards(SECOND))
    scorekeeper.save()
    waiting = page.locator('details[data-hand="2"]')
    expect(waiting).to_contain_text("waiting")
    open_hand(page, 2)
    expect(waiting.locator(".recorded .card")).to_have_count(39)
    expect(waiting.get_by_role("button")).to_have_count(0)


def test_a_card_is_corrected_after_the_old_and_the_new_result_were_compared(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    tap_recorded(page, 1, "Qd")
    page.locator('[data-choose="3d"]').tap()
    old, new = (page.locator(".side-by-side .recorded").nth(index) for index in (0, 1))
    expect(new).to_contain_text("queen high")
    expect(old).to_contain_text("pair of queens")
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["version"] == 2, "nothing is recorded before it is confirmed"
    changes = [text.replace("−", "-") for text in page.locator(".correction td:last-child").all_inner_texts()]
    before = [seat["stack"] for seat in scorekeeper.get(f"/v1/rounds/{round_['id']}")["seats"]]
    page.get_by_role("button", name="Correct hand 1").tap()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["version"] == 2, "a reason is required"
    expect(page.locator("summary .pill")).to_have_count(0)
    page.get_by_role("button", name="Seen on video").tap()
    expect(page.get_by_label("Reason")).to_have_value("Seen on video")
    page.get_by_role("button", name="Correct hand 1").tap()
    expect(page.locator(".correction")).to_have_count(0)
    expect(page.locator("summary .pill")).to_have_text("corrected")
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}/settlement")["reason"] == "Seen on video"
    after = scorekeeper.get(f"/v1/rounds/{round_['id']}")
    assert after["version"] == 3
    assert top_of(scorekeeper, round_["id"], 1) == ["Qs", "3d", "4c"]
    assert [int(text) for text in changes] == [
        seat["stack"] - stack for seat, stack in zip(after["seats"], before, strict=True)
    ]
    expect(page.locator("tbody tr").first).to_contain_text(str(after["seats"][0]["stack"]))


def test_a_correction_shows_whether_later_results_change_or_only_stacks(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record_both(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    page.locator('details[data-hand="1"]').get_by_role("button", name="jack of spades", exact=True).tap()
    page.locator('[data-choose="Th"]').tap()
    correction = page.locator(".correction")
    expect(correction).to_contain_text("The stacks after hand 2 change too.")
    expect(correction).not_to_contain_text("result")


def test_two_cards_of_a_hand_change_places(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    tap_recorded(page, 1, "4c")
    page.locator('[data-choose="2s"]').tap()
    expect(page.locator(".side-by-side")).to_have_count(2)
    page.get_by_label("Reason").fill("cards of ann and ben exchanged")
    page.keyboard.press("Enter")
    expect(page.locator(".correction")).to_have_count(0)
    assert top_of(scorekeeper, round_["id"], 1) == ["Qs", "Qd", "2s"]
    assert top_of(scorekeeper, round_["id"], 2) == ["Ac", "8d", "4c"]


def test_a_correction_that_later_hands_cannot_follow_is_refused_until_they_are_accepted(
    scorekeeper: ScorekeeperPage,
) -> None:
    round_ = scorekeeper.add_round()
    record_both(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    tap_recorded(page, 1, "Qd")
    page.locator('[data-choose="3d"]').tap()
    # Without the pair of queens, seat 1 did not earn the Fantasyland of hand 2.
    expect(page.locator(".correction .notice.error")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_count(0)
    page.get_by_label("Accept the later hands as played").check()
    page.get_by_label("Reason").fill("looked at again")
    page.get_by_role("button", name="Correct hand 1").tap()
    expect(page.locator(".correction")).to_have_count(0)
    hands = scorekeeper.get(f"/v1/rounds/{round_['id']}/hands")["hands"]
    assert [bool(hand["irregular"]) for hand in hands] == [False, True]


def test_a_correction_of_a_round_that_changed_meanwhile_is_refused(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    tap_recorded(page, 1, "Qd")
    page.locator('[data-choose="3d"]').tap()
    page.get_by_label("Reason").fill("looked at again")
    points = points_shown(page)
    change = {"hand": 1, "seat": 1, "row": "top", "cards": ["Qs", "3h", "4c"]}
    version = scorekeeper.get(f"/v1/rounds/{round_['id']}")["version"]
    correction = {"reason": "by another", "version": version, "changes": [change]}
    corrected = scorekeeper.api.post(f"/v1/rounds/{round_['id']}/corrections", json=correction)
    assert corrected.status_code == 201, corrected.text
    # The page shows the other correction, and goes on with its own.
    expect(page.locator("summary")).not_to_have_text(points)
    page.get_by_role("button", name="Correct hand 1").tap()
    expect(page.locator(".correction .notice.error")).to_contain_text(
        "The round has changed since this page was opened."
    )
    assert top_of(scorekeeper, round_["id"], 1) == ["Qs", "3h", "4c"]


def test_a_correction_of_a_hand_that_was_undone_meanwhile_ends(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    tap_recorded(page, 1, "Qd")
    page.locator('[data-choose="3d"]').tap()
    expect(page.get_by_label("Reason")).to_be_visible()
    undo_last(scorekeeper.api, f"/v1/rounds/{round_['id']}")
    expect(page.locator(".correction")).to_have_count(0)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["hands"] == 0


def test_a_correction_without_a_response_is_sent_again_and_recorded_once(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    tap_recorded(page, 1, "Qd")
    page.locator('[data-choose="3d"]').tap()
    page.get_by_label("Reason").fill("looked at again")

    def lose_response(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/corrections?dry_run=false", lose_response, times=1)
    points = points_shown(page)
    page.get_by_role("button", name="Correct hand 1").tap()
    expect(page.locator(".correction .notice.error")).to_contain_text("does not respond")
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["version"] == 3
    expect(page.locator("summary")).not_to_have_text(points)
    page.get_by_role("button", name="Correct hand 1").tap()
    expect(page.locator(".correction")).to_have_count(0)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["version"] == 3


def test_a_card_is_corrected_by_keyboard(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    page.locator("summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="queen of diamonds").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="queen of diamonds")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator('[data-choose="3d"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator(".correction > h3")).to_be_focused()
    page.get_by_label("Reason").focus()
    page.keyboard.type("looked at again")
    page.keyboard.press("Enter")
    expect(page.locator(".correction")).to_have_count(0)
    assert top_of(scorekeeper, round_["id"], 1) == ["Qs", "3d", "4c"]


def test_the_hands_are_shown_after_the_link_was_revoked(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple")
    record(scorekeeper, round_["id"])
    page = scorekeeper.page
    expect(page.locator('details[data-hand="1"]')).to_be_visible()
    wait_until_stored(scorekeeper, round_)
    [link] = scorekeeper.get(f"/v1/links?table={round_['table']}")["links"]
    assert scorekeeper.api.delete(f"/v1/links/{link['id']}").status_code == 204
    page.reload()
    expect(page.get_by_role("alert").filter(has_text="no longer valid")).to_be_visible()
    open_hand(page, 1)
    expect(page.locator(".recorded .card")).to_have_count(39)
    expect(page.get_by_text("API key")).to_have_count(0)


def test_a_hand_of_a_round_that_has_ended_is_disputed(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    scorekeeper.page.reload()
    page = scorekeeper.page
    open_hand(page, 1)
    expect(page.get_by_role("button", name="Dispute hand 1")).to_have_count(0)
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"}).status_code == 200
    page.reload()
    open_hand(page, 1)
    page.get_by_role("button", name="Dispute hand 1").tap()
    page.get_by_label("Who disputes it").select_option("ben")
    page.get_by_label("What is wrong").fill("the third card on top was the three of clubs")
    page.get_by_role("button", name="Open the dispute").tap()
    expect(page.get_by_text("A dispute of hand 1 is open.")).to_be_visible()
    [dispute] = scorekeeper.get(f"/v1/disputes?round={round_['id']}")["disputes"]
    assert (dispute["hand"], dispute["by"]) == (1, "ben")


def test_a_hand_of_an_earlier_round_is_corrected(scorekeeper: ScorekeeperPage) -> None:
    round_ = scorekeeper.add_round()
    record(scorekeeper, round_["id"])
    assert scorekeeper.api.post(f"/v1/rounds/{round_['id']}/close", json={"reason": "late"}).status_code == 200
    seats = [{"seat": seat["seat"], "player": seat["player"]} for seat in round_["seats"]]
    opened = scorekeeper.api.post(f"/v1/tables/{round_['table']}/rounds", json={"seats": seats}).json()
    page = scorekeeper.page
    page.reload()
    # The page shows the round that is stored on the device until it has received this one.
    expect(page.get_by_role("cell", name="206")).to_be_visible()
    # The round before has these stacks too, once its hand was read.
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    page.get_by_role("button", name="Earlier rounds").tap()
    page.locator(".choice").tap()
    open_hand(page, 1)
    tap_recorded(page, 1, "Qd")
    page.locator('[data-choose="3d"]').tap()
    expect(page.get_by_text("ann started the next round with 206; that round does not change.")).to_be_visible()
    page.get_by_label("Reason").fill("looked at again")
    page.get_by_role("button", name="Correct hand 1").tap()
    expect(page.locator(".correction")).to_have_count(0)
    assert top_of(scorekeeper, round_["id"], 1) == ["Qs", "3d", "4c"]
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    assert scorekeeper.get(f"/v1/rounds/{opened['id']}")["seats"][0]["opening_stack"] == 206


def test_a_departure_that_a_correction_drops_has_the_name_of_the_player(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple")
    record(scorekeeper, round_["id"])
    page = scorekeeper.page

    def drop(route: Route) -> None:
        response = route.fetch()
        dropped = [{"seat": 2, "after_hand": 1, "reason": None}]
        route.fulfill(response=response, json={**response.json(), "dropped_departures": dropped})

    page.route("**/corrections?dry_run=true", drop)
    open_hand(page, 1)
    tap_recorded(page, 1, "Qd")
    page.locator('[data-choose="3d"]').tap()
    expect(page.get_by_text("That ben left after hand 1 no longer counts.")).to_be_visible()
