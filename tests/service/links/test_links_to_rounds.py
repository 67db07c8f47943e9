"""Links to one round: they show it, its settlement and the explanation of every hand, and nothing else."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import html5lib
import httpx2
import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from service.clubs.queries.clubs import StoredClub
from service.links.actions.links import revoke_links
from tests.service.http.test_other_clubs import SENT
from tests.service.links.linked_table import Played, issue, issue_to_round, play_at, secret_of
from tests.service.links.test_link_operations import PUBLIC
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.import_lines import club_of, database_of
from tests.support.log_capture import Log
from tests.support.sample_rounds import NOBODYS, SIXES, THREE, add_table, hand, open_round, operations, play
from tests.support.server_process import command, running

HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
"""The header Accept of browsers."""
SHOWN = {"get_link", "get_round", "get_settlement", "list_hands", "get_hand", "explain_hand"}
"""The operations that a link to a round can be used for."""
CLAIMS = {"claim_payment", "list_payment_claims"}
CLAIMS |= {"confirm_payment_claim", "decline_payment_claim", "withdraw_payment_claim"}
"""Those that a player's link can be used for besides."""


@pytest.fixture
def round_id(api: Api) -> str:
    opened = str(open_round(api, add_table(api, point_value=10, unit="EUR"), SIXES)["id"])
    play(api, opened, hand(1, 1, THREE))
    play(api, opened, hand(2, 2, THREE))
    return opened


def stored_club(house: House, api: Api) -> StoredClub:
    [(club_id, name, created_at)] = house.query(
        "SELECT id, name, created_at FROM clubs WHERE id = %s", club_of(house, api)
    )
    return StoredClub(club_id, name, created_at)


def page_of(issued: ApiResponse) -> str:
    """Return the path of the page of a link."""
    return str(issued["url"]).removeprefix("http://localhost")


def client_of(house: House, issued: ApiResponse) -> Api:
    """Return a client that uses the secret of a link as its key."""
    return Api(house.app, secret_of(issued))


# --- what it shows ---


@pytest.mark.smoke
def test_a_link_shows_the_same_round_as_a_key(house: House, api: Api, round_id: str) -> None:
    link = client_of(house, issue_to_round(api, round_id))
    for path in (f"/v1/rounds/{round_id}", f"/v1/rounds/{round_id}/settlement", f"/v1/rounds/{round_id}/hands"):
        assert link.get(path).document == api.get(path).document
    for played in link.get(f"/v1/rounds/{round_id}/hands")["hands"]:
        path = f"/v1/hands/{played['id']}/explanation"
        assert link.get(path).document == api.get(path).document
        plain = link.request("GET", path, headers={"Accept": "text/plain"})
        assert plain.text.startswith(f"Hand {played['number']}")
    assert link.get("/v1/link")["round"] == round_id


def test_a_browser_gets_printable_pages_with_links_to_every_hand(api: Api, browser: FlaskClient, round_id: str) -> None:
    url = page_of(issue_to_round(api, round_id))
    page = browser.get(url, headers=HTML)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    document = html5lib.parse(page.text, namespaceHTMLElements=False)
    leading = [link.get("href") for link in document.iter("a")]
    assert leading == [f"{url}/rounds/{round_id}/hands/1", f"{url}/rounds/{round_id}/hands/2"]
    players = [cell for cell in document.iter("th") if cell.get("class") == "player"]
    assert ["".join(cell.itertext()) for cell in players] == ["ann", "bob", "cyd"]
    for address in leading:
        explained = browser.get(str(address), headers=HTML)
        assert explained.status_code == 200
        assert "<h2>Payments</h2>" in explained.text
    for response in (page, explained):
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert "style-src 'self';" in response.headers["Content-Security-Policy"]
    for number in (0, 3, 10**9):
        assert browser.get(f"{url}/rounds/{round_id}/hands/{number}").status_code == 404
    # The form of the languages names the page to which it returns.
    again = browser.get(f"{url}/rounds/{round_id}", headers=HTML).text.replace(
        f'value="/rounds/{round_id}"', 'value=""'
    )
    assert again == page.text


