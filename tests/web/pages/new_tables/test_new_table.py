"""A phone that signs in with a QR code, and the form with which it creates a table and opens the first round."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from schemas.rulesets import describe_ruleset
from scoring.presets import PRESETS
from tests.support.browser import check_page
from tests.support.browser.check_page import check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage
from tests.support.server_process import Running, command
from tests.web.pages.conftest import IN_BOTH_SCHEMES, OpenScorekeeper

START = "Start the first hand"
USED = "was used before"


@pytest.fixture
def club(service: Running, api: httpx2.Client) -> Iterator[httpx2.Client]:
    """A club without tables."""
    where = ("--data", str(service.directory))
    name = f"empty {api.post('/v1/phone-links').json()['id']}"
    assert command("club", "create", name, *where).returncode == 0
    key = command("key", "create", "--club", name, *where).stdout.strip()
    headers = {"Authorization": f"Bearer {key}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False) as client:
        yield client


def sign_in_path(api: httpx2.Client) -> str:
    """Issue a link that signs a phone in, and return its path."""
    issued = api.post("/v1/phone-links")
    assert issued.status_code == 201, issued.text
    return "/scorekeeper/#" + str(issued.json()["url"]).partition("#")[2]


def list_phones(api: httpx2.Client) -> list[dict[str, Any]]:
    phones: list[dict[str, Any]] = api.get("/v1/links?kind=club&state=valid").json()["links"]
    return phones


def expect_form(page: Page) -> None:
    expect(page.get_by_role("heading", name="New table")).to_be_visible()
    expect(page.get_by_text("Pineapple, Fantasyland from queens").first).to_be_visible()


def type_names(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_label("Name of another player").fill(name)
        page.get_by_label("Name of another player").press("Enter")


def lose_response(route: Route) -> None:
    """Send a request, and lose its response."""
    route.fetch()
    route.abort()


# --- sign in ---


def test_a_code_signs_in_once_and_again_on_the_same_phone(
    open_scorekeeper: OpenScorekeeper, club: httpx2.Client
) -> None:
    path = sign_in_path(club)
    page = open_scorekeeper(path).page
    expect_form(page)
    assert page.url.endswith("/scorekeeper/")
    assert "ofc_phone_" not in page.content()
    again = open_scorekeeper(path).page
    expect_form(again)
    page.reload()
    expect_form(page)
    [phone] = list_phones(club)
    assert phone["label"] == "Linux"


def test_a_code_that_was_used_on_another_phone_is_refused(
    open_scorekeeper: OpenScorekeeper, club: httpx2.Client
) -> None:
    path = sign_in_path(club)
    code = path.partition("#")[2]
    secret = "ofc_link_" + "other" * 8 + "abc"
    assert club.post("/v1/phones", json={"code": code, "secret": secret}).status_code == 201
    page = open_scorekeeper(path).page
    expect(page.get_by_role("alert")).to_contain_text(USED)
    page.reload()
    expect(page.get_by_label("Link or API key")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    # The code can also be pasted, as a link can.
    page.get_by_label("Link or API key").fill(f"https://ofc.example{sign_in_path(club)}")
    page.get_by_role("button", name="Join", exact=True).tap()
    expect_form(page)


@pytest.mark.thorough
def test_a_lost_response_or_a_closed_page_does_not_use_the_code_up(
    open_scorekeeper: OpenScorekeeper, club: httpx2.Client, context: BrowserContext
) -> None:
    context.route("**/v1/phones", lose_response)
    page = open_scorekeeper(sign_in_path(club)).page
    expect(page.get_by_role("alert")).to_contain_text("does not respond")
    [before] = list_phones(club)
    page.close()
    context.unroute("**/v1/phones")
    expect_form(open_scorekeeper().page)
    assert [each["id"] for each in list_phones(club)] == [before["id"]]


@pytest.mark.thorough
def test_a_revoked_phone_is_signed_in_again_at_the_open_table(
    open_scorekeeper: OpenScorekeeper, club: httpx2.Client
) -> None:
    LinkedTable(club)
    phone = open_scorekeeper(sign_in_path(club))
    expect(phone.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    [link] = list_phones(club)
    assert club.delete(f"/v1/links/{link['id']}").status_code == 204
    expect(phone.page.get_by_role("alert")).to_contain_text("no longer valid")
    phone.page.get_by_role("button", name="Join with another link").tap()
    phone.page.get_by_label("Link or API key").fill(f"https://ofc.example{sign_in_path(club)}")
    phone.page.get_by_role("button", name="Join", exact=True).tap()
    expect(phone.page.get_by_role("button", name="Enter hand 1")).to_be_visible()


# --- create a table ---


def test_a_table_is_created_by_tapping_known_names(open_scorekeeper: OpenScorekeeper, club: httpx2.Client) -> None:
    LinkedTable(club)
    page = open_scorekeeper(sign_in_path(club)).page
    page.get_by_role("button", name="All tables").tap()
    page.get_by_role("button", name="New table").tap()
    expect_form(page)
    page.get_by_label("Name", exact=True).fill("attic")
    page.locator("summary", has_text="Game").tap()
    page.get_by_role("radio", name="Pineapple, progressive Fantasyland from queens progressive", exact=True).tap()
    expect(page.get_by_role("radio")).to_have_count(0)
    page.get_by_label("Stack for everyone").fill("150")
    page.get_by_label("Unit").select_option("EUR")
    expect(page.get_by_role("button", name=START)).to_be_disabled()
    page.get_by_label("A point is worth").fill("0,20")
    known = page.get_by_role("group", name="Known players").get_by_role("button")
    expect(known).to_have_text(["ann", "ben", "cyd"])
    for name in ("cyd", "ann"):
        known.get_by_text(name, exact=True).tap()
    expect(known).to_have_text(["ben"])
    page.get_by_role("button", name=START).tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    [table] = club.get("/v1/tables?name=attic").json()["tables"]
    assert (table["ruleset"], table["point_value"], table["unit"]) == ("progressive@1", 20, "EUR")
    [round_] = club.get(f"/v1/rounds?table={table['id']}").json()["rounds"]
    assert [(each["seat"], each["player"], each["opening_stack"]) for each in round_["seats"]] == [
        (1, "cyd", 150),
        (2, "ann", 150),
    ]


def test_a_name_that_was_not_added_plays_too(open_scorekeeper: OpenScorekeeper, club: httpx2.Client) -> None:
    page = open_scorekeeper(sign_in_path(club)).page
    expect_form(page)
    type_names(page, "ann", "ben")
    page.get_by_role("button", name="Remove ann").tap()
    page.get_by_label("Name of another player").fill(" dora ")
    page.get_by_role("button", name=START).tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    [round_] = club.get("/v1/rounds").json()["rounds"]
    assert [each["player"] for each in round_["seats"]] == ["ben", "dora"]


@pytest.mark.thorough
def test_a_name_like_a_known_one_leads_to_a_question(open_scorekeeper: OpenScorekeeper, club: httpx2.Client) -> None:
    LinkedTable(club)
    page = open_scorekeeper(sign_in_path(club)).page
    page.get_by_role("button", name="All tables").tap()
    page.get_by_role("button", name="New table").tap()
    expect_form(page)
    type_names(page, "eve", "Ann")
    expect(page.get_by_text("ann has played in this club. Is Ann the same player?")).to_be_visible()
    check_with_axe(page)
    page.get_by_role("button", name="Yes, ann").tap()
    page.get_by_label("Name of another player").fill("BEN")
    page.get_by_role("button", name=START).tap()
    expect(page.get_by_text("ben has played in this club. Is BEN the same player?")).to_be_in_viewport()
    page.get_by_role("button", name="No, BEN is new").tap()
    page.get_by_role("button", name=START).tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    newest = club.get("/v1/rounds").json()["rounds"][0]
    assert [each["player"] for each in newest["seats"]] == ["eve", "ann", "BEN"]


@pytest.mark.thorough
def test_what_is_missing_is_shown_in_the_form(open_scorekeeper: OpenScorekeeper, club: httpx2.Client) -> None:
    club.post("/v1/tables", json={"name": "taken", "ruleset": "turbo"})
    busy = club.post("/v1/tables", json={"name": "busy", "ruleset": "pineapple"}).json()["id"]
    others = [{"seat": seat, "player": player, "stack": 100} for seat, player in ((1, "ann"), (2, "cyd"))]
    assert club.post(f"/v1/tables/{busy}/rounds", json={"seats": others}).status_code == 201
    page = open_scorekeeper(sign_in_path(club)).page
    page.get_by_role("button", name="New table").tap()
    expect_form(page)
    start, status = page.get_by_role("button", name=START), page.locator("form").get_by_role("status")
    expect(status).to_have_text("2 to 3 players play this game.")
    type_names(page, "ann", "ben")
    expect(status).to_have_count(0)
    for label, wrong, right, says in (
        ("Stack for everyone", "0", "100", "Every player begins with a stack of whole points."),
        ("Name", " ", "taken", "The table needs a name."),
    ):
        page.get_by_label(label, exact=True).fill(wrong)
        expect(status).to_have_text(says)
        expect(start).to_be_disabled()
        page.get_by_label(label, exact=True).fill(right)
    start.tap()
    expect(page.get_by_role("alert")).to_have_text("Another table has this name. Choose another one.")
    # The table is what the form describes, and its open round is one of other players.
    page.get_by_label("Name", exact=True).fill("busy")
    start.tap()
    expect(page.get_by_role("alert")).to_contain_text("others play there now")
    assert len(club.get("/v1/rounds").json()["rounds"]) == 1
    page.get_by_label("Name", exact=True).fill("free")
    start.tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")


@pytest.mark.thorough
@pytest.mark.parametrize("lost", ["**/v1/tables", "**/v1/tables/*/rounds"])
def test_a_lost_response_creates_one_table_and_opens_one_round(
    open_scorekeeper: OpenScorekeeper, club: httpx2.Client, context: BrowserContext, lost: str
) -> None:
    page = open_scorekeeper(sign_in_path(club)).page
    expect_form(page)
    type_names(page, "ann", "ben")
    context.route(lost, lambda route: lose_response(route) if route.request.method == "POST" else route.continue_())
    page.get_by_role("button", name=START).tap()
    expect(page.get_by_role("alert")).to_contain_text("The service does not respond")
    # The page is killed, and the form is there again.
    page.close()
    context.unroute(lost)
    club.post("/v1/tables", json={"name": "other", "ruleset": "turbo"})
    page = open_scorekeeper().page
    page.get_by_role("button", name="New table").tap()
    expect_form(page)
    expect(page.get_by_role("button", name="Remove ben")).to_be_visible()
    page.get_by_role("button", name=START).tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    assert len(club.get("/v1/tables").json()["tables"]) == 2
    assert len(club.get("/v1/rounds").json()["rounds"]) == 1


@pytest.mark.thorough
def test_the_games_are_described_as_in_the_console(open_scorekeeper: OpenScorekeeper, club: httpx2.Client) -> None:
    page = open_scorekeeper(sign_in_path(club)).page
    expect_form(page)
    page.locator("summary", has_text="Game").tap()
    described = [f"{describe_ruleset(each)} {each.name}" for each in PRESETS.values()]
    expect(page.locator(".games label")).to_have_text(described)
    check_with_axe(page)


def test_a_link_to_a_table_creates_none(open_scorekeeper: OpenScorekeeper, api: httpx2.Client) -> None:
    table = LinkedTable(api)
    phone = open_scorekeeper(f"/scorekeeper/#{str(table.link('scorekeeper')['url']).partition('#')[2]}")
    expect(phone.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    for name in ("All tables", "New table"):
        expect(phone.page.get_by_role("button", name=name)).to_have_count(0)


# --- how it looks ---


@IN_BOTH_SCHEMES
@pytest.mark.parametrize("width", [320, pytest.param(768, marks=pytest.mark.thorough)])
def test_the_form_fits_and_passes_axe(
    open_scorekeeper: OpenScorekeeper, club: httpx2.Client, scheme: Any, width: int
) -> None:
    phone: ScorekeeperPage = open_scorekeeper(sign_in_path(club))
    page = phone.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 740})
    expect_form(page)
    page.get_by_label("Unit").select_option("EUR")
    type_names(page, "a player with a name that is longer than the screen is wide", "ben")
    check_with_axe(page)
    check_width(page)
    check_page.check_targets(page, "button:visible, select:visible, summary:visible, input:not([type=radio]):visible")


@pytest.mark.thorough
def test_the_form_works_without_a_finger(open_scorekeeper: OpenScorekeeper, club: httpx2.Client) -> None:
    page = open_scorekeeper(sign_in_path(club)).page
    expect_form(page)
    page.get_by_label("Name", exact=True).focus()
    for _ in range(4):
        page.keyboard.press("Tab")
    expect(page.get_by_label("Name of another player")).to_be_focused()
    page.keyboard.type("ann")
    page.keyboard.press("Enter")
    page.keyboard.type("ben")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove ben")).to_be_visible()
    page.get_by_role("button", name=START).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    assert json.loads(club.get("/v1/rounds").text)["rounds"][0]["status"] == "open"
