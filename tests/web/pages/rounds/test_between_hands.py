"""What is done between two hands: points added, players who leave, the next round, and settling up."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, list_players

pytestmark = pytest.mark.thorough

PLAIN = {
    1: ("9s 8d 4c", "Ks Kd 9h 8h 3c", "Ah Jh 7h 6h 2h"),
    2: ("Ac 5h 2s", "Ts Tc 5d 5c 6s", "7s 7d 6d Jd Js"),
    3: ("Th 7c 3s", "9c 9d 8s 8c 4h", "As Ad Qh Qc 2d"),
}
"""Boards of which none earns Fantasyland and none is foul."""

AGAIN = {**PLAIN, 1: ("9s 8d 2s", *PLAIN[1][1:]), 2: ("Ac 5h 4c", *PLAIN[2][1:])}
"""Boards of another deal: the same ones again would be refused as the same hand."""


def open_table(
    scorekeeper: ScorekeeperPage, ruleset: str, stacks: tuple[int, ...] = (200, 200, 200), **table: Any
) -> dict[str, Any]:
    """Add a table with an open round, and open it on the page with a scorekeeper's link."""
    name = scorekeeper.add_table()["name"] + " linked"
    added = scorekeeper.api.post("/v1/tables", json={"name": name, "ruleset": ruleset, **table}).json()
    seats = [
        {"seat": seat, "player": player, "stack": stack}
        for seat, (player, stack) in enumerate(zip(("ann", "ben", "cyd"), stacks, strict=True), 1)
    ]
    round_ = scorekeeper.api.post(f"/v1/tables/{added['id']}/rounds", json={"seats": seats}).json()
    link = scorekeeper.api.post("/v1/links", json={"table": added["id"], "kind": "scorekeeper"}).json()
    scorekeeper.open(f"/scorekeeper/#{link['url'].partition('#')[2]}")
    expect(scorekeeper.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    return dict(round_)


def play(scorekeeper: ScorekeeperPage, number: int, button: int | None = None) -> None:
    scorekeeper.enter_hand(number)
    if button is not None:
        scorekeeper.choose_button(button)
    scorekeeper.tap_cards(list_cards(PLAIN if number == 1 else AGAIN))
    scorekeeper.save()
    scorekeeper.expect_hand(number + 1)
    scorekeeper.expect_sent()
    scorekeeper.page.get_by_role("button", name="Back to the round").tap()


def open_players(page: Page) -> None:
    page.get_by_role("button", name="Top up or leave").tap()
    expect(page.get_by_text("Loading…")).to_have_count(0)


def test_the_reason_against_top_ups_and_departures_is_shown_before_any_card(scorekeeper: ScorekeeperPage) -> None:
    open_table(scorekeeper, "pineapple")
    open_players(scorekeeper.page)
    panel = scorekeeper.page.locator("section", has=scorekeeper.page.get_by_role("heading", name="Top up or leave"))
    expect(panel).to_contain_text("Under the rules of this table, points are added only between rounds.")
    expect(panel).to_contain_text("Under the rules of this table, players leave only between rounds.")
    expect(panel.get_by_role("textbox")).to_have_count(0)
    expect(panel.get_by_role("button")).to_have_count(0)


def test_points_are_added_before_the_next_hand(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple-qq")
    open_players(scorekeeper.page)
    expect(scorekeeper.page.get_by_label("Points that ben adds")).to_have_attribute("placeholder", "Points")
    scorekeeper.page.get_by_label("Points that ben adds").fill("50")
    scorekeeper.page.get_by_label("Points that ben adds").press("Enter")
    expect(scorekeeper.page.get_by_text("Before the next hand: ben adds 50.")).to_be_visible()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["version"] == 1, "top-ups are recorded with the hand"
    scorekeeper.page.reload()
    scorekeeper.enter_hand()
    expect(scorekeeper.page.locator('[data-seat="2"] .seat-title')).to_contain_text("250 (50 added)")
    scorekeeper.choose_button(3)
    scorekeeper.tap_cards(list_cards(PLAIN))
    expect(scorekeeper.page.locator("[data-score]")).to_have_count(3)
    shown = [text.replace("−", "-") for text in scorekeeper.page.locator(".points").all_inner_texts()]
    scorekeeper.save()
    scorekeeper.expect_hand(2)
    scorekeeper.expect_sent()
    after = scorekeeper.get(f"/v1/rounds/{round_['id']}")
    assert [seat["top_ups"] for seat in after["seats"]] == [0, 50, 0]
    assert [int(text) for text in shown] == [
        seat["stack"] - seat["opening_stack"] - seat["top_ups"] for seat in after["seats"]
    ]
    scorekeeper.page.get_by_role("button", name="Back to the round").tap()
    expect(scorekeeper.page.get_by_text("Before the next hand")).to_have_count(0)


def test_a_busted_player_adds_points_and_plays_the_next_hand(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple-qq", (200, 200, 1))
    play(scorekeeper, 1, button=3)
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["next"]["seats"] == [1, 2]
    open_players(scorekeeper.page)
    scorekeeper.page.get_by_label("Points that cyd adds").fill("100")
    scorekeeper.page.get_by_role("form", name="cyd").get_by_role("button", name="Add").tap()
    expect(scorekeeper.page.get_by_text("cyd adds 100")).to_be_visible()
    play(scorekeeper, 2)
    document = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")
    assert document["hands"][1]["top_ups"] == [{"seat": 3, "points": 100}]
    assert [player["seat"] for player in document["hands"][1]["players"]] == [1, 2, 3]


def test_a_player_leaves_between_two_hands(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple-qq")
    open_players(scorekeeper.page)
    expect(
        scorekeeper.page.get_by_text("No hand has been played yet: a player can leave after the first one.")
    ).to_be_visible()
    play(scorekeeper, 1, button=3)
    scorekeeper.enter_hand(2)
    scorekeeper.tap_cards(["As", "Ks"])
    scorekeeper.page.get_by_role("button", name="Back to the round").tap()
    open_players(scorekeeper.page)
    scorekeeper.page.get_by_role("button", name="Leave: ann").tap()
    scorekeeper.page.get_by_role("button", name="ann leaves").tap()
    expect(scorekeeper.page.locator(".pill", has_text="left")).to_be_visible()
    assert scorekeeper.get(f"/v1/rounds/{round_['id']}")["next"]["seats"] == [2, 3]
    scorekeeper.enter_hand(2)
    assert scorekeeper.read_boards() == {}, "the cards of who left are free again"
    expect(scorekeeper.page.locator("[data-seat]")).to_have_count(2)


def test_who_leaves_adds_no_points(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple-qq")
    play(scorekeeper, 1, button=3)
    page = scorekeeper.page
    open_players(page)
    for player in ("ann", "ben"):
        page.get_by_label(f"Points that {player} adds").fill("50")
        page.get_by_label(f"Points that {player} adds").press("Enter")
        expect(page.get_by_text(f"{player} adds 50")).to_be_visible()
    page.get_by_role("button", name="Leave: ben").tap()
    page.get_by_role("button", name="ben leaves").tap()
    expect(page.get_by_text("Before the next hand: ann adds 50.")).to_be_visible()
    scorekeeper.enter_hand(2)
    expect(page.locator("[data-seat]")).to_have_count(2)
    scorekeeper.tap_cards(list_cards({seat: AGAIN[seat] for seat in (1, 3)}))
    scorekeeper.save()
    expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
    scorekeeper.expect_sent()
    document = scorekeeper.get(f"/v1/rounds/{round_['id']}/document")
    assert document["hands"][1]["top_ups"] == [{"seat": 1, "points": 50}]


def test_the_next_round_suggests_stacks_and_who_sits_out(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple", (200, 1, 200))
    play(scorekeeper, 1, button=3)
    page = scorekeeper.page
    page.get_by_role("button", name="Close the round").tap()
    page.get_by_label("Reason").fill("late")
    page.get_by_role("button", name="Close the round").tap()
    expect(page.get_by_role("button", name="Open the round")).to_be_visible()
    stacks = {seat["player"]: seat["stack"] for seat in scorekeeper.get(f"/v1/rounds/{round_['id']}")["seats"]}
    assert stacks["ben"] == 0
    assert page.get_by_label("Stack of seat 1").get_attribute("placeholder") == str(stacks["ann"])
    expect(page.get_by_label("Seat 2 plays")).not_to_be_checked()
    expect(page.get_by_label("Stack of seat 2")).to_have_value("1")
    # Ben buys in again, cyd leaves, and dan joins.
    page.get_by_label("Seat 2 plays").check()
    page.get_by_label("Stack of seat 2").fill("150")
    page.get_by_label("Seat 3 plays").uncheck()
    page.get_by_role("button", name="Add a seat").tap()
    page.get_by_label("Player in seat 4").fill("dan")
    page.get_by_label("Stack of seat 4").fill("80")
    page.get_by_role("button", name="Open the round").tap()
    expect(page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    [opened] = scorekeeper.get(f"/v1/rounds?table={round_['table']}&status=open")["rounds"]
    assert {seat["player"]: seat["opening_stack"] for seat in opened["seats"]} == {
        "ann": stacks["ann"],
        "ben": 150,
        "dan": 80,
    }


def test_tonight_is_settled_up_in_money(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple", point_value=50, unit="EUR")
    play(scorekeeper, 1, button=3)
    # A round of last year belongs to another evening.
    name = scorekeeper.get(f"/v1/tables/{round_['table']}")["name"]
    old = {
        "ruleset": "pineapple",
        "table": name,
        "opened_at": "2025-11-20T20:00:00Z",
        "point_value": 50,
        "unit": "EUR",
        "seats": [
            {"seat": seat, "player": player, "stack": 100} for seat, player in enumerate(("ann", "ben", "cyd"), 1)
        ],
        "hands": [{"number": 1, "button": 3, "players": list_players(PLAIN)}],
        "closed": {"after_hand": 1, "reason": "late"},
    }
    response = scorekeeper.api.post("/v1/documents", json=old)
    assert response.status_code == 201, response.text
    statement = f"/v1/tables/{round_['table']}/statement"
    page = scorekeeper.page
    show_results(page)
    lines = page.locator(".settle-lines li")
    expect(lines).not_to_have_count(0)
    tonight = scorekeeper.get(f"{statement}?from={round_['opened_at']}")["payments"]["money"]
    assert lines.all_inner_texts() == [
        f"{each['payer']} pays {each['payee']} €{each['amount'] / 100:.2f}" for each in tonight
    ]
    page.get_by_role("button", name="All rounds").tap()
    every = scorekeeper.get(statement)["payments"]["money"]
    assert every != tonight
    expect(lines).to_have_text([f"{each['payer']} pays {each['payee']} €{each['amount'] / 100:.2f}" for each in every])


def show_results(page: Page) -> None:
    """Show the results of the evening."""
    page.get_by_role("button", name="Settle up").tap()
    page.get_by_role("button", name="Tonight").tap()


def test_points_without_a_value_have_no_column_of_money(scorekeeper: ScorekeeperPage) -> None:
    open_table(scorekeeper, "pineapple")
    play(scorekeeper, 1, button=3)
    page = scorekeeper.page
    show_results(page)
    panel = page.get_by_role("region", name="Settle up")
    expect(panel.locator(".settle-lines li")).not_to_have_count(0)
    expect(panel.get_by_role("columnheader")).to_have_text(["Player", "Net"])


def test_settling_up_is_shown_when_the_service_responds_again(scorekeeper: ScorekeeperPage) -> None:
    open_table(scorekeeper, "pineapple")
    play(scorekeeper, 1, button=3)
    page = scorekeeper.page
    page.route("**/statement?*", lambda route: route.abort())
    show_results(page)
    panel = page.locator("section", has=page.get_by_role("heading", name="Settle up"))
    expect(panel.get_by_role("alert")).to_contain_text("The service does not respond")
    page.unroute("**/statement?*")
    expect(panel.locator(".settle-lines li")).not_to_have_count(0)
    expect(panel.get_by_role("alert")).to_have_count(0)


def test_the_reason_of_refused_points_is_at_the_player(scorekeeper: ScorekeeperPage) -> None:
    open_table(scorekeeper, "pineapple-qq")
    open_players(scorekeeper.page)
    field = scorekeeper.page.get_by_label("Points that ben adds")
    field.fill("99999999999999999999")
    field.press("Enter")
    form = scorekeeper.page.get_by_role("form", name="ben")
    expect(form.get_by_role("alert")).to_be_in_viewport()
    field.fill("50")
    field.press("Enter")
    expect(scorekeeper.page.get_by_text("Before the next hand: ben adds 50.")).to_be_visible()
    expect(scorekeeper.page.get_by_role("alert")).to_have_count(0)


def test_the_settlement_is_shared_as_text_and_saved_as_csv(
    scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    open_table(scorekeeper, "pineapple", point_value=50, unit="EUR")
    play(scorekeeper, 1, button=3)
    page = scorekeeper.page
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    show_results(page)
    lines = page.locator(".settle-lines li").first
    expect(lines).to_be_visible()
    page.get_by_role("button", name="Share").tap()
    expect(page.get_by_text("Copied as text.")).to_be_visible()
    assert lines.inner_text() in page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").tap()
    assert download.value.suggested_filename.endswith(".csv")
    rows = download.value.path().read_text().splitlines()
    assert rows[0].startswith("player,table,rounds")
    assert {row.split(",")[0] for row in rows[1:]} == {"ann", "ben", "cyd"}


def test_a_shared_text_is_given_to_the_device_where_it_can_share(scorekeeper: ScorekeeperPage) -> None:
    open_table(scorekeeper, "pineapple")
    play(scorekeeper, 1, button=3)
    page = scorekeeper.page
    page.evaluate("() => { navigator.share = async ({ text }) => { window.shared = text } }")
    show_results(page)
    line = page.locator(".settle-lines li").first
    expect(line).to_contain_text("points")
    page.get_by_role("button", name="Share").tap()
    assert line.inner_text() in page.evaluate("window.shared")


def test_a_link_offers_what_its_scopes_allow(scorekeeper: ScorekeeperPage) -> None:
    round_ = open_table(scorekeeper, "pineapple")
    play(scorekeeper, 1, button=3)
    scorekeeper.page.locator("summary").tap()
    expect(scorekeeper.page.get_by_text("Tap a card to correct it.")).to_be_visible()
    expect(scorekeeper.page.get_by_role("button", name="Dispute hand 1")).to_have_count(0)
    viewer = scorekeeper.api.post("/v1/links", json={"table": round_["table"], "kind": "viewer"}).json()
    scorekeeper.open(f"/scorekeeper/#{viewer['url'].rpartition('/')[2]}")
    expect(scorekeeper.page.get_by_role("button", name="Undo hand 1")).to_have_count(0)
    scorekeeper.page.reload()
    scorekeeper.page.locator("summary").tap()
    expect(scorekeeper.page.locator(".recorded .card")).to_have_count(39)
    expect(scorekeeper.page.locator(".recorded button")).to_have_count(0)
    expect(scorekeeper.page.get_by_role("button", name="Top up or leave")).to_have_count(0)
    expect(scorekeeper.page.get_by_role("button", name="Settle up")).to_be_visible()