def test_player_ids_are_escaped_in_pages(api: Api, browser: FlaskClient) -> None:
    seats = [
        {"seat": 1, "player": "<script>alert(1)</script>", "stack": 5},
        {"seat": 2, "player": '"><img src=x onerror=alert(1)>', "stack": 5},
    ]
    body = {"seats": seats, "reference": "</title><b>"}
    opened = api.post(f"/v1/tables/{add_table(api)}/rounds", body)
    page = browser.get(page_of(issue_to_round(api, opened["id"])), headers=HTML).text
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_player_disputes_on_the_page_of_their_link(house: House, api: Api, browser: FlaskClient) -> None:
    mine = play_at(api, "friday")
    other = play_at(api, "monday")
    opened = issue_to_round(api, mine.complete, kind="player", player="bob")
    page, forms = page_of(opened), {"action": "dispute", "hand": "1", "claim": "the third card is another one"}
    assert opened["scopes"] == ["read", "disputes"]
    assert "Something is wrong" in browser.get(page).text
    sent = browser.post(f"{page}/rounds/{mine.complete}", data=forms)
    assert (sent.status_code, sent.headers["Location"]) == (303, f"{page}/rounds/{mine.complete}#you")
    assert [each["by"] for each in api.get(f"/v1/disputes?round={mine.complete}")["disputes"]] == ["ann", "bob"]
    for strange in (mine.round, other.complete, NOBODYS):
        assert browser.post(f"{page}/rounds/{strange}", data=forms).status_code == 404
    check_everywhere(house, api)


def test_a_player_confirms_on_the_page_of_their_link(api: Api, browser: FlaskClient) -> None:
    round_id = play_at(api, "friday").round
    assert api.post(f"/v1/rounds/{round_id}/close", {"reason": "late"}).status == 200
    page = page_of(issue_to_round(api, round_id, kind="player", player="bob"))
    form = {"action": "confirm", "revision": "1"}
    assert browser.post(f"{page}/rounds/{round_id}", data=form).status_code == 303
    assert api.get(f"/v1/rounds/{round_id}/settlement")["confirmed"] == [2]


# --- nothing else ---


def test_a_link_to_a_round_can_be_used_for_few_operations(house: House, api: Api) -> None:
    mine = play_at(api, "friday")
    link = client_of(house, issue_to_round(api, mine.round, kind="player", player="bob"))
    ids = {"round_id": mine.round, "hand_id": mine.hand, "table_id": mine.table, "dispute_id": mine.dispute}
    usable = set()
    before = house.count_records()
    for method, path, name in operations(api):
        if name in PUBLIC:
            continue
        body = {"json": SENT[name]} if SENT.get(name) else {"json": {}} if method in ("POST", "PUT", "PATCH") else {}
        path = re.sub(r"\{(\w+)\}", lambda match: ids.get(match[1], NOBODYS if "_id" in match[1] else "1"), path)
        response = link.request(method, path, **body)
        if response.status == 403:
            assert response["code"] == "scope-missing"
        else:
            usable.add(name)
    # They need no key: a link to a round sees the presets.
    assert usable == SHOWN | {"list_rulesets", "get_ruleset"} | CLAIMS
    assert house.count_records() == before


def test_other_rounds_are_not_found(house: House, api: Api, other_api: Api, browser: FlaskClient) -> None:
    mine, other, theirs = play_at(api, "friday"), play_at(api, "monday"), play_at(other_api, "friday")
    issued = issue_to_round(api, mine.round)
    link = client_of(house, issued)
    [hand_of_mine] = api.get(f"/v1/rounds/{mine.complete}/hands?limit=1")["hands"]
    hands = (hand_of_mine["id"], other.hand, theirs.hand, NOBODYS)
    for strange in (mine.complete, other.round, theirs.round, NOBODYS):
        for path in (f"/v1/rounds/{strange}", f"/v1/rounds/{strange}/settlement", f"/v1/rounds/{strange}/hands"):
            assert link.get(path).status == 404, path
        for path in (f"/rounds/{strange}", f"/rounds/{strange}/hands/1"):
            assert browser.get(page_of(issued) + path).status_code == 404, path
    for strange in hands:
        for path in (f"/v1/hands/{strange}", f"/v1/hands/{strange}/explanation"):
            assert link.get(path).status == 404, path
    assert "monday" not in browser.get(page_of(issued)).text


