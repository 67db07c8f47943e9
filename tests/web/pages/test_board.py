"""The scoreboard shows a table to a room, follows it within two seconds, and goes on by itself."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import BOARDS, SECOND, undo_last, wait_for_worker
from tests.support.server_process import Running
from tests.web.pages.conftest import OpenPage

pytestmark = pytest.mark.thorough
REFRESH_MILLISECONDS = 2_000
PAUSES = """() => {
  const requests = performance.getEntriesByType("resource").filter((each) => each.name.includes("/v1/"));
  const isFirst = (each) => new URL(each.name).pathname === "/v1/rounds";
  return requests.flatMap((each, at) =>
    at > 0 && isFirst(each) ? [each.startTime - requests[at - 1].responseEnd] : []).slice(1);
}"""
"""Returns the milliseconds from the last response of each reading to the first request of the next one."""


@pytest.fixture
def table(api: httpx2.Client) -> LinkedTable:
    return LinkedTable(api)


def secret_of(link: dict[str, Any]) -> str:
    return str(link["url"]).rpartition("/")[2].lstrip("#")


@pytest.fixture
def show(open_page: OpenPage, context: BrowserContext) -> Callable[[LinkedTable], Page]:
    """Open the scoreboard of a table on a TV, with a viewer's link."""

    def show_table(table: LinkedTable) -> Page:
        page = open_page(f"/board/#{secret_of(table.link())}")
        page.set_viewport_size({"width": 1280, "height": 800})
        expect(page.get_by_role("heading", level=1)).to_have_text(table.name)
        return page

    return show_table


def seat(page: Page, name: str) -> Any:
    return page.get_by_role("region", name=name)


def test_a_table_without_a_hand_shows_its_players(table: LinkedTable, show: Callable[..., Page]) -> None:
    page = show(table)
    expect(page.get_by_text("Hand 1", exact=True)).to_be_visible()
    assert page.url.endswith("/board/"), "the secret is erased from the address"
    for name in table.names:
        expect(seat(page, name)).to_contain_text("200")
    assert page.title() == f"{table.name} · Scoreboard"


def test_it_shows_stacks_the_evening_the_button_fantasyland_and_the_last_boards(
    table: LinkedTable, show: Callable[..., Page]
) -> None:
    recorded = table.play(1)
    page = show(table)
    statement = table.get(f"/v1/tables/{table.id}/statement")
    for number, name in enumerate(table.names, 1):
        [totals] = [each for each in statement["players"] if each["player"] == name]
        expect(seat(page, name).locator(".seat-stack")).to_contain_text(str(recorded["stacks"][str(number)]))
        shown = seat(page, name).locator(".seat-net").inner_text().replace("−", "-").replace("+", "").split()
        assert str(totals["net"]) in shown
        assert f"{totals['money']['EUR'] / 100:.2f}" in "".join(shown).replace("€", "")
        cards = seat(page, name).locator(".last .card")
        names = [each.get_attribute("aria-label") for each in cards.all()]
        assert len(names) == sum(len(row.split()) for row in BOARDS[number])
    expect(seat(page, "ann").locator(".last .card").first).to_have_attribute("aria-label", "queen of spades")
    expect(page.get_by_role("img", name="Dealer button")).to_have_count(1)
    button = recorded["round"]["next"]["button"]
    expect(seat(page, table.names[button - 1]).get_by_role("img", name="Dealer button")).to_be_visible()
    for number, earned in recorded["round"]["next"]["fantasyland"].items():
        expect(seat(page, table.names[int(number) - 1])).to_contain_text(f"Fantasyland · {earned} cards")
    expect(page.get_by_text(re.compile(r"^\w+day \d+ \w+$"))).to_be_visible()


