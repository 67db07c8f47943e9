"""The scorekeeper's page opens with a key or a link, and stores a key only if asked to."""

from typing import Any

import httpx2
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.linked_table import LinkedTable
from tests.support.browser.scorekeeper_page import ScorekeeperPage, list_cards, wait_for_worker
from tests.web.pages.conftest import OpenScorekeeper


@pytest.mark.parametrize("text", ["", "two words here", "https://example.com/scorekeeper/", "short"])
def test_a_text_without_a_secret_is_refused_at_once(scorekeeper: ScorekeeperPage, text: str) -> None:
    scorekeeper.page.get_by_label("Link or API key").fill(text)
    scorekeeper.page.get_by_role("button", name="Join").click()
    expect(scorekeeper.page.get_by_text("neither a link with a secret nor an API key")).to_be_visible()


def test_an_unknown_key_is_refused_by_the_service(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.page.get_by_label("Link or API key").fill("ofc_" + "x" * 40)
    scorekeeper.page.get_by_role("button", name="Join").click()
    expect(scorekeeper.page.get_by_role("alert")).to_contain_text("not valid")


def test_a_key_is_stored_only_on_demand(scorekeeper: ScorekeeperPage) -> None:
    scorekeeper.join(remember=False)
    expect(scorekeeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    scorekeeper.page.reload()
    expect(scorekeeper.page.get_by_label("Link or API key")).to_be_visible()
    scorekeeper.join()
    expect(scorekeeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    scorekeeper.page.reload()
    expect(scorekeeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    scorekeeper.page.get_by_role("button", name="Sign out on this device").click()
    expect(scorekeeper.page.get_by_label("Link or API key")).to_be_visible()
    scorekeeper.page.reload()
    expect(scorekeeper.page.get_by_label("Link or API key")).to_be_visible()


def test_the_secret_of_an_address_is_used_and_erased(
    open_scorekeeper: OpenScorekeeper, context: BrowserContext
) -> None:
    key = open_scorekeeper().key
    assert key.startswith("ofc_")
    scorekeeper = open_scorekeeper(f"/scorekeeper/#{key}")
    expect(scorekeeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    assert scorekeeper.page.url.endswith("/scorekeeper/")
    assert key not in str(scorekeeper.page.evaluate("JSON.stringify([location.href, history.state, document.title])"))
    scorekeeper.page.reload()
    expect(scorekeeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()


def fragment_of(link: dict[str, Any]) -> str:
    """Return the fragment with which the scorekeeper's page opens a link."""
    return "#" + str(link["url"]).rpartition("/")[2].removeprefix("#")


def issue_link(scorekeeper: ScorekeeperPage, kind: str, **fields: str) -> tuple[str, str]:
    """Issue a link to a table with an open round; return the path of the link, and the name of the table."""
    table = scorekeeper.add_table()
    seats = [{"seat": seat, "player": name, "stack": 200} for seat, name in enumerate(("ann", "ben", "cyd"), 1)]
    assert scorekeeper.api.post(f"/v1/tables/{table['id']}/rounds", json={"seats": seats}).status_code == 201
    issued = scorekeeper.api.post(
        "/v1/links", json={"table": table["id"], "kind": kind, "label": "Anna's phone", **fields}
    )
    assert issued.status_code == 201, issued.text
    return fragment_of(issued.json()), table["name"]


def test_a_link_of_a_scorekeeper_opens_its_table_and_records(
    open_scorekeeper: OpenScorekeeper, scorekeeper: ScorekeeperPage
) -> None:
    fragment, table = issue_link(scorekeeper, "scorekeeper")
    phone = open_scorekeeper(f"/scorekeeper/{fragment}")
    expect(phone.page.get_by_role("heading", level=1)).to_have_text(table)
    assert phone.page.url.endswith("/scorekeeper/")
    expect(phone.page.get_by_role("button", name="All tables")).to_have_count(0)
    phone.enter_hand()
    phone.choose_button(3)
    phone.tap_cards(list_cards())
    phone.save()
    phone.expect_hand(2)


def test_a_link_asks_for_its_table_and_its_rounds_at_once(
    open_scorekeeper: OpenScorekeeper, scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    fragment, _ = issue_link(scorekeeper, "scorekeeper")
    paths: list[str] = []
    context.on("request", lambda request: paths.append(request.url.partition("/v1/")[2]))
    phone = open_scorekeeper(f"/scorekeeper/{fragment}")
    expect(phone.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    asked = [path for path in paths if path]
    assert sorted(asked[:3]) == ["link", "rounds?limit=5", "tables"]
    assert asked.count("link") == asked.count("tables") == 1


def test_the_page_sends_a_code_only_to_sign_in(open_scorekeeper: OpenScorekeeper, api: httpx2.Client) -> None:
    code = str(api.post("/v1/phone-links").json()["url"]).partition("#")[2]
    phone = open_scorekeeper("/scorekeeper/#")
    sent: list[tuple[str, str]] = []
    phone.page.on("request", lambda each: sent.append((each.url, each.headers.get("authorization", ""))))
    phone.page.goto("about:blank")
    phone.open(f"/scorekeeper/#{code}")
    expect(phone.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    requests = [(url.partition("/v1/")[2], secret) for url, secret in sent if "/v1/" in url]
    assert requests[0] == ("phones", "")
    assert [secret for _, secret in requests if code in secret] == []
    assert [path for path, _ in requests if path.startswith("link")] == ["link"]


def test_a_link_to_the_club_in_an_address_shows_the_rounds_of_one_table(
    open_scorekeeper: OpenScorekeeper, scorekeeper: ScorekeeperPage, context: BrowserContext
) -> None:
    _, table = issue_link(scorekeeper, "scorekeeper")
    _, other = issue_link(scorekeeper, "scorekeeper")
    code = str(scorekeeper.api.post("/v1/phone-links").json()["url"]).partition("#")[2]
    secret = "ofc_link_" + "a7" * 21 + "z"
    signed_in = httpx2.post(
        str(scorekeeper.api.base_url) + "/v1/phones",
        json={"code": code, "secret": secret, "label": "Anna's phone"},
        trust_env=False,
    )
    assert (signed_in.status_code, signed_in.json()["kind"]) == (201, "club"), signed_in.text
    phone = open_scorekeeper(f"/scorekeeper/#{secret}")
    for name in (table, other):
        phone.page.get_by_role("button", name=name).click()
        expect(phone.page.get_by_role("heading", level=1)).to_have_text(name)
        expect(phone.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
        phone.page.get_by_role("button", name="All tables").click()
    expect(phone.page.get_by_role("heading", name="Choose a table")).to_be_visible()


def test_a_link_that_is_opened_again_without_a_network_is_used_when_it_is_back(
    open_scorekeeper: OpenScorekeeper, api: httpx2.Client, context: BrowserContext
) -> None:
    table = LinkedTable(api)
    path = f"/scorekeeper/{fragment_of(table.link('scorekeeper'))}"
    phone = open_scorekeeper(path)
    expect(phone.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    wait_for_worker(phone.page)
    phone.page.close()
    context.set_offline(True)
    phone = open_scorekeeper(path)
    expect(phone.page.get_by_text("offline")).to_be_visible()
    phone.enter_hand()
    phone.choose_button(3)
    phone.tap_cards(list_cards())
    phone.save()
    expect(phone.page.get_by_text("offline, 1 waiting")).to_be_visible()
    context.set_offline(False)
    phone.expect_sent()
    expect(phone.page.get_by_text("offline")).to_have_count(0)
    assert table.get(f"/v1/rounds/{table.round}")["hands"] == 1


def test_a_pasted_link_is_stored_and_can_be_replaced_or_forgotten(
    scorekeeper: ScorekeeperPage, api: httpx2.Client
) -> None:
    table, other = LinkedTable(api), LinkedTable(api)
    page = scorekeeper.page

    def paste(link: dict[str, Any]) -> None:
        page.get_by_label("Link or API key").fill(link["url"])
        page.get_by_role("button", name="Join", exact=True).click()

    paste(table.link("scorekeeper"))
    expect(page.get_by_role("heading", level=1)).to_have_text(table.name)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(table.name)
    page.get_by_role("button", name="Join with another link").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(table.name)
    page.get_by_role("button", name="Join with another link").click()
    paste(other.link("scorekeeper"))
    expect(page.get_by_role("heading", level=1)).to_have_text(other.name)
    page.get_by_role("button", name="Sign out on this device").click()
    expect(page.get_by_label("Link or API key")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Link or API key")).to_be_visible()


def test_a_link_that_is_opened_on_a_bad_network_is_opened_again(
    open_scorekeeper: OpenScorekeeper, api: httpx2.Client, context: BrowserContext
) -> None:
    table = LinkedTable(api)
    context.route("**/v1/**", lambda route: route.abort())
    phone = open_scorekeeper(f"/scorekeeper/{fragment_of(table.link('scorekeeper'))}")
    expect(phone.page.get_by_role("alert")).to_contain_text("does not respond")
    phone.open()
    expect(phone.page.get_by_role("alert")).to_contain_text("does not respond")
    context.unroute("**/v1/**")
    expect(phone.page.get_by_role("heading", level=1)).to_have_text(table.name)


@pytest.mark.parametrize("fields", [{"kind": "viewer"}, {"kind": "player", "player": "ann"}])
def test_a_link_of_a_viewer_or_a_player_records_nothing(
    open_scorekeeper: OpenScorekeeper, scorekeeper: ScorekeeperPage, fields: dict[str, str]
) -> None:
    fragment, table = issue_link(scorekeeper, **fields)
    phone = open_scorekeeper(f"/scorekeeper/{fragment}")
    expect(phone.page.get_by_role("heading", level=1)).to_have_text(table)
    expect(phone.page.get_by_text("New round")).to_be_visible()
    for name in ("Enter hand", "Close the round", "Open"):
        expect(phone.page.get_by_role("button", name=name)).to_have_count(0)


def test_a_revoked_link_is_refused(open_scorekeeper: OpenScorekeeper, api: httpx2.Client) -> None:
    table = LinkedTable(api)
    link = table.link("scorekeeper")
    table.revoke(link)
    phone = open_scorekeeper(f"/scorekeeper/{fragment_of(link)}")
    expect(phone.page.get_by_role("alert")).to_contain_text("not valid")


def test_a_link_that_is_opened_without_a_network_does_not_get_the_rights_of_the_one_before(
    open_scorekeeper: OpenScorekeeper, api: httpx2.Client, context: BrowserContext
) -> None:
    table = LinkedTable(api)
    phone = open_scorekeeper(f"/scorekeeper/{fragment_of(table.link('scorekeeper'))}")
    expect(phone.page.get_by_role("button", name="Enter hand 1")).to_be_visible()
    context.set_offline(True)
    phone.open(f"/scorekeeper/{fragment_of(table.link())}")
    expect(phone.page.get_by_text("offline")).to_be_visible()
    phone.enter_hand()
    phone.choose_button(3)
    phone.tap_cards(list_cards())
    phone.save()
    expect(phone.page.get_by_text("offline, 1 waiting")).to_be_visible()
    # It is sent with the link of the scorekeeper: nothing is known about the other one.
    context.set_offline(False)
    expect(phone.page.get_by_text("waiting")).to_have_count(0)
    assert table.get(f"/v1/rounds/{table.round}")["hands"] == 1