def test_a_transaction_of_one_round_sees_no_rows_of_others(house: House, api: Api) -> None:
    mine: Played = play_at(api, "friday")
    play_at(api, "monday")
    issue(api, mine.table)
    issued = issue_to_round(api, mine.round)
    with database_of(house).session() as session:
        transaction = session.reading(club_of(house, api), UUID(mine.table), UUID(mine.round))
        for table, column in (("rounds", "id"), ("round_heads", "round_id"), ("hands", "round_id")):
            ids = transaction.execute(text(f"SELECT DISTINCT {column} FROM {table}")).scalars()
            assert list(map(str, ids)) == [mine.round], table
        assert list(map(str, transaction.execute(text("SELECT id FROM links")).scalars())) == [issued["id"]]
        for table in ("disputes", "feed_entries", "scorekeepers", "round_statistics", "api_keys", "players", "jobs"):
            assert transaction.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0, table
    with database_of(house).session() as session:
        transaction = session.reading(club_of(house, api))
        assert transaction.execute(text("SELECT current_round()")).scalar_one() is None


def test_the_round_of_a_link_does_not_leak_to_the_next_transaction(house: House, api: Api) -> None:
    mine = play_at(api, "friday")
    link = client_of(house, issue_to_round(api, mine.round))
    for _ in range(20):
        assert link.get(f"/v1/rounds/{mine.complete}").status == 404
        assert api.get(f"/v1/rounds/{mine.complete}").status == 200


def test_a_link_to_a_round_is_for_no_scorekeeper_and_to_nothing_else(api: Api, round_id: str) -> None:
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    for body, pointer in (
        ({"round": round_id, "kind": "scorekeeper"}, "#/round"),
        ({"round": round_id, "table": table}, "#/round"),
        ({"round": round_id, "kind": "player"}, "#/player"),
        ({}, "#/table"),
    ):
        refused = api.post("/v1/links", body)
        assert (refused.status, set(refused.mistakes)) == (422, {pointer})


def test_a_link_to_a_missing_round_is_not_found(api: Api, other_api: Api, round_id: str) -> None:
    assert api.post("/v1/links", {"round": NOBODYS}).status == 404
    assert other_api.post("/v1/links", {"round": round_id}).status == 404


# --- how it ends ---


def test_a_link_is_valid_for_a_week_or_for_the_requested_time(api: Api, browser: FlaskClient, round_id: str) -> None:
    for fields, life in (({}, timedelta(days=7)), ({"expires_in": 60}, timedelta(minutes=1))):
        issued = issue_to_round(api, round_id, **fields)
        created, expires = (datetime.fromisoformat(issued[name]) for name in ("created_at", "expires_at"))
        assert expires - created == life
        assert "This link works until" in browser.get(page_of(issued), headers=HTML).text
    for seconds in (0, 59, 366 * 86400 + 1, "60", -1):
        assert api.post("/v1/links", {"round": round_id, "expires_in": seconds}).status == 422


def test_revoking_all_links_affects_one_club_only(
    house: House, api: Api, other_api: Api, browser: FlaskClient, round_id: str
) -> None:
    theirs = str(open_round(other_api, add_table(other_api))["id"])
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    mine = [issue_to_round(api, round_id), issue(api, table)]
    others = issue_to_round(other_api, theirs)
    assert revoke_links(house.owner, stored_club(house, api)) == 2
    assert {browser.get(page_of(each)).status_code for each in mine} == {410}
    assert browser.get(page_of(others)).status_code == 200
    after = issue_to_round(api, round_id)
    assert browser.get(page_of(after)).status_code == 200
    assert revoke_links(house.owner, stored_club(house, api)) == 1
    assert browser.get(page_of(after)).status_code == 410
    check_everywhere(house, api)