def test_a_recorded_hand_an_undo_and_the_next_round_appear_by_themselves(
    table: LinkedTable, show: Callable[..., Page]
) -> None:
    page = show(table)
    expect(page.get_by_text("Hand 1", exact=True)).to_be_visible()
    for number, boards in ((1, BOARDS), (2, SECOND)):
        stacks = table.play(number, boards)["stacks"]
        for place, name in enumerate(table.names, 1):
            expect(seat(page, name).locator(".seat-stack")).to_contain_text(str(stacks[str(place)]))
        expect(page.get_by_text(f"Hand {number}", exact=True).first).to_be_visible()
    undo_last(table.api, f"/v1/rounds/{table.round}")
    expect(page.locator(".last").first).to_have_attribute("aria-label", "Hand 1")
    assert table.api.post(f"/v1/rounds/{table.round}/close", json={"reason": "late"}).status_code == 200
    expect(page.get_by_text("Round closed after 1 hand")).to_be_visible()
    table.open_round(stack=None)
    expect(page.locator(".last")).to_have_count(0)
    expect(page.get_by_text("Hand 1", exact=True)).to_be_visible()


def test_nothing_is_sent_again_while_nothing_changes(table: LinkedTable, show: Callable[..., Page]) -> None:
    table.play(1)
    page = show(table)
    expect(page.locator(".last")).to_have_count(3)
    responses: list[int] = []
    page.on("response", lambda response: responses.append(response.status) if "/v1/" in response.url else None)
    wait_for_responses(page, responses, 6)
    assert set(responses) == {304}
    table.play(2, SECOND)
    expect(page.get_by_text("Hand 2", exact=True).first).to_be_visible()
    wait_for_responses(page, responses, len(responses) + 4)
    assert responses.count(200) == 4, "the rounds, the statement, the cards and the scores, once each"


def wait_for_responses(page: Page, responses: list[int], count: int) -> None:
    """Wait until a list to which the handler of a page adds has so many responses."""
    while len(responses) < count:
        page.wait_for_event("response")


def test_the_table_is_read_again_within_two_seconds(table: LinkedTable, show: Callable[..., Page]) -> None:
    page = show(table)
    expect(seat(page, "ann")).to_contain_text("200")
    page.wait_for_function(f"() => ({PAUSES})().length >= 3")
    assert min(page.evaluate(PAUSES)) < REFRESH_MILLISECONDS, "the shortest, because a busy machine adds to others"


def test_it_shows_that_it_is_not_connected_and_goes_on_by_itself(
    table: LinkedTable, show: Callable[..., Page], context: BrowserContext
) -> None:
    page = show(table)
    expect(seat(page, "ann")).to_contain_text("200")
    context.set_offline(True)
    expect(page.get_by_role("status")).to_contain_text(re.compile(r"Not connected · as of \d\d:\d\d"))
    expect(seat(page, "ann")).to_contain_text("200")
    stack = table.play(1)["stacks"]["1"]
    context.set_offline(False)
    expect(seat(page, "ann").locator(".seat-stack")).to_contain_text(str(stack))
    expect(page.get_by_role("status")).to_be_empty()


def test_the_time_of_what_is_shown_is_in_the_zone_of_the_club(
    table: LinkedTable, browser: Browser, service: Running
) -> None:
    zone = ZoneInfo(table.get("/v1/club")["time_zone"])
    there = "Asia/Tokyo"
    assert datetime.now(zone).hour != datetime.now(ZoneInfo(there)).hour
    context = browser.new_context(timezone_id=there)
    try:
        page = context.new_page()
        before = datetime.now(zone)
        page.goto(f"{service.url}/board/#{secret_of(table.link())}")
        expect(seat(page, "ann")).to_contain_text("200")
        context.set_offline(True)
        expect(page.get_by_role("status")).to_contain_text("as of", timeout=60_000)
        minutes = int((datetime.now(zone) - before).total_seconds()) // 60 + 2
        possible = [f"{before + timedelta(minutes=each):%H:%M}" for each in range(minutes)]
        assert page.get_by_role("status").inner_text()[-5:] in possible
    finally:
        context.close()


