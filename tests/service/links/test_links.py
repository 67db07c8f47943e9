"""Viewer links: they show a round until they expire or are revoked."""

import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import html5lib
import httpx2
import pytest

from schemas.access import Link, parse_token, write_token
from service.clubs.actions import create_key
from service.clubs.queries.clubs import StoredClub
from service.clubs.scopes import KeyScope
from service.links.actions import revoke_links
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.log_capture import Log
from tests.support.sample_rounds import NOBODYS, SIXES, THREE, add_table, hand, open_round, play
from tests.support.server_process import command, running

HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
"""The header Accept of browsers."""


@pytest.fixture
def round_id(api: Api) -> str:
    opened = str(open_round(api, add_table(api, point_value=10, currency="EUR"), SIXES)["id"])
    play(api, opened, hand(1, 1, THREE))
    play(api, opened, hand(2, 2, THREE))
    return opened


def issue(api: Api, round_id: str, **fields: int) -> str:
    issued = api.post(f"/v1/rounds/{round_id}/links", fields)
    assert issued.status == 201
    return str(issued["url"])


def club_of(house: House, api: Api) -> StoredClub:
    query = (
        "SELECT club.id, club.name, club.created_at FROM clubs AS club JOIN api_keys AS key ON key.club_id = club.id"
        " WHERE key.secret_sha256 = sha256(%s)"
    )
    [(club_id, name, created_at)] = house.query(query, str(api.key).encode())
    return StoredClub(club_id, name, created_at)


# --- what it shows ---


@pytest.mark.smoke
def test_a_link_shows_the_same_round_as_a_key(api: Api, nobody: Api, round_id: str) -> None:
    url = issue(api, round_id)
    shown = nobody.get(url)
    assert shown.status == 200
    assert shown["round"] == api.get(f"/v1/rounds/{round_id}").document
    assert shown["settlement"] == api.get(f"/v1/rounds/{round_id}/settlement").document
    hands = api.get(f"/v1/rounds/{round_id}/hands")["hands"]
    for number, played in enumerate(hands, 1):
        explained = nobody.get(f"{url}/hands/{number}")
        assert explained.document == api.get(f"/v1/hands/{played['id']}/explanation").document
    for number in (0, 3, 10**9):
        assert nobody.get(f"{url}/hands/{number}").status == 404


def test_a_browser_gets_printable_pages_with_links_to_every_hand(api: Api, nobody: Api, round_id: str) -> None:
    url = issue(api, round_id)
    page = nobody.request("GET", url, headers=HTML)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    document = html5lib.parse(page.text, namespaceHTMLElements=False)
    leading = [link.get("href") for link in document.iter("a")]
    assert leading == [f"{url}/hands/1", f"{url}/hands/2"]
    players = [cell for cell in document.iter("th") if cell.get("class") == "player"]
    assert ["".join(cell.itertext()) for cell in players] == ["ann", "bob", "cyd"]
    for address in leading:
        explained = nobody.request("GET", str(address), headers=HTML)
        assert explained.status == 200
        assert "<h2>Payments</h2>" in explained.text
    for response in (page, explained):
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert "style-src 'self';" in response.headers["Content-Security-Policy"]
    assert nobody.request("GET", f"{url}/hands/1", headers={"Accept": "text/plain"}).text.startswith("Hand 1")


def test_player_ids_are_escaped_in_pages(api: Api, nobody: Api) -> None:
    seats = [
        {"seat": 1, "player": "<script>alert(1)</script>", "stack": 5},
        {"seat": 2, "player": '"><img src=x onerror=alert(1)>', "stack": 5},
    ]
    body = {"seats": seats, "reference": "</title><b>"}
    opened = api.post(f"/v1/tables/{add_table(api)}/rounds", body)
    page = nobody.request("GET", issue(api, opened["id"]), headers=HTML).text
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_link_shows_only_its_round(api: Api, nobody: Api, round_id: str) -> None:
    token = issue(api, round_id).rpartition("/")[2]
    other = str(open_round(api, add_table(api, name="attic"), {1: "dan 9", 2: "eve 9"})["id"])
    for path in (f"/v1/rounds/{round_id}", f"/v1/rounds/{other}", "/v1/tables"):
        assert nobody.request("GET", path, headers={"Authorization": f"Bearer {token}"}).status == 401
        assert nobody.get(f"{path}?token={token}").status == 401
    for method in ("POST", "PUT", "PATCH"):
        assert nobody.request(method, f"/v1/links/{token}", json={}).status == 405
    assert nobody.delete(f"/v1/links/{token}").status == 401


# --- how it ends ---


