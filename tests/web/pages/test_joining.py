"""The scorekeeper's page opens with a key or a link, and stores a key only if asked to."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.keeper_page import KeeperPage, list_cards
from tests.web.pages.conftest import OpenKeeper

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("text", ["", "two words here", "https://example.com/keeper/", "short"])
def test_a_text_without_a_secret_is_refused_at_once(keeper: KeeperPage, text: str) -> None:
    keeper.page.get_by_label("Link or API key").fill(text)
    keeper.page.get_by_role("button", name="Join").click()
    expect(keeper.page.get_by_text("neither a link with a secret nor an API key")).to_be_visible()


def test_an_unknown_key_is_refused_by_the_service(keeper: KeeperPage) -> None:
    keeper.page.get_by_label("Link or API key").fill("ofc_" + "x" * 40)
    keeper.page.get_by_role("button", name="Join").click()
    expect(keeper.page.get_by_role("alert")).to_contain_text("not valid")


def test_a_key_is_stored_only_on_demand(keeper: KeeperPage) -> None:
    keeper.join(remember=False)
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    keeper.page.reload()
    expect(keeper.page.get_by_label("Link or API key")).to_be_visible()
    keeper.join()
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    keeper.page.reload()
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    keeper.page.get_by_role("button", name="Sign out on this device").click()
    expect(keeper.page.get_by_label("Link or API key")).to_be_visible()
    keeper.page.reload()
    expect(keeper.page.get_by_label("Link or API key")).to_be_visible()


def test_the_secret_of_an_address_is_used_and_erased(open_keeper: OpenKeeper, context: BrowserContext) -> None:
    key = open_keeper().key
    assert key.startswith("ofc_")
    keeper = open_keeper(f"/keeper/#{key}")
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()
    assert keeper.page.url.endswith("/keeper/")
    assert key not in str(keeper.page.evaluate("JSON.stringify([location.href, history.state, document.title])"))
    keeper.page.reload()
    expect(keeper.page.get_by_role("heading", name="Choose a table")).to_be_visible()


def issue_link(keeper: KeeperPage, kind: str) -> tuple[str, str]:
    """Issue a link to a table with an open round; return the path of the link, and the name of the table."""
    table = keeper.add_table()
    seats = [{"seat": seat, "player": name, "stack": 200} for seat, name in enumerate(("ann", "ben", "cyd"), 1)]
    assert keeper.api.post(f"/v1/tables/{table['id']}/rounds", json={"seats": seats}).status_code == 201
    issued = keeper.api.post(f"/v1/tables/{table['id']}/links", json={"kind": kind, "label": "Anna's phone"})
    assert issued.status_code == 201, issued.text
    return str(issued.json()["url"]).partition("/keeper/")[2], table["name"]


def test_a_link_of_a_scorekeeper_opens_its_table_and_records(open_keeper: OpenKeeper, keeper: KeeperPage) -> None:
    fragment, table = issue_link(keeper, "scorekeeper")
    phone = open_keeper(f"/keeper/{fragment}")
    expect(phone.page.get_by_role("heading", level=1)).to_have_text(table)
    assert phone.page.url.endswith("/keeper/")
    expect(phone.page.get_by_role("button", name="All tables")).to_have_count(0)
    phone.enter_hand()
    phone.choose_button(3)
    phone.tap_cards(list_cards())
    phone.save()
    phone.expect_hand(2)


def test_a_link_of_a_viewer_records_nothing(open_keeper: OpenKeeper, keeper: KeeperPage) -> None:
    fragment, table = issue_link(keeper, "viewer")
    phone = open_keeper(f"/keeper/{fragment}")
    expect(phone.page.get_by_role("heading", level=1)).to_have_text(table)
    expect(phone.page.get_by_text("New round")).to_be_visible()
    for name in ("Enter hand", "Close the round", "Open"):
        expect(phone.page.get_by_role("button", name=name)).to_have_count(0)


def test_a_revoked_link_is_refused(open_keeper: OpenKeeper, keeper: KeeperPage) -> None:
    fragment, _ = issue_link(keeper, "scorekeeper")
    [link] = [
        each
        for table in keeper.get("/v1/tables")["tables"]
        for each in keeper.get(f"/v1/tables/{table['id']}/links")["links"]
        if each["revoked_at"] is None and each["label"] == "Anna's phone" and each["last_used_at"] is None
    ]
    assert keeper.api.delete(f"/v1/tables/{link['table']}/links/{link['id']}").status_code == 204
    phone = open_keeper(f"/keeper/{fragment}")
    expect(phone.page.get_by_role("alert")).to_contain_text("not valid")