def test_the_open_round_is_shown_also_if_it_is_not_the_newest(table: LinkedTable, show: Callable[..., Page]) -> None:
    assert table.api.post(f"/v1/rounds/{table.round}/close", json={"reason": "late"}).status_code == 200
    yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    seats = [{"seat": seat, "player": name, "stack": 70} for seat, name in enumerate(table.names, 1)]
    body = {"seats": seats, "opened_at": yesterday}
    assert table.api.post(f"/v1/tables/{table.id}/rounds", json=body).status_code == 201
    page = show(table)
    expect(seat(page, "ann").locator(".seat-stack")).to_contain_text("70")


def test_a_tv_that_was_switched_off_shows_its_table_again(
    table: LinkedTable, show: Callable[..., Page], open_page: OpenPage
) -> None:
    show(table).close()
    again = open_page("/board/")
    expect(again.get_by_role("heading", level=1)).to_have_text(table.name)


def test_without_a_network_the_page_itself_opens(
    table: LinkedTable, show: Callable[..., Page], open_page: OpenPage, context: BrowserContext
) -> None:
    page = show(table)
    wait_for_worker(page)
    page.close()
    context.set_offline(True)
    again = open_page("/board/")
    expect(again.get_by_role("status")).to_contain_text("Connecting")
    context.set_offline(False)
    expect(again.get_by_role("heading", level=1)).to_have_text(table.name)


def test_a_link_to_a_round_opens_no_board(table: LinkedTable, open_page: OpenPage) -> None:
    link = table.link_to_round()
    page = open_page(f"/board/#{secret_of(link)}")
    expect(page.get_by_role("alert")).to_contain_text("This link shows one round.")


def test_a_revoked_link_ends_the_board_and_another_one_can_be_pasted(
    table: LinkedTable, show: Callable[..., Page], open_page: OpenPage
) -> None:
    link = table.link()
    page = open_page(f"/board/#{secret_of(link)}")
    expect(seat(page, "ann")).to_be_visible()
    table.revoke(link)
    expect(page.get_by_role("alert")).to_contain_text("expired, was revoked")
    page.get_by_label("Link to a table").fill("nothing")
    page.get_by_role("button", name="Show the table").click()
    expect(page.get_by_text("This text has no link to a table.")).to_be_visible()
    page.get_by_label("Link to a table").fill(table.link()["url"])
    page.get_by_role("button", name="Show the table").click()
    expect(seat(page, "ann")).to_be_visible()


def test_a_key_of_a_club_is_refused(table: LinkedTable, open_page: OpenPage) -> None:
    key = table.api.headers["Authorization"].removeprefix("Bearer ")
    page = open_page(f"/board/#{key}")
    expect(page.get_by_role("alert")).to_contain_text("needs a link to one table")
    page.reload()
    expect(page.get_by_label("Link to a table")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_names_are_text_on_the_board(api: httpx2.Client, show: Callable[..., Page]) -> None:
    names = ("<img src=x onerror=alert(1)>", "</h2><script>alert(2)</script>", "עדה & co.")
    table = LinkedTable(api, names=names, reference="<b>round</b>")
    table.play(1)
    page = show(table)
    for name in names:
        expect(seat(page, name).locator("h2")).to_have_text(name)
    assert page.locator("img").count() == page.locator("main script, main b").count() == 0


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1280, 800), (1920, 1080)])
def test_the_board_fits_the_screen(table: LinkedTable, show: Callable[..., Page], width: int, height: int) -> None:
    table.play(1)
    page = show(table)
    expect(page.locator(".last")).to_have_count(3)
    page.set_viewport_size({"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width >= 1280:
        assert page.evaluate("document.documentElement.scrollHeight") <= height
        size = page.locator(".seat-stack").first.evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
        assert size >= height / 10, "a stack takes a tenth of the height, to be read from across a room"