def test_a_link_has_the_requested_lifetime(api: Api, nobody: Api, round_id: str) -> None:
    for body, life in (({}, timedelta(days=7)), ({"expires_in": 60}, timedelta(minutes=1))):
        issued = api.post(f"/v1/rounds/{round_id}/links", body)
        left = datetime.fromisoformat(issued["expires_at"]) - datetime.now(UTC)
        assert timedelta(0) <= life - left < timedelta(seconds=10)
        assert nobody.get(issued["url"])["expires_at"] == issued["expires_at"]
    for seconds in (0, 59, 366 * 86400 + 1, "60", -1):
        assert api.post(f"/v1/rounds/{round_id}/links", {"expires_in": seconds}).status == 422


def test_an_expired_link_has_ended(house: House, api: Api, nobody: Api, round_id: str) -> None:
    issue(api, round_id)
    club = club_of(house, api)
    [(secret,)] = house.query("SELECT secret FROM link_secrets WHERE club_id = %s", club.id)
    soon = datetime.now(UTC) + timedelta(seconds=10)
    url = f"/v1/links/{write_token(Link(club.id, UUID(round_id), soon), secret)}"
    assert nobody.get(url).status == 200
    time.sleep(10.1)
    ended = nobody.get(url)
    assert (ended.status, ended["code"]) == (410, "link-ended")
    assert ended["detail"].startswith("the link expired at 20")


def test_revoking_all_links_affects_one_club_only(
    house: House, api: Api, other_api: Api, nobody: Api, round_id: str
) -> None:
    theirs = str(open_round(other_api, add_table(other_api))["id"])
    before, others = issue(api, round_id), issue(other_api, theirs)
    revoke_links(house.owner, club_of(house, api))
    assert nobody.get(before).status == 410
    assert nobody.get(others).status == 200
    after = issue(api, round_id)
    assert nobody.get(after).status == 200
    revoke_links(house.owner, club_of(house, api))
    assert nobody.get(after).status == 410
    assert nobody.get(before)["detail"] == "the link was revoked"


def test_revoking_one_link_leaves_the_others_valid(house: House, api: Api, nobody: Api, round_id: str) -> None:
    url, other = issue(api, round_id), issue(api, round_id, expires_in=3600)
    for _ in range(2):
        revoked = api.delete(url)
        assert (revoked.status, revoked.text) == (204, "")
    for path in (url, f"{url}/hands/1"):
        assert (nobody.get(path).status, nobody.get(path)["code"]) == (410, "link-ended")
    assert nobody.get(other).status == 200
    stored = house.query(
        "SELECT convert_from(content, 'UTF8')::jsonb ->> 'round' FROM events"
        " WHERE club_id = %s AND kind = 'link.revoked'",
        club_of(house, api).id,
    )
    assert stored == [(round_id,)]


def test_other_encodings_of_a_revoked_link_are_revoked(api: Api, nobody: Api, round_id: str) -> None:
    # Of two alphabets of Base64 both are read, so one link can be written in many ways.
    while "-" not in (url := issue(api, round_id)):
        pass
    other = url.replace("-", "+")
    assert nobody.get(other).status == 200
    assert api.delete(url).status == 204
    assert nobody.get(other).status == 410


def test_a_link_can_be_revoked_by_its_club_only(api: Api, other_api: Api, nobody: Api, round_id: str) -> None:
    url = issue(api, round_id)
    issue(other_api, str(open_round(other_api, add_table(other_api))["id"]))
    for path in (url, url[:-1] + ("A" if url[-1] != "A" else "B"), "/v1/links/nothing"):
        assert (other_api.delete(path).status, other_api.delete(path)["code"]) == (404, "not-found")
    assert nobody.get(url).status == 200


def test_revoking_an_expired_link_stores_nothing(house: House, api: Api, round_id: str) -> None:
    issue(api, round_id)
    club = club_of(house, api)
    [(secret,)] = house.query("SELECT secret FROM link_secrets WHERE club_id = %s", club.id)
    ended = write_token(Link(club.id, UUID(round_id), datetime.now(UTC) - timedelta(seconds=1)), secret)
    assert api.delete(f"/v1/links/{ended}").status == 204
    assert house.query("SELECT FROM revoked_links WHERE club_id = %s", club.id) == []


# --- forged, cut off, and others' ---


def test_a_link_with_a_changed_bit_is_not_found(api: Api, nobody: Api, round_id: str) -> None:
    url = issue(api, round_id)
    token = urlsafe_b64decode(url.rpartition("/")[2])
    for place in range(len(token)):
        forged = bytearray(token)
        forged[place] ^= 1 << place % 8
        assert nobody.get(f"/v1/links/{urlsafe_b64encode(forged).decode()}").status == 404, place
    for cut in ("", "x", url[-95:], url[-96:] + "=", url[-96:-1] + "é", "a" * 5000, "%00" * 32, "../rounds"):
        assert nobody.get(f"/v1/links/{cut}").status == 404