def test_revoking_one_link_leaves_the_others_valid(house: House, api: Api, browser: FlaskClient, round_id: str) -> None:
    issued, other = issue_to_round(api, round_id), issue_to_round(api, round_id)
    for _ in range(2):
        revoked = api.delete(f"/v1/links/{issued['id']}")
        assert (revoked.status, revoked.text) == (204, "")
    for path in (page_of(issued), f"{page_of(issued)}/rounds/{round_id}/hands/1"):
        assert browser.get(path).status_code == 410
    assert client_of(house, issued).get(f"/v1/rounds/{round_id}").status == 401
    assert browser.get(page_of(other)).status_code == 200


def test_a_link_works_until_the_operator_revokes_it(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        key = (tmp_path / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False, verify=False) as client:
            table = client.post("/v1/tables", json={"name": "kitchen", "ruleset": "pineapple"}).json()["id"]
            seats = [{"seat": seat, "player": name, "stack": 50} for seat, name in enumerate(("ann", "bob"), 1)]
            round_id = client.post(f"/v1/tables/{table}/rounds", json={"seats": seats}).json()["id"]
            url = client.post("/v1/links", json={"round": round_id}).json()["url"]
        assert httpx2.get(url, headers=HTML, timeout=60, trust_env=False, verify=False).text.startswith(
            "<!doctype html>"
        )
        revoked = command("club", "revoke-links", "home", "--data", str(tmp_path))
        assert revoked.stderr.startswith("All links of the club 'home' are revoked")
        assert httpx2.get(url, timeout=60, trust_env=False, verify=False).status_code == 410
        assert url.rpartition("/")[2] not in service.output + service.log


# --- what is stored of it ---


def test_a_link_is_audited_and_its_secret_is_not_stored(
    house: House, api: Api, browser: FlaskClient, round_id: str, log: Log
) -> None:
    issued = issue_to_round(api, round_id, label="the players' chat")
    browser.get(page_of(issued))
    browser.get(f"{page_of(issued)}/rounds/{round_id}/hands/1")
    browser.get(f"{page_of(issued)}x")
    assert api.delete(f"/v1/links/{issued['id']}").status == 204
    club = club_of(house, api)
    [(content,)] = house.query(
        "SELECT convert_from(content, 'UTF8')::jsonb FROM events WHERE club_id = %s AND kind = 'link.issued'", club
    )
    expected = {"link": issued["id"], "round": round_id, "table": issued["table"], "kind": "viewer"}
    assert {name: content[name] for name in expected} == expected
    everything = house.query("SELECT to_jsonb(link)::text FROM links AS link WHERE id = %s", issued["id"])
    assert secret_of(issued) not in f"{everything}{content}{log.getvalue()}"
    assert "show_link" in log.getvalue()
    check_everywhere(house, api)


# --- what a browser is shown where it opens nothing ---


@pytest.mark.parametrize("why", ["cut off", "unknown", "expired", "revoked", "no such hand"])
def test_an_invalid_link_shows_a_page(house: House, api: Api, browser: FlaskClient, round_id: str, why: str) -> None:
    issued = issue_to_round(api, round_id)
    url = page_of(issued)
    if why == "expired":
        house.change(
            "UPDATE links SET created_at = now() - interval '2 days', expires_at = now() - interval '1 second'"
            " WHERE id = %s",
            issued["id"],
        )
    if why == "revoked":
        assert api.delete(f"/v1/links/{issued['id']}").status == 204
    hand_7 = f"{url}/rounds/{round_id}/hands/7"
    address = {"cut off": url[:-5], "unknown": "/links/unknown", "no such hand": hand_7}.get(why, url)
    has_ended = why in ("expired", "revoked")
    page = house.app.test_client().get(address, headers=HTML)
    assert page.status_code == (410 if has_ended else 404)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "no-store"
    document = html5lib.parse(page.text, namespaceHTMLElements=False)
    assert document.get("lang") == "en"
    [title], [heading] = document.iter("title"), document.iter("h1")
    assert title.text == heading.text == ("This link has ended" if has_ended else "This link does not work")
    assert "the person who sent it for a new link" in page.text
    assert page.headers["Request-Id"] in page.text