def test_the_secret_of_a_club_signs_only_links_to_its_rounds(
    house: House, api: Api, other_api: Api, nobody: Api, round_id: str
) -> None:
    theirs = str(open_round(other_api, add_table(other_api))["id"])
    issue(other_api, theirs)
    mine, others = club_of(house, api), club_of(house, other_api)
    [(secret,)] = house.query("SELECT secret FROM link_secrets WHERE club_id = %s", others.id)
    later = datetime.now(UTC) + timedelta(days=1)
    issue(api, round_id)
    for club in (mine, others):
        forged = write_token(Link(club.id, UUID(round_id), later), secret)
        assert nobody.get(f"/v1/links/{forged}").status == 404
    assert other_api.post(f"/v1/rounds/{round_id}/links", {}).status == 404


def test_a_read_only_key_cannot_create_links(house: House, api: Api, round_id: str) -> None:
    reading = create_key(house.owner, club_of(house, api), name="scoreboard", scopes=[KeyScope.READ])
    assert Api(house.app, reading.secret).post(f"/v1/rounds/{round_id}/links", {})["code"] == "scope-missing"


# --- what is stored of it ---


def test_creating_a_link_is_audited_and_the_link_is_not_stored(
    house: House, api: Api, nobody: Api, round_id: str, log: Log
) -> None:
    url = issue(api, round_id)
    nobody.get(url)
    nobody.get(f"{url}/hands/1")
    nobody.get(f"{url}x")
    assert api.delete(url).status == 204
    token = url.rpartition("/")[2]
    club = club_of(house, api)
    stored = house.query(
        "SELECT convert_from(content, 'UTF8') FROM events WHERE club_id = %s AND kind = 'link.issued'", club.id
    )
    expires_at = parse_token(token).link.expires_at.isoformat().replace("+00:00", "Z")
    assert stored == [(f'{{"expires_at":"{expires_at}","round":"{round_id}"}}',)]
    assert token not in log.getvalue()
    assert "show_linked_round" in log.getvalue()


def test_a_link_works_until_the_operator_revokes_it(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        key = (tmp_path / "api-key").read_text().strip()
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False, verify=False) as client:
            table = client.post("/v1/tables", json={"name": "kitchen", "ruleset": "pineapple"}).json()["id"]
            seats = [{"seat": seat, "player": name, "stack": 50} for seat, name in enumerate(("ann", "bob"), 1)]
            round_id = client.post(f"/v1/tables/{table}/rounds", json={"seats": seats}).json()["id"]
            url = client.post(f"/v1/rounds/{round_id}/links", json={}).json()["url"]
        assert httpx2.get(service.url + url, headers=HTML, timeout=60, trust_env=False, verify=False).text.startswith(
            "<!doctype html>"
        )
        revoked = command("club", "revoke-links", "home", "--data", str(tmp_path))
        assert revoked.stderr.startswith("All links of the club 'home' are revoked")
        assert httpx2.get(service.url + url, timeout=60, trust_env=False, verify=False).status_code == 410
        assert url.rpartition("/")[2] not in service.output + service.log


def test_a_link_to_a_missing_round_is_not_found(api: Api) -> None:
    assert api.post(f"/v1/rounds/{NOBODYS}/links", {}).status == 404


# --- what a browser is shown where it opens nothing ---


@pytest.mark.parametrize("why", ["cut off", "unknown", "expired", "revoked", "no such hand"])
def test_an_invalid_link_returns_a_page_or_a_problem_document(
    house: House, api: Api, nobody: Api, round_id: str, why: str
) -> None:
    url = issue(api, round_id)
    if why == "expired":
        club = club_of(house, api)
        [(secret,)] = house.query("SELECT secret FROM link_secrets WHERE club_id = %s", club.id)
        before = datetime.now(UTC) - timedelta(seconds=2)
        url = f"/v1/links/{write_token(Link(club.id, UUID(round_id), before), secret)}"
    if why == "revoked":
        assert api.delete(url).status == 204
    address = {"cut off": url[:-5], "unknown": "/v1/links/unknown", "no such hand": f"{url}/hands/7"}.get(why, url)
    has_ended = why in ("expired", "revoked")
    problem = nobody.get(address)
    assert (problem.status, problem["code"]) == ((410, "link-ended") if has_ended else (404, "not-found"))
    page = house.app.test_client().get(address, headers=HTML)
    assert page.status_code == problem.status
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "no-store"
    assert "Accept" in page.headers["Vary"]
    document = html5lib.parse(page.text, namespaceHTMLElements=False)
    assert document.get("lang") == "en"
    [title], [heading] = document.iter("title"), document.iter("h1")
    assert title.text == heading.text == ("This link has ended" if has_ended else "This link does not work")
    assert "the person who sent it for a new link" in page.text
    assert page.headers["Request-Id"] in page.text
